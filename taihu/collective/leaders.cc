// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/leaders.h"

#include <utility>

#include "taihu/collective/board.h"
#include "taihu/collective/copy.h"
#include "taihu/collective/kept_run.h"
#include "taihu/collective/network_choice.h"
#include "taihu/collective/plain_forms.h"
#include "taihu/collective/program_run.h"
#include "taihu/collective/shared_forms.h"

namespace taihu::collective {

namespace {

constexpr std::size_t most_kept_steps = 64;

int code_of(Trouble trouble) noexcept {
  switch (trouble) {
    case Trouble::none:
      break;
    case Trouble::truncated:
    case Trouble::short_message:
      return M_ERROR_TRUNCATE;
    case Trouble::no_memory:
      return M_ERROR_MEMORY;
    case Trouble::earlier:
      break;
    case Trouble::link:
      return M_ERROR_LINK;
  }
  return M_SUCCESS;
}

int run_named(GroupHandle& handle, int early, const schedule::Program& program, ProgramRun& run,
              ProgramBuffers buffers, const Reduction* reduction) {
  const std::size_t unit_bytes = reduction != nullptr ? reduction->element_bytes : 1;
  Scratch& scratch = handle.schedule_scratch();
  std::byte* const scratch_memory = scratch.get(program.scratch * unit_bytes);
  if (scratch_memory == nullptr) return M_ERROR_MEMORY;
  PlainMemory memory(buffers.source, buffers.result, scratch_memory, reduction);
  run.start(program, memory, early == M_SUCCESS ? Trouble::none : Trouble::earlier);
  run.wait();
  scratch.trim();
  if (early != M_SUCCESS) return early;
  const int code = code_of(run.trouble());
  if (code == M_ERROR_TRUNCATE) handle.set_problem(run.length_problem());
  return code;
}

int run_on(GroupHandle& handle, int early, std::span<const int> ranks, schedule::Program program,
           ProgramBuffers buffers, const Reduction* reduction) {
  program.name_peers(ranks);
  ProgramRun run(handle.endpoint(), handle.state().context, program_tag);
  return run_named(handle, early, program, run, buffers, reduction);
}

}  // namespace

KeptPrograms& kept_programs(GroupHandle& handle) {
  std::shared_ptr<KeptPrograms>& programs = handle.board().own(handle.local_index()).programs;
  if (!programs) [[unlikely]]
    programs = std::make_shared<KeptPrograms>(handle.endpoint(), handle.state().context, program_tag);
  return *programs;
}

int run_kept(GroupHandle& handle, KeptProgram& kept, int code, ProgramBuffers buffers,
             const Reduction* reduction) {
  const int result = run_named(handle, code, kept.program, kept.run, buffers, reduction);
  if (kept.program.steps.size() > most_kept_steps) {
    kept.key = {};
    kept.program = {};
  }
  return result;
}

Leaders::Leaders(GroupHandle& handle, int root)
    : handle_(handle), membership_(handle.membership()), root_(root) {
  if (root < 0) return;
  root_process_ = membership_.process[static_cast<std::size_t>(root)];
  if (root_process_ == membership_.here)
    local_leader_ = membership_.local_index[static_cast<std::size_t>(root)];
}

std::vector<int> Leaders::ranks() const {
  std::vector<int> ranks;
  for (const std::vector<int>& members : membership_.members_of)
    ranks.push_back(handle_.global_rank(members.front()));
  if (root_ >= 0) ranks[static_cast<std::size_t>(root_process_)] = handle_.global_rank(root_);
  return ranks;
}

int Leaders::run(int code, schedule::Program program, ProgramBuffers buffers, const Reduction* reduction) {
  return run_on(handle_, code, ranks(), std::move(program), buffers, reduction);
}

template <class Make>
int Leaders::run_kept(const ProgramKey& key, int code, ProgramBuffers buffers, const Reduction* reduction,
                      Make&& make) {
  KeptProgram& kept = kept_or_made(handle_, key, make, [this] { return ranks(); });
  return collective::run_kept(handle_, kept, code, buffers, reduction);
}

int Leaders::barrier(int code) {
  return run_kept({.call = Call::barrier}, code, {}, nullptr, [this] { return schedule::barrier(place()); });
}

int Leaders::bcast(void* buffer, std::size_t bytes) {
  return run_kept({.call = Call::bcast, .root = root_, .count = bytes}, M_SUCCESS, {nullptr, buffer}, nullptr,
                  [&] { return bcast_program(bytes); });
}

int Leaders::gather(int code, const void* block, void* whole, std::size_t bytes) {
  return run_kept({.call = Call::gather, .root = root_, .count = bytes}, code, {block, whole}, nullptr,
                  [&] { return schedule::gather_binomial(place(), blocks(bytes), root_process_); });
}

int Leaders::scatter(const void* whole, void* block, std::size_t bytes) {
  return run_kept({.call = Call::scatter, .root = root_, .count = bytes}, M_SUCCESS, {whole, block}, nullptr,
                  [&] { return schedule::scatter_binomial(place(), blocks(bytes), root_process_); });
}

int Leaders::allgather(int code, const void* block, void* whole, std::size_t bytes) {
  return run_kept({.call = Call::allgather, .count = bytes}, code, {block, whole}, nullptr,
                  [&] { return allgather_program(blocks(bytes)); });
}

int Leaders::reduce(int code, const void* source, void* result, std::size_t count,
                    const Reduction& reduction) {
  const ProgramKey key{
      .call = Call::reduce, .root = root_, .count = count, .unit_bytes = reduction.element_bytes};
  return run_kept(key, code, {source, result}, &reduction, [&] {
    return schedule::reduce_binomial(place(), count, root_process_, schedule::Operands::ordered);
  });
}

int Leaders::allreduce(int code, const void* source, void* result, std::size_t count,
                       const Reduction& reduction) {
  const bool apart = source != result;
  const ProgramKey key{Call::allreduce, -1, count, reduction.element_bytes, reduction.commutative, apart};
  return run_kept(key, code, {source, result}, &reduction,
                  [&] { return allreduce_program(count, reduction, apart); });
}

schedule::Program Leaders::program(schedule::Collective collective, std::size_t bytes,
                                   const schedule::Payload& payload) const {
  GroupState& state = handle_.state();
  LeaderForms* const by_network = state.leader_forms();
  const schedule::CollectiveForm* form =
      by_network != nullptr ? by_network->form(collective, bytes) : nullptr;
  if (form == nullptr) form = &state.plain_forms().form(collective, bytes);
  return form->make(place(), payload, {});
}

schedule::Program Leaders::bcast_program(std::size_t bytes) const {
  schedule::Payload payload;
  payload.count = bytes;
  payload.root = root_process_;
  return program(schedule::Collective::bcast, bytes, payload);
}

schedule::Program Leaders::allgather_program(const schedule::Blocks& blocks) const {
  schedule::Payload payload;
  payload.blocks = blocks;
  return program(schedule::Collective::allgather, bytes_of_each(blocks), payload);
}

schedule::Program Leaders::allreduce_program(std::size_t count, const Reduction& reduction,
                                             bool apart) const {
  if (!reduction.commutative) return schedule::allreduce_recursive_doubling(place(), count);
  schedule::Payload payload;
  payload.count = count;
  payload.apart = apart;
  return program(schedule::Collective::allreduce, count * reduction.element_bytes, payload);
}

schedule::Program Leaders::reduce_scatter_program(const schedule::Blocks& blocks,
                                                  const Reduction& reduction) const {
  schedule::Payload payload;
  payload.blocks = blocks;
  for (std::size_t& start : payload.blocks.starts) start /= reduction.element_bytes;
  if (!reduction.commutative) return schedule::reduce_scatter_direct(place(), payload.blocks);
  return program(schedule::Collective::reduce_scatter, bytes_of_each(blocks), payload);
}

std::size_t Leaders::bytes_of_each(const schedule::Blocks& blocks) const noexcept {
  const auto processes = static_cast<std::size_t>(place().members);
  return (blocks.total() + processes - 1) / processes;
}

int Leaders::hand_out(int code, void* buffer, std::size_t bytes) {
  if (code == M_SUCCESS || !includes_me())
    return first_error(code, shared::bcast(handle_, buffer, bytes, local_leader_, nullptr));
  shared::fail(handle_, Call::bcast, bytes, local_leader_);
  return code;
}

schedule::Blocks Leaders::blocks(std::size_t bytes) const {
  schedule::Blocks blocks;
  for (const std::vector<int>& members : membership_.members_of) {
    blocks.starts.push_back(blocks.starts.back() + members.size() * bytes);
  }
  return blocks;
}

int run_among_all(GroupHandle& handle, int code, schedule::Program program, ProgramBuffers buffers,
                  const Reduction* reduction) {
  return run_on(handle, code, handle.membership().ranks, std::move(program), buffers, reduction);
}

void to_member_order(const Membership& membership, const void* by_process, void* by_member,
                     std::size_t bytes) {
  int position = 0;
  for (const std::vector<int>& members : membership.members_of) {
    for (const int member : members) {
      copy_block(block_at(by_member, member, bytes), block_at(by_process, position++, bytes), bytes);
    }
  }
}

void to_process_order(const Membership& membership, const void* by_member, void* by_process,
                      std::size_t bytes) {
  int position = 0;
  for (const std::vector<int>& members : membership.members_of) {
    for (const int member : members) {
      copy_block(block_at(by_process, position++, bytes), block_at(by_member, member, bytes), bytes);
    }
  }
}

}  // namespace taihu::collective
