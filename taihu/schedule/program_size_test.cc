// SPDX-License-Identifier: Apache-2.0
// What a member's program costs in memory in groups of thousands: steps, and scratch in units.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "taihu/schedule/algorithms.h"

namespace taihu::schedule {
namespace {

constexpr std::size_t count = 10000;  // units, or of all blocks together

struct Bound {
  const char* name;
  std::function<Program(Place)> make;
  std::function<std::size_t(std::size_t n, std::size_t levels)> steps;
  std::size_t scratch;
};

std::size_t few(std::size_t, std::size_t levels) {
  return 3 * levels + 4;
}
std::size_t linear(std::size_t n, std::size_t levels) {
  return 2 * n + 2 * levels + 4;
}

std::vector<Bound> bounds(int n) {
  const Blocks blocks = split_blocks(n, count);
  const Blocks equal = equal_blocks(n, 1);
  const std::size_t block = blocks.count(0);
  const auto ranges = [blocks, n] {
    std::vector<Range> all;
    for (int k = 0; k < n; ++k) all.push_back({blocks.start(k), blocks.count(k)});
    return all;
  };
  const auto ordered = Operands::ordered;
  return {
      {"barrier", barrier, few, 0},
      {"bcast_binomial", [](Place p) { return bcast_binomial(p, count, 1); }, few, 0},
      {"bcast_scatter_allgather", [](Place p) { return bcast_scatter_allgather(p, count, 1); }, linear, 0},
      {"bcast_scatter_exchange", [](Place p) { return bcast_scatter_exchange(p, count, 1); }, linear, 0},
      {"reduce_binomial", [=](Place p) { return reduce_binomial(p, count, 1, ordered); }, few, 2 * count},
      {"reduce_halving", [](Place p) { return reduce_halving(p, count, 1); }, linear, 2 * count},
      {"allreduce_recursive_doubling", [](Place p) { return allreduce_recursive_doubling(p, count); }, few,
       count},
      {"allreduce_halving", [](Place p) { return allreduce_halving(p, count); },
       [](std::size_t, std::size_t levels) { return 5 * levels + 4; }, count},
      {"allreduce_ring", [](Place p) { return allreduce_ring(p, count); },
       [](std::size_t members, std::size_t) { return 5 * members; }, block},
      {"reduce_scatter_direct", [=](Place p) { return reduce_scatter_direct(p, blocks); },
       [](std::size_t members, std::size_t) { return 3 * members; }, static_cast<std::size_t>(n) * block},
      {"gather_binomial", [=](Place p) { return gather_binomial(p, blocks, 1); }, linear, count / 2 + block},
      {"gather_direct", [=](Place p) { return gather_direct(p, blocks, blocks.count(p.me), 1); }, linear, 0},
      {"scatter_binomial", [=](Place p) { return scatter_binomial(p, blocks, 1); }, linear,
       count / 2 + block},
      {"scatter_direct", [=](Place p) { return scatter_direct(p, blocks, blocks.count(p.me), 1); }, linear,
       0},
      {"allgather_ring", [=](Place p) { return allgather_ring(p, blocks); }, linear, 0},
      {"allgather_direct", [=](Place p) { return allgather_direct(p, blocks); }, linear, 0},
      {"allgather_bruck", [=](Place p) { return allgather_bruck(p, equal); }, few,
       static_cast<std::size_t>(n)},
      {"alltoall_pairwise", [=](Place p) { return alltoall_pairwise(p, ranges(), ranges(), 32); }, linear, 0},
      {"alltoall_bruck", [](Place p) { return alltoall_bruck(p, 1); },
       [](std::size_t members, std::size_t levels) { return members * (levels + 3); },
       2 * static_cast<std::size_t>(n) + 2},
      {"scan_recursive_doubling", [](Place p) { return scan_recursive_doubling(p, count); }, few, count},
      {"exscan_recursive_doubling", [](Place p) { return exscan_recursive_doubling(p, count); },
       [](std::size_t, std::size_t levels) { return 4 * levels + 4; }, 2 * count},
      {"work_together", [](Place p) { return work_together(p, 24); },
       [](std::size_t members, std::size_t) { return 4 * members; }, 0},
  };
}

TEST(ProgramSize, IsBoundedAsTold) {
  for (const int n : {2, 63, 64, 4097}) {
    const auto members = static_cast<std::size_t>(n);
    const auto levels = static_cast<std::size_t>(std::bit_width(members - 1));
    for (const Bound& bound : bounds(n)) {
      for (const int me : {0, 1, n / 2, n - 1}) {
        const Program program = bound.make({n, me});
        EXPECT_LE(program.steps.size(), bound.steps(members, levels)) << bound.name << " of " << n;
        EXPECT_LE(program.scratch, bound.scratch) << bound.name << " of " << n;
      }
    }
  }
}

}  // namespace
}  // namespace taihu::schedule
