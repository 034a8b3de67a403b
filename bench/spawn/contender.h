// SPDX-License-Identifier: Apache-2.0
// What each contender of the benchmark can do: microseconds of one operation as the mean of `repeats`, and
// cycles of single ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <vector>

struct Times {
  double spawn_join = 0;  ///< a kernel on all threads that only counts them
  double least_cycles = 0, median_cycles = 0;
  double barrier = 0;
  double lock = 0;  ///< lock and unlock of all threads together, divided by their number
};

inline double now_us() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

/// Of the counter that runs at a constant rate whatever the clock of the core.
inline std::uint64_t cycles() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  std::uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
}

/// Runs `once` so often and notes its time.
template <class Once>
void time_spawns(Times& times, int repeats, Once&& once) {
  std::vector<double> each(static_cast<std::size_t>(repeats));
  const double start = now_us();
  for (double& time : each) {
    const std::uint64_t before = cycles();
    once();
    time = static_cast<double>(cycles() - before);
  }
  times.spawn_join = (now_us() - start) / repeats;
  std::nth_element(each.begin(), each.begin() + repeats / 2, each.end());
  times.median_cycles = each[each.size() / 2];
  times.least_cycles = *std::min_element(each.begin(), each.end());
}

/// Zeros when the program was built without OpenMP.
Times openmp_times(int threads, int repeats);
