// SPDX-License-Identifier: Apache-2.0
// The aggregators of a rank: what they hold leaves when the thread that uses them waits in a call.
#pragma once

#include <algorithm>
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

  void progress() override {
    const std::unique_lock hold(mutex_, std::try_to_lock);
    if (!hold.owns_lock()) return;
    for (m_aggregator* open : open_) {
      // Another thread may be adding to its own right now.
      if (open->user == std::this_thread::get_id()) open->aggregator.send_all();
    }
  }

 private:
  std::mutex mutex_;
  std::vector<m_aggregator*> open_;
};

}  // namespace taihu::parallelc
