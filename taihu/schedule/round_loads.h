// SPDX-License-Identifier: Apache-2.0
// How long one round of a schedule takes, if all members begin it together: from the link with the most bytes
// and the member with the most to do.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "taihu/schedule/alltoall_choice.h"
#include "taihu/schedule/exchange_rounds.h"

namespace taihu::schedule {

/// The loads of one round.
class RoundLoads {
 public:
  RoundLoads(const Placed& placed, const MessageCosts& costs)
      : placed_(placed),
        costs_(costs),
        link_bytes_(index(placed.network.links())),
        messages_seconds_(placed.nodes.size()),
        copies_seconds_(placed.nodes.size()),
        route_(index(placed.network.longest_route())) {}

  void add(int member, const Step& step) {
    if (step.action == Action::receive) {
      messages_seconds_[index(member)] += costs_.receive_seconds;
    } else if (step.action == Action::send) {
      messages_seconds_[index(member)] += costs_.send_seconds;
      message(placed_.nodes[index(member)], placed_.nodes[index(step.peer)], static_cast<double>(step.count));
    } else {
      copies_seconds_[index(member)] += static_cast<double>(step.count) / costs_.copy_bytes_per_second;
    }
  }
  /// Of this round; makes ready for the next. Bytes flow while the processors see to the next message; copies
  /// and one message are before or behind them.
  double take_seconds() {
    const double messages = take_most(messages_seconds_);
    const double one = std::min(messages, costs_.send_seconds + costs_.receive_seconds);
    return std::exchange(latency_, 0) + take_most(copies_seconds_) + one +
           std::max(take_link_seconds(), messages - one);
  }
  /// Of the link with the most bytes alone.
  double take_link_seconds() {
    double longest = 0;
    for (const int link : used_) {
      longest = std::max(longest, link_bytes_[index(link)] / placed_.network.bytes_per_second(link));
      link_bytes_[index(link)] = 0;
    }
    used_.clear();
    return longest;
  }

 private:
  void message(int from, int to, double bytes) {
    const int links = placed_.network.route(from, to, route_.data());
    latency_ = std::max(latency_, placed_.network.latency(links));
    for (int hop = 0; hop < links; ++hop) {
      double& load = link_bytes_[index(route_[index(hop)])];
      if (load == 0) used_.push_back(route_[index(hop)]);
      load += bytes;
    }
  }

  static double take_most(std::vector<double>& seconds) {
    const double most = *std::max_element(seconds.begin(), seconds.end());
    std::fill(seconds.begin(), seconds.end(), 0.0);
    return most;
  }

  const Placed& placed_;
  const MessageCosts& costs_;
  std::vector<double> link_bytes_;
  std::vector<double> messages_seconds_;  ///< of the members' processors
  std::vector<double> copies_seconds_;
  std::vector<int> route_;
  std::vector<int> used_;
  double latency_ = 0;
};

}  // namespace taihu::schedule
