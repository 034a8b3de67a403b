// SPDX-License-Identifier: Apache-2.0
//
// A program of users with threads of its own and the containers of naalloc: each thread says which one it is,
// then works on its part. Prints "pool_threads: passed".
#include <naalloc.h>

#include <barrier>
#include <cstdio>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "taihu/memory/naalloc/partitioned_vector.h"
#include "taihu/memory/naalloc/resources.h"

int main() {
  constexpr int threads = 3;
  std::vector<std::string> log;
  naalloc_log([](void* lines,
                 const char* text) { static_cast<std::vector<std::string>*>(lines)->emplace_back(text); },
              &log);
  std::barrier all(threads);
  taihu::memory::partitioned_vector<double> values;
  std::vector<double> sums(threads);
  std::vector<std::thread> team;
  for (int number = 0; number < threads; ++number)
    team.emplace_back([&, number] {
      naalloc_thread(number);
      all.arrive_and_wait();
      if (number == 0) values = taihu::memory::partitioned_vector<double>(1000001);
      all.arrive_and_wait();
      for (double& value : values.part(number)) value = number + 1;
      sums[static_cast<std::size_t>(number)] =
          std::accumulate(values.part(number).begin(), values.part(number).end(), 0.0);
    });
  for (std::thread& thread : team) thread.join();
  const bool parts_right =
      values.parts() == threads && naalloc_threads() == threads && sums[2] == 3.0 * 333333;
  std::vector<int, taihu::memory::numa_allocator<int>> shared(100000, 1);
  naalloc_pages pages;
  const bool told =
      naalloc_where(values.data(), &pages) == 0 && pages.untouched == 0 && pages.local + pages.remote > 1900;
  naalloc_log(nullptr, nullptr);
  std::puts(parts_right && told && log.size() >= 2 ? "pool_threads: passed" : "pool_threads: wrong");
  return parts_right && told ? 0 : 1;
}
