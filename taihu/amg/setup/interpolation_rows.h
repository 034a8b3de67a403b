// SPDX-License-Identifier: Apache-2.0
// Rows of a prolongation in the making: each thread appends the rows of its part, with columns of the fine
// level (the coarse points) in place of coarse rows.
#pragma once

#include "taihu/amg/setup/coarse_points.h"

namespace taihu::amg {

/// Weights of one row, from which the largest ones are kept.
struct InterpolationRow {
  std::vector<LocalIndex> column;
  std::vector<double> weight;

  void clear() {
    column.clear();
    weight.clear();
  }
  void add(LocalIndex c, double w) {
    column.push_back(c);
    weight.push_back(w);
  }
  /// Keeps the weights of at least `least` times the largest, of these the `most` largest (0: all), and
  /// scales them to the sum they had. Of equal weights the first ones stay.
  void truncate(double least, int most);

 private:
  std::vector<LocalIndex> order_;
};

/// The rows of all parts.
class InterpolationRows {
 public:
  /// Room for room[t] weights of the part of thread t; unused room takes no memory.
  InterpolationRows(const Context& context, const Partition& partition, const std::vector<std::size_t>& room);

  /// The next row of the part of this thread.
  void put(int thread, LocalIndex i, const InterpolationRow& row);

  /// The prolongation, whose columns are the coarse points; all rows have been put. Collective.
  DistributedMatrix finish(const Context& context, const DistributedMatrix& matrix, CompleteRows& rows,
                           const Array<PointState>& state);

 private:
  struct alignas(64) End {
    Offset at;  // behind the last weight of a part
  };
  std::vector<End> ends_;
  LooseRows rows_;
};

/// Room for the parts when rows keep at most `most` weights (0: any number) and row i has at most bound(i).
template <class Bound>
std::vector<std::size_t> interpolation_room(const Partition& partition, int most, const Bound& bound) {
  std::vector<std::size_t> room;
  for (int part = 0; part < partition.parts(); ++part) {
    std::size_t sum = 0;
    if (most > 0)
      sum = std::size_t(partition.end(part) - partition.begin(part)) * most;
    else
      for (LocalIndex i = partition.begin(part); i < partition.end(part); ++i) sum += bound(i);
    room.push_back(sum);
  }
  return room;
}

}  // namespace taihu::amg
