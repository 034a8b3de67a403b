// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/leaders.h"

#include "taihu/collective/copy.h"

namespace taihu::collective {

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
  return run_schedule(program, handle_.endpoint(), handle_.state().context, ranks_, memory,
                      handle_.schedule_scratch(), reduction);
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
  return run_schedule(program, handle.endpoint(), handle.state().context, handle.membership().ranks, memory,
                      handle.schedule_scratch(), reduction);
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
