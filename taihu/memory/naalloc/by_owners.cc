// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/by_owners.h"

#include <unistd.h>

#include "taihu/memory/naalloc/openmp.h"

namespace taihu::memory {
namespace {

constexpr std::size_t worth_a_team_bytes = std::size_t{1} << 20;

struct Parts {
  std::span<const std::size_t> part_end;
  void (*work)(void*, std::size_t, std::size_t);
  void* context;

  void run(int thread, int threads) const {
    const std::size_t parts = part_end.size(), t = static_cast<std::size_t>(thread),
                      n = static_cast<std::size_t>(threads);
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t begin = part == 0 ? 0 : part_end[part - 1];
      if (part * n / parts == t && part_end[part] > begin) work(context, begin, part_end[part]);
    }
  }
};

}  // namespace

void for_each_part(std::span<const std::size_t> part_end, int threads,
                   void (*work)(void*, std::size_t, std::size_t), void* context) {
  if (part_end.empty()) return;
  Parts parts{part_end, work, context};
  // Only the first thread of the process: others, and the child of a fork, may have no team that can run.
  const bool team = threads > 1 && part_end.back() >= worth_a_team_bytes && gettid() == getpid() &&
                    openmp::available() && !openmp::in_parallel() && openmp::max_threads() == threads;
  if (!team) return parts.run(0, 1);
  openmp::run([](void* data, int thread, int n) { static_cast<Parts*>(data)->run(thread, n); }, &parts);
}

}  // namespace taihu::memory
