// SPDX-License-Identifier: Apache-2.0
// The aggregators of a rank: what they hold leaves when the thread that uses them waits in a call, and while
// it computes, when the progress thread finds that it has grown old.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "taihu/message/aggregation/aggregator.h"
#include "taihu/message/endpoint.h"

/// One aggregator of a program.
struct m_aggregator {
  taihu::message::Aggregator aggregator;
  std::thread::id user;  ///< the thread that used it last
};

namespace taihu::parallelc {

class OpenAggregators final : public message::Background {
 public:
  void add(m_aggregator* aggregator) {
    const std::lock_guard hold(mutex_);
    open_.push_back(aggregator);
  }
  void remove(m_aggregator* aggregator) {
    const std::lock_guard hold(mutex_);
    std::erase(open_, aggregator);
  }
  bool contains(const m_aggregator* aggregator) {
    const std::lock_guard hold(mutex_);
    return std::ranges::find(open_, aggregator) != open_.end();
  }
  bool is_empty() {
    const std::lock_guard hold(mutex_);
    return open_.empty();
  }

  /// What they hold leaves some milliseconds later even when nobody waits. At least once before the first is
  /// used.
  void look_after_ages(message::Node& node) {
    if (!is_looked_after_.exchange(true)) message::look_now_and_then(node, [this] { send_aged(); });
  }
  void send_aged() {
    const std::lock_guard hold(mutex_);
    for (m_aggregator* open : open_) open->aggregator.send_aged();
  }

  void progress() override {
    const std::unique_lock hold(mutex_, std::try_to_lock);
    if (!hold.owns_lock()) return;
    for (m_aggregator* open : open_) {
      // Another thread may be adding to its own right now.
      if (open->user == std::this_thread::get_id()) open->aggregator.send_all();
    }
  }

 private:
  std::atomic<bool> is_looked_after_{false};
  std::mutex mutex_;
  std::vector<m_aggregator*> open_;
};

}  // namespace taihu::parallelc
