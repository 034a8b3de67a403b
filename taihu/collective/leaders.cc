// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/leaders.h"

#include <utility>

#include "taihu/collective/copy.h"
#include "taihu/collective/network_choice.h"
#include "taihu/collective/plain_forms.h"
#include "taihu/collective/program_run.h"
#include "taihu/collective/shared_forms.h"

namespace taihu::collective {

namespace {

constexpr int message_tag = 0;  // order per pair tells the messages of a group apart

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

int run_on(GroupHandle& handle, int early, std::span<const int> ranks, schedule::Program program,
           ProgramBuffers buffers, const Reduction* reduction) {
  const std::size_t unit_bytes = reduction != nullptr ? reduction->element_bytes : 1;
  Scratch& scratch = handle.schedule_scratch();
  std::byte* const scratch_memory = scratch.get(program.scratch * unit_bytes);
  if (scratch_memory == nullptr) return M_ERROR_MEMORY;
  program.name_peers(ranks);
  PlainMemory memory(buffers.source, buffers.result, scratch_memory, reduction);
  ProgramRun run(handle.endpoint(), handle.state().context, message_tag);
  run.start(program, memory, early == M_SUCCESS ? Trouble::none : Trouble::earlier);
  run.wait();
  scratch.trim();
  if (early != M_SUCCESS) return early;
  const int code = code_of(run.trouble());
  if (code == M_ERROR_TRUNCATE) handle.set_problem(run.length_problem());
  return code;
}

}  // namespace

Leaders::Leaders(GroupHandle& handle, int root) : handle_(handle), membership_(handle.membership()) {
  for (const std::vector<int>& members : membership_.members_of) {
    ranks_.push_back(handle.global_rank(members.front()));
  }
  if (root < 0) return;
  root_process_ = membership_.process[static_cast<std::size_t>(root)];
  ranks_[static_cast<std::size_t>(root_process_)] = handle.global_rank(root);
  if (root_process_ == membership_.here)
    local_leader_ = membership_.local_index[static_cast<std::size_t>(root)];
}

int Leaders::run(int code, schedule::Program program, ProgramBuffers buffers, const Reduction* reduction) {
  return run_on(handle_, code, ranks_, std::move(program), buffers, reduction);
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

schedule::Program Leaders::allreduce_program(std::size_t count, const Reduction& reduction) const {
  if (!reduction.commutative) return schedule::allreduce_recursive_doubling(place(), count);
  schedule::Payload payload;
  payload.count = count;
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
