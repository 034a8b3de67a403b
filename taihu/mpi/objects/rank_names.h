// SPDX-License-Identifier: Apache-2.0
// Which of the ranks that start while the job runs the groups of one rank name: their numbers are not given
// to others as long as they do.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <span>

namespace taihu::mpi {

/// Any thread.
class RankNames {
 public:
  /// `first_spare`: first number of such a rank.
  explicit RankNames(int first_spare) : first_spare_(first_spare) {}

  /// One more, or one fewer, group with these members. True: some of them are such ranks.
  bool change(std::span<const int> members, int by) {
    bool any = false;
    for (const int member : members) {
      if (member < first_spare_) continue;
      const std::lock_guard hold(lock_);
      const auto count = counts_.emplace(member, 0).first;
      count->second += by;
      if (count->second == 0) counts_.erase(count);
      any = true;
    }
    return any;
  }

  void add_to(std::set<int>& all) const {
    const std::lock_guard hold(lock_);
    for (const auto& [rank, groups] : counts_) all.insert(rank);
  }

 private:
  const int first_spare_;
  mutable std::mutex lock_;
  std::map<int, int> counts_;  ///< groups by the rank that they name
};

}  // namespace taihu::mpi
