// SPDX-License-Identifier: Apache-2.0
// alltoall and alltoallv over all node processes of a group: blocks for neighbours are copied from buffer to
// buffer, the others travel as messages from member to member; equal blocks in the form that suits the
// network, where it is described.
#include <vector>

#include "taihu/collective/arguments.h"
#include "taihu/collective/choice.h"
#include "taihu/collective/collectives.h"
#include "taihu/collective/kept_run.h"
#include "taihu/collective/leaders.h"
#include "taihu/collective/length_check.h"
#include "taihu/collective/network_choice.h"
#include "taihu/collective/shared_forms.h"

namespace taihu::collective {

namespace {

/// The form that suits the network; null where none is described, and for blocks that differ.
const schedule::Schedule* form_by_network(GroupHandle& handle, const BlockMap& map) {
  AlltoallForms* const forms = handle.state().alltoall_forms();
  return forms != nullptr && map.has_equal_blocks() ? forms->form(map.bytes(0)) : nullptr;
}

/// `form`: its order decides; null: pairwise.
schedule::Program remote_program(const GroupHandle& handle, const BlockMap& source_map,
                                 const BlockMap& result_map, const schedule::Schedule* form) {
  const Membership& membership = handle.membership();
  std::vector<schedule::Range> sources;
  std::vector<schedule::Range> results;
  const auto is_near = [&](int member) {
    return membership.process[static_cast<std::size_t>(member)] == membership.here;
  };
  for (int member = 0; member < handle.size(); ++member) {
    const auto range = [&](const BlockMap& map) {
      if (is_near(member)) return schedule::Range{};
      return schedule::Range{static_cast<std::size_t>(map.offset(member)), map.bytes(member)};
    };
    sources.push_back(range(source_map));
    results.push_back(range(result_map));
  }
  schedule::Program program =
      form != nullptr
          ? schedule::alltoall_in_order(place_among_all(handle), *form->order, sources, results, form->window)
          : schedule::alltoall_pairwise(
                place_among_all(handle), sources, results, among_leaders::alltoall_window,
                among_leaders::empty_blocks(handle.size(), source_map.has_equal_blocks()));
  std::erase_if(program.steps,
                [&](const schedule::Step& step) { return step.is_transfer() && is_near(step.peer); });
  return program;
}

int exchange(GroupHandle& handle, const void* source, const BlockMap& source_map, void* result,
             const BlockMap& result_map) {
  if (handle.is_all_here()) {
    return shared::alltoall(handle, source, source_map, result, result_map, nullptr);
  }
  const schedule::Schedule* const form = form_by_network(handle, source_map);
  // Blocks that others pass on, or gather: all of them travel as messages.
  if (form != nullptr && form->order == nullptr)
    return run_among_all(handle, form->make(place_among_all(handle), source_map.bytes(0), {}),
                         {source, result});
  int code = M_SUCCESS;
  const auto remote = [&] {
    const ProgramBuffers buffers{source, result};
    const auto make = [&] { return remote_program(handle, source_map, result_map, form); };
    code = source_map.has_equal_blocks()
               ? run_kept_among_all(handle, {.call = Call::alltoall, .count = source_map.bytes(0)}, buffers,
                                    nullptr, make)
               : run_among_all(handle, make(), buffers);
  };
  const int local = shared::alltoall(handle, source, source_map, result, result_map, remote);
  return first_error(code, local);
}

// Blocks that are sent from where others arrive are copied aside first.
int exchange_in_place(GroupHandle& handle, void* buffer, const BlockMap& map) {
  const int members = handle.size();
  std::vector<std::size_t> bytes;
  std::vector<std::ptrdiff_t> offsets;
  std::size_t all_bytes = 0;
  for (int k = 0; k < members; ++k) {
    bytes.push_back(map.bytes(k));
    offsets.push_back(static_cast<std::ptrdiff_t>(all_bytes));
    all_bytes += map.bytes(k);
  }
  std::byte* aside = handle.stage().get(all_bytes);
  if (aside == nullptr) return M_ERROR_MEMORY;
  const BlockMap unequal(bytes.data(), offsets.data());
  const BlockMap aside_map = map.has_equal_blocks() ? map : unequal;
  for (int k = 0; k < members; ++k) copy_block(aside_map.block(aside, k), map.block(buffer, k), map.bytes(k));
  const int code = exchange(handle, aside, aside_map, buffer, map);
  handle.stage().trim();
  return code;
}

/// The only member of its group, whom nobody helps to copy.
bool is_on_its_own(GroupHandle& handle) noexcept {
  return handle.has_one_member() && handle.helped_copy() == nullptr;
}

bool needs_copy(GroupHandle& handle, const void* source, const void* result, const BlockMap& map) {
  return source == result && source != nullptr &&
         (!handle.is_all_here() || !shared::alltoall_is_inline(handle, map));
}

}  // namespace

int alltoall(GroupHandle& handle, const void* source, void* result, std::size_t bytes) {
  if (!is_possible_size(bytes, handle.size()) || !has_memory(source, bytes) || !has_memory(result, bytes)) {
    return M_ERROR_ARGUMENT;
  }
  if (is_on_its_own(handle)) return give_itself(result, source, bytes);
  if (bytes == 0 && handle.is_all_here()) return shared::move_nothing(handle, Call::alltoall);
  const BlockMap blocks(bytes);
  const bool all_apart = handle.membership().processes() == handle.size();
  if (all_apart && form_by_network(handle, blocks) == nullptr &&
      among_leaders::alltoall_is_short(handle.size(), bytes)) {
    return run_kept_among_all(handle, {.call = Call::alltoall, .count = bytes}, {source, result}, nullptr,
                              [&] { return schedule::alltoall_bruck(place_among_all(handle), bytes); });
  }
  if (needs_copy(handle, source, result, blocks)) return exchange_in_place(handle, result, blocks);
  return exchange(handle, source, blocks, result, blocks);
}

int alltoallv(GroupHandle& handle, const void* source, const std::size_t* source_bytes,
              const std::ptrdiff_t* source_offsets, void* result, const std::size_t* result_bytes,
              const std::ptrdiff_t* result_offsets) {
  if (!has_blocks(source, source_bytes, source_offsets, handle.size()) ||
      !has_blocks(result, result_bytes, result_offsets, handle.size())) {
    return M_ERROR_ARGUMENT;
  }
  const BlockMap source_map(source_bytes, source_offsets);
  const BlockMap result_map(result_bytes, result_offsets);
  if (is_on_its_own(handle))
    return give_itself(handle, "an alltoall", source_map.block(source, 0), source_map.bytes(0),
                       result_map.block(result, 0), result_map.bytes(0));
  if (needs_copy(handle, source, result, result_map)) return exchange_in_place(handle, result, result_map);
  return exchange(handle, source, source_map, result, result_map);
}

int alltoallv(GroupHandle& handle, const void* source, const long* source_counts,
              const long* source_displacements, void* result, const long* result_counts,
              const long* result_displacements, std::size_t element_bytes) {
  ElementBlocks out;
  ElementBlocks in;
  if (!out.set(source_counts, source_displacements, handle.size(), element_bytes) ||
      !in.set(result_counts, result_displacements, handle.size(), element_bytes)) {
    return M_ERROR_ARGUMENT;
  }
  return alltoallv(handle, source, out.bytes.data(), out.offsets.data(), result, in.bytes.data(),
                   in.offsets.data());
}

}  // namespace taihu::collective
