// SPDX-License-Identifier: Apache-2.0
// For tests of collectives: jobs of several node processes as test parameters, and a body for all ranks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "taihu/base/end_on_failure_for_tests.h"
#include "taihu/base/random.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/base/sanitizers.h"
#include "taihu/collective/collectives.h"
#include "taihu/collective/test_job.h"

namespace taihu::collective {

struct Setting {
  int ranks;
  int processes;
  int cores;  // 1: crowded, 64: a core for each rank
  Transport transport = Transport::twin;
  enum class Order { consecutive, shuffled } order = Order::consecutive;
};

inline void PrintTo(const Setting& setting, std::ostream* out) {
  *out << setting.ranks << " ranks, " << setting.processes << " processes, " << setting.cores << " cores"
       << (setting.transport == Transport::messages ? ", message layer" : "")
       << (setting.order == Setting::Order::shuffled ? ", shuffled" : "");
}

inline std::vector<int> member_list(const Setting& setting) {
  std::vector<int> ranks;
  for (int k = 0; k < setting.ranks; ++k) ranks.push_back(k);
  if (setting.order == Setting::Order::consecutive) return ranks;
  Random random(11);
  for (std::size_t k = ranks.size(); k > 1; --k) std::swap(ranks[k - 1], ranks[random.below(k)]);
  return ranks;
}

// Cores are fewer than threads here: spinning for long only keeps others from running.
inline void wait_briefly() {
  threads::set_wait_policy({20, 2});
}

class Collectives : public testing::TestWithParam<Setting> {
 protected:
  Collectives() : job_(GetParam().transport, GetParam().ranks, GetParam().processes, GetParam().cores) {
    wait_briefly();
  }

  // Runs body(handle) on every rank in the group of all ranks.
  template <class Body>
  void run(Body&& body) {
    const std::vector<int> ranks = member_list(GetParam());
    job_.run([&](int rank) {
      GroupHandle handle = job_.groups_of(rank).join(job_.endpoint(rank), first_free_context, ranks);
      body(handle);
      end_program_on_failure();
    });
  }

  // Roots to try: all of few, else some.
  std::vector<int> roots() const {
    const int n = GetParam().ranks;
    if (n > 2 && n <= plain_or_sanitized(0, 8)) return {0, n / 2, n - 1};
    if (n <= 8) {
      std::vector<int> all;
      for (int k = 0; k < n; ++k) all.push_back(k);
      return all;
    }
    return {0, 5, n / 2, n - 1};
  }

  const int n = GetParam().ranks;
  TestJob job_;
};

inline std::string name_of(const testing::TestParamInfo<Setting>& info) {
  const Setting& setting = info.param;
  return "Ranks" + std::to_string(setting.ranks) + "In" + std::to_string(setting.processes) +
         (setting.cores == 1 ? "Crowded" : "Roomy") +
         (setting.transport == Transport::messages ? "Messages" : "") +
         (setting.order == Setting::Order::shuffled ? "Shuffled" : "");
}

/// The thread sanitizer gets no more ranks than show every kind of step between two threads: on two cores
/// nine ranks take ten times as long there as five, for the same steps more often.
#if TAIHU_THREAD_SANITIZER
inline constexpr int most_ranks = 8, most_small_ranks = 5;
#else
inline constexpr int most_ranks = 32, most_small_ranks = 9;
#endif

/// All of few ranks in few node processes, in order and shuffled.
inline std::vector<Setting> small_settings() {
  std::vector<Setting> all;
  for (int ranks = 1; ranks <= most_small_ranks; ++ranks) {
    for (int processes = 1; processes <= std::min(ranks, 3); ++processes) {
      const int cores = ranks % 2 == 0 ? 64 : 1;
      all.push_back({ranks, processes, cores});
      if (ranks > 2) all.push_back({ranks, processes, cores, Transport::twin, Setting::Order::shuffled});
    }
  }
  all.push_back({5, 2, 1, Transport::messages, Setting::Order::shuffled});
  all.push_back({most_small_ranks, 3, 1, Transport::messages});
  return all;
}

}  // namespace taihu::collective
