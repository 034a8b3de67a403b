// SPDX-License-Identifier: Apache-2.0
// A loop whose iterations are shared out to the threads of a team by a schedule that can be chosen, with the
// kinds and meanings of OpenMP's.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "taihu/parallel/team.h"

namespace taihu::parallel {

/// Where iterations have very different lengths, small chunks of `dynamic` keep threads busy.
struct LoopSchedule {
  /// fixed: chunks in turns, settled before; dynamic: the next chunk to who asks; guided: the same with
  /// chunks of what remains / threads, at least `chunk`.
  enum class Kind { fixed, dynamic, guided };
  Kind kind = Kind::dynamic;
  int chunk = 64;  ///< iterations; 0: one, of `fixed` an equal share of all for each thread
};

/// "static", "dynamic,64", "guided,1". Throws UsageError when the text is not one.
LoopSchedule parse_loop_schedule(const std::string& text);

/// Hands out the iterations of one loop. Any thread may ask, each for itself.
class LoopShares {
 public:
  LoopShares(const LoopSchedule& schedule, std::int64_t count, int threads);

  /// Iterations begin .. end - 1 of a thread.
  struct Range {
    std::int64_t begin = 0, end = -1;
  };
  /// Replaces the last iterations of this thread, at first a fresh Range, by the next. False: none are left.
  bool next(int thread, Range& range) noexcept;

 private:
  const LoopSchedule::Kind kind_;
  const std::int64_t count_, chunk_;
  const int threads_;
  alignas(64) std::atomic<std::int64_t> taken_{0};
};

/// Calls body(thread, i) for each i in [0, count), with thread in [0, team.size()). What the body throws is
/// thrown again when the other threads have done the iterations that are left.
template <class Body>
void parallel_for(const Team& team, const LoopSchedule& schedule, std::int64_t count, const Body& body) {
  if (team.size() == 1) {
    for (std::int64_t i = 0; i < count; ++i) body(0, i);
    return;
  }
  LoopShares shares(schedule, count, team.size());
  team.run([&](int thread) {
    for (LoopShares::Range range; shares.next(thread, range);)
      for (std::int64_t i = range.begin; i < range.end; ++i) body(thread, i);
  });
}

}  // namespace taihu::parallel
