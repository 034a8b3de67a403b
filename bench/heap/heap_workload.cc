// SPDX-License-Identifier: Apache-2.0
// Runs one allocation pattern with whatever malloc the process has: heap_workload PATTERN THREADS OPERATIONS.
// Prints one line of JSON: seconds of wall and of processor time, peak memory. Exit code 1 when a block was
// damaged.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "workload.h"

namespace {

struct Named {
  std::string_view name;
  workload::Pattern* pattern;
};

constexpr Named patterns[] = {
    {"rmc_vectors", workload::rmc_vectors},
    {"rmc_slots", workload::rmc_slots},
    {"rmc_huge_slots", workload::rmc_huge_slots},
    {"rmc_temporaries", workload::rmc_temporaries},
    {"rmc_handed_over", workload::rmc_handed_over},
    {"growing_vectors", workload::growing_vectors},
    {"realloc_growth", workload::realloc_growth},
    {"small_slots", workload::small_slots},
    {"server", workload::server},
    {"producer_consumer", workload::producer_consumer},
    {"batches", workload::batches},
    {"fragmentation", workload::fragmentation},
    {"scattered", workload::scattered},
    {"cache_scratch", workload::cache_scratch},
    {"cache_thrash", workload::cache_thrash},
};

/// Peak resident memory. Not from getrusage: that includes what the parent had before exec.
long peak_kib() {
  long kib = 0;
  char line[256];
  std::FILE* status = std::fopen("/proc/self/status", "r");
  while (status && std::fgets(line, sizeof line, status))
    if (std::sscanf(line, "VmHWM: %ld", &kib) == 1) break;
  if (status) std::fclose(status);
  return kib;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

int main(int argc, char** argv) {
  const Named* chosen = nullptr;
  for (const Named& named : patterns)
    if (argc == 4 && named.name == argv[1]) chosen = &named;
  const unsigned threads = argc == 4 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)) : 0;
  const std::size_t operations = argc == 4 ? std::strtoull(argv[3], nullptr, 10) : 0;
  if (!chosen || threads == 0 || operations == 0) {
    std::fprintf(stderr, "usage: heap_workload PATTERN THREADS OPERATIONS\n");
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const bool good = chosen->pattern(threads, operations);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  std::printf("{\"wall\": %.4f, \"user\": %.4f, \"system\": %.4f, \"peak_kib\": %ld, \"faults\": %ld}\n",
              wall.count(), seconds(use.ru_utime), seconds(use.ru_stime), peak_kib(), use.ru_minflt);
  if (!good) std::fprintf(stderr, "heap_workload: a block was damaged\n");
  return good ? 0 : 1;
}
