// SPDX-License-Identifier: Apache-2.0
#include "contender.h"

#ifdef _OPENMP

#include <omp.h>

Times openmp_times(int threads, int repeats) {
  Times times;
  omp_set_dynamic(0);
  const auto region = [&] {
#pragma omp parallel num_threads(threads)
    {
      __asm__ volatile("" ::: "memory");
    }
  };
  region();
  time_spawns(times, repeats, region);
  double start = now_us();
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0) start = now_us();
    for (int k = 0; k < repeats; ++k) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == 0) times.barrier = (now_us() - start) / repeats;
#pragma omp barrier
    if (omp_get_thread_num() == 0) start = now_us();
    for (int k = 0; k < repeats; ++k) {
      omp_set_lock(&lock);
      omp_unset_lock(&lock);
    }
#pragma omp barrier
    if (omp_get_thread_num() == 0) times.lock = (now_us() - start) / repeats / threads;
  }
  omp_destroy_lock(&lock);
  return times;
}

#else

Times openmp_times(int, int) {
  return {};
}

#endif
