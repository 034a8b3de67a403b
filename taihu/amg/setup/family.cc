// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/setup/family.h"

#include <algorithm>
#include <cmath>

namespace taihu::amg {
namespace {

constexpr double strong_share = 0.25;

}  // namespace

HierarchyOptions with_family(const Context& context, const DistributedMatrix& matrix,
                             HierarchyOptions options) {
  if (options.family != Family::automatic) return options;
  const Csr<double>& local = matrix.local;
  std::vector<std::int64_t> strong(context.team.size()), all(context.team.size());
  context.team.run(local.partition, [&](LocalIndex begin, LocalIndex end, int thread) {
    std::int64_t count = 0;
    for (LocalIndex i = begin; i < end; ++i) {
      double largest = 0;
      for (Offset k = local.starts[i]; k < local.starts[i + 1]; ++k)
        if (local.column[k] != i) largest = std::max(largest, std::abs(local.value[k]));
      for (Offset k = local.starts[i]; k < local.starts[i + 1]; ++k)
        count += local.column[k] != i && std::abs(local.value[k]) >= strong_share * largest;
    }
    strong[thread] = count;
    all[thread] = local.starts[end] - local.starts[begin] - (end - begin);
  });
  std::int64_t sums[2] = {};
  for (std::size_t thread = 0; thread < strong.size(); ++thread) {
    sums[0] += strong[thread];
    sums[1] += all[thread];
  }
  context.communicator.sum(sums);
  options.family = 2 * sums[0] < sums[1] ? Family::aggregation : Family::classical;
  options.aggressive_levels = std::max(options.aggressive_levels, 1);
  return options;
}

}  // namespace taihu::amg
