// SPDX-License-Identifier: Apache-2.0
// What each contender of the benchmark can do: microseconds of one operation, as the mean of `repeats`.
#pragma once

#include <ctime>

struct Times {
  double spawn_join = 0;  ///< an empty kernel on all threads
  double barrier = 0;
  double lock = 0;  ///< lock and unlock of all threads together, divided by their number
};

inline double now_us() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

/// Zeros when the program was built without OpenMP.
Times openmp_times(int threads, int repeats);
