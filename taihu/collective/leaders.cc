// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/leaders.h"

#include "taihu/collective/copy.h"
#include "taihu/collective/shared_forms.h"

namespace taihu::collective {

namespace {

int run_on(GroupHandle& handle, std::span<const int> ranks, const schedule::Program& program,
           ScheduleMemory memory, const Reduction& reduction) {
  const int code = run_schedule(program, handle.endpoint(), handle.state().context, ranks, memory,
                                handle.schedule_scratch(), reduction);
  if (code == M_ERROR_TRUNCATE) {
    handle.set_problem("rank " + std::to_string(handle.global_rank(handle.rank())) +
                       " has got another length from another node process than it expects, or the sender "
                       "has failed itself; the counts of all members must agree");
  }
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

int Leaders::run(const schedule::Program& program, ScheduleMemory memory, const Reduction& reduction) {
  return run_on(handle_, ranks_, program, memory, reduction);
}

int Leaders::hand_out(int code, void* buffer, std::size_t bytes) {
  if (code == M_SUCCESS || !includes_me())
    return first_error(code, shared::bcast(handle_, buffer, bytes, local_leader_, nullptr));
  shared::fail_bcast(handle_, bytes, local_leader_);
  return code;
}

schedule::Blocks Leaders::blocks(std::size_t bytes) const {
  schedule::Blocks blocks;
  for (const std::vector<int>& members : membership_.members_of) {
    blocks.starts.push_back(blocks.starts.back() + members.size() * bytes);
  }
  return blocks;
}

int run_among_all(GroupHandle& handle, const schedule::Program& program, ScheduleMemory memory,
                  const Reduction& reduction) {
  return run_on(handle, handle.membership().ranks, program, memory, reduction);
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
