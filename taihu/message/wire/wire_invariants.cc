// SPDX-License-Identifier: Apache-2.0
// What the wire keeps, as equations, checked by the thread that is inside. Builds without contracts do not
// ask.
#include <mutex>
#include <set>

#include "taihu/base/contract.h"
#include "taihu/message/wire/wire.h"

namespace taihu::message {

/// envelopes in all backlogs == envelopes counted; processes held up == those with a backlog, each once;
/// submissions == envelopes counted; every transfer that was promised a tag has one of its own, in use.
void Wire::check_invariants() {
  ensure(is_inside(), "the thread is inside");
  std::size_t waiting = 0, with_backlog = 0;
  for (const auto& backlog : backlog_) {
    waiting += backlog.size();
    with_backlog += backlog.empty() ? 0 : 1;
  }
  ensure(waiting == backlog_size_, "envelopes in all backlogs == envelopes counted");
  const std::set<int> held_up(held_up_.begin(), held_up_.end());
  ensure(held_up.size() == held_up_.size() && held_up.size() == with_backlog,
         "processes held up == processes with a backlog, each once");
  for (const int process : held_up)
    ensure(!backlog_[static_cast<std::size_t>(process)].empty(), "a process held up has a backlog");
  std::set<int> tags;
  for (const Transfer& transfer : under_way_)
    if (transfer.tag != 0)
      ensure(tags_in_use_.contains(transfer.tag) && tags.insert(transfer.tag).second,
             "a transfer's tag is in use, and no other one's");
  for (const int tag : tags_in_use_)
    ensure(first_data_tag <= tag && tag <= link_.tag_limit(), "first tag of data <= tag in use <= limit");
  std::lock_guard hold(submitted_lock_);
  ensure(submissions_.load(std::memory_order_relaxed) == submitted_.size(),
         "submissions counted == envelopes submitted");
}

}  // namespace taihu::message
