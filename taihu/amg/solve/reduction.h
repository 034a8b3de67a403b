// SPDX-License-Identifier: Apache-2.0
// Sums over all rows of all ranks, the same bits for any number of threads; also for any number of ranks when
// their first rows are multiples of row_block: each block of rows is summed by one thread in order, the sums
// of blocks are added without rounding.
#pragma once

#include <algorithm>
#include <array>

#include "taihu/amg/parallel/context.h"
#include "taihu/parallel/exact_sum.h"

namespace taihu::amg {

/// Runs block(begin, end) for each block of rows and returns the sums of the N numbers it returns.
/// Collective.
template <std::size_t N, class Block>
std::array<double, N> sum_blocks(const Context& context, const Partition& partition, const Block& block) {
  using Sum = parallel::ExactSum<2144>;
  std::vector<std::array<Sum, N>> of_thread(context.team.size());
  context.team.run(partition, [&](LocalIndex begin, LocalIndex end, int thread) {
    std::array<Sum, N> sums;
    for (LocalIndex row = begin; row < end; row += row_block) {
      const std::array<double, N> values = block(row, std::min(row + row_block, end));
      for (std::size_t n = 0; n < N; ++n) sums[n].add(values[n]);
    }
    of_thread[thread] = sums;
  });
  std::array<double, N> result;
  for (std::size_t n = 0; n < N; ++n) {
    Sum total;
    for (const auto& sums : of_thread) total += sums[n];
    context.communicator.sum(total.digits());
    result[n] = total.value();
  }
  return result;
}

/// Runs block(begin, end) for each block of rows.
template <class Block>
void for_blocks(const Context& context, const Partition& partition, const Block& block) {
  context.team.run(partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex row = begin; row < end; row += row_block) block(row, std::min(row + row_block, end));
  });
}

/// Dot product of two stretches; eight partial sums so that it vectorises, always in the same order.
inline double dot(const double* a, const double* b, LocalIndex length) {
  double sums[8] = {};
  LocalIndex i = 0;
  for (; i + 8 <= length; i += 8)
    for (int lane = 0; lane < 8; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  for (int lane = 0; i < length; ++i, ++lane) sums[lane] += a[i] * b[i];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

}  // namespace taihu::amg
