// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/setup/interpolation_rows.h"

#include <algorithm>
#include <cmath>

#include "taihu/amg/setup/coarse_numbering.h"

namespace taihu::amg {
namespace {

// Global numbers of the coarse points by column of the rows; -1 for fine ones.
struct CoarseNumbers {
  Distribution distribution;
  Array<GlobalIndex> of_column;
};

CoarseNumbers coarse_numbers(const Context& context, CompleteRows& rows, const Array<PointState>& state) {
  std::vector<GlobalIndex> before(context.team.size() + 1);
  context.team.run(rows.partition(), [&](LocalIndex begin, LocalIndex end, int thread) {
    GlobalIndex count = 0;
    for (LocalIndex i = begin; i < end; ++i) count += state[i] == coarse_point;
    before[thread + 1] = count;
  });
  for (std::size_t part = 1; part < before.size(); ++part) before[part] += before[part - 1];
  const CoarseNumbering numbering = number_coarse_rows(context.communicator, before.back());
  CoarseNumbers result;
  result.distribution = numbering.distribution;
  result.of_column = Array<GlobalIndex>(context.storage, rows.column_parts());
  context.team.run(rows.partition(), [&](LocalIndex begin, LocalIndex end, int thread) {
    GlobalIndex number = numbering.first + before[thread];
    for (LocalIndex i = begin; i < end; ++i) result.of_column[i] = state[i] == coarse_point ? number++ : -1;
  });
  rows.exchange(context, result.of_column);
  return result;
}

}  // namespace

void InterpolationRow::truncate(double least, int most) {
  const auto size = static_cast<LocalIndex>(column.size());
  double largest = 0, sum = 0, kept_sum = 0;
  for (const double w : weight) {
    largest = std::max(largest, std::abs(w));
    sum += w;
  }
  if ((most == 0 || size <= most) && least == 0) return;
  order_.clear();
  for (LocalIndex n = 0; n < size; ++n)
    if (std::abs(weight[n]) >= least * largest) order_.push_back(n);
  if (most > 0 && order_.size() > static_cast<std::size_t>(most)) {
    std::stable_sort(order_.begin(), order_.end(),
                     [&](LocalIndex a, LocalIndex b) { return std::abs(weight[a]) > std::abs(weight[b]); });
    order_.resize(most);
    std::sort(order_.begin(), order_.end());
  }
  for (std::size_t n = 0; n < order_.size(); ++n) {
    column[n] = column[order_[n]];
    weight[n] = weight[order_[n]];
    kept_sum += weight[n];
  }
  column.resize(order_.size());
  weight.resize(order_.size());
  if (kept_sum != 0 && std::isfinite(sum / kept_sum))
    for (double& w : weight) w *= sum / kept_sum;
}

InterpolationRows::InterpolationRows(const Context& context, const Partition& partition,
                                     const std::vector<std::size_t>& room)
    : ends_(room.size()) {
  std::vector<std::size_t> ends;
  for (std::size_t part = 0; part < room.size(); ++part) {
    const std::size_t before = ends.empty() ? 0 : ends.back();
    ends_[part].at = static_cast<Offset>(before);
    ends.push_back(before + room[part]);
  }
  rows_.partition = partition;
  rows_.begin = Array<Offset>(context.storage, part_ends(partition));
  rows_.end = Array<Offset>(context.storage, part_ends(partition));
  rows_.column = Array<LocalIndex>(context.storage, ends);
  rows_.value = Array<double>(context.storage, ends);
}

void InterpolationRows::put(int thread, LocalIndex i, const InterpolationRow& row) {
  Offset& at = ends_[thread].at;
  rows_.begin[i] = at;
  std::copy(row.column.begin(), row.column.end(), rows_.column.data() + at);
  std::copy(row.weight.begin(), row.weight.end(), rows_.value.data() + at);
  rows_.end[i] = at += static_cast<Offset>(row.column.size());
}

DistributedMatrix InterpolationRows::finish(const Context& context, const DistributedMatrix& matrix,
                                            CompleteRows& rows, const Array<PointState>& state) {
  const CoarseNumbers numbers = coarse_numbers(context, rows, state);
  const int rank = context.communicator.rank();
  const GlobalIndex first = numbers.distribution.begin(rank), last = numbers.distribution.end(rank);
  const auto own = [&](GlobalIndex number) { return number >= first && number < last; };
  std::vector<GlobalIndex>& ghosts = rows_.ghosts;
  rows_.owned_columns = static_cast<LocalIndex>(last - first);
  if (context.communicator.size() > 1) {
    for (LocalIndex i = 0; i < rows.own(); ++i)
      for (Offset k = rows_.begin[i]; k < rows_.end[i]; ++k)
        if (!own(numbers.of_column[rows_.column[k]])) ghosts.push_back(numbers.of_column[rows_.column[k]]);
    std::sort(ghosts.begin(), ghosts.end());
    ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  }
  const auto local = [&](LocalIndex column) {
    const GlobalIndex number = numbers.of_column[column];
    if (own(number)) return static_cast<LocalIndex>(number - first);
    const auto at = std::lower_bound(ghosts.begin(), ghosts.end(), number);
    return rows_.owned_columns + static_cast<LocalIndex>(at - ghosts.begin());
  };
  context.team.run(rows_.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (Offset k = rows_.begin[begin]; k < rows_.end[end - 1]; ++k) rows_.column[k] = local(rows_.column[k]);
  });
  return pack(context, std::move(rows_), matrix.row_distribution, numbers.distribution);
}

}  // namespace taihu::amg
