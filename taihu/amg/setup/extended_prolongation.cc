// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "taihu/amg/setup/classical_prolongation.h"
#include "taihu/amg/setup/interpolation_rows.h"

namespace taihu::amg {
namespace {

// Makes one row after the other; one per thread.
class ExtendedRow {
 public:
  ExtendedRow(const Context& context, const CompleteRows& rows, const Array<PointState>& state)
      : rows_(rows), view_(rows.view()), state_(state), place_(context.storage, rows.columns()) {
    std::fill(place_.begin(), place_.end(), Place{-1, 0});
  }

  // The weights of fine point i, none where it depends on no coarse point.
  void make(LocalIndex i, InterpolationRow& row) {
    row.clear();
    find_coarse_points(i, row);
    if (row.column.empty()) return;
    double diagonal = rows_.diagonal(i);
    for (Offset k = view_.begin[i]; k < view_.end[i]; ++k) {
      const LocalIndex j = view_.column[k];
      if (j == i) continue;
      if (place_[j].row == i)
        row.weight[place_[j].at] += view_.value[k];
      else if (!strong_fine(k))
        diagonal += view_.value[k];
      else
        distribute(i, rows_.row_of_column(j), view_.value[k], row, diagonal);
    }
    const double factor = -1 / diagonal;
    bool finite = std::isfinite(factor);
    for (double& weight : row.weight) finite &= std::isfinite(weight *= factor);
    if (!finite) row.clear();
  }

 private:
  struct Place {
    LocalIndex row, at;  // position of a column among the weights of `row`
  };

  bool strong_fine(Offset k) const { return rows_.depends(k) && state_[view_.column[k]] == fine_point; }

  void find_coarse_points(LocalIndex i, InterpolationRow& row) {
    const auto add = [&](Offset k) {
      const LocalIndex j = view_.column[k];
      if (!rows_.depends(k) || state_[j] != coarse_point || place_[j].row == i) return;
      place_[j] = {i, static_cast<LocalIndex>(row.column.size())};
      row.add(j, 0);
    };
    for (Offset k = view_.begin[i]; k < view_.end[i]; ++k) {
      add(k);
      if (!strong_fine(k)) continue;
      const LocalIndex other = rows_.row_of_column(view_.column[k]);
      for (Offset m = view_.begin[other]; m < view_.end[other]; ++m) add(m);
    }
  }

  // The entry `value` of row i to a strong fine neighbour, along the entries of the neighbour's row that lead
  // to weights of row i or back to i and have the sign opposite to its diagonal.
  void distribute(LocalIndex i, LocalIndex neighbour, double value, InterpolationRow& row, double& diagonal) {
    const bool negative = rows_.diagonal(neighbour) < 0;
    const auto used = [&](Offset m) {
      const LocalIndex j = view_.column[m];
      return (place_[j].row == i || j == i) && (view_.value[m] < 0) != negative && view_.value[m] != 0;
    };
    double sum = 0;
    for (Offset m = view_.begin[neighbour]; m < view_.end[neighbour]; ++m)
      if (used(m)) sum += view_.value[m];
    if (sum == 0) {
      diagonal += value;
      return;
    }
    const double factor = value / sum;
    for (Offset m = view_.begin[neighbour]; m < view_.end[neighbour]; ++m) {
      if (!used(m)) continue;
      const LocalIndex j = view_.column[m];
      (j == i ? diagonal : row.weight[place_[j].at]) += factor * view_.value[m];
    }
  }

  const CompleteRows& rows_;
  const RowsView& view_;
  const Array<PointState>& state_;
  Array<Place> place_;
};

}  // namespace

DistributedMatrix extended_prolongation(const Context& context, const DistributedMatrix& matrix,
                                        CompleteRows& rows, const Array<PointState>& state,
                                        const HierarchyOptions& options) {
  const RowsView& view = rows.view();
  // A row has at most the weights that its neighbours' rows have entries.
  const auto bound = [&](LocalIndex i) {
    Offset sum = 1;
    for (Offset k = view.begin[i]; k < view.end[i]; ++k) {
      const LocalIndex other = rows.row_of_column(view.column[k]);
      sum += view.end[other] - view.begin[other];
    }
    return static_cast<std::size_t>(sum);
  };
  InterpolationRows result(context, rows.partition(),
                           interpolation_room(rows.partition(), options.interpolation_entries, bound));
  context.team.run(rows.partition(), [&](LocalIndex begin, LocalIndex end, int thread) {
    ExtendedRow maker(context, rows, state);
    InterpolationRow row;
    for (LocalIndex i = begin; i < end; ++i) {
      if (state[i] == coarse_point) {
        row.clear();
        row.add(i, 1);
      } else {
        maker.make(i, row);
        row.truncate(options.truncation, options.interpolation_entries);
      }
      result.put(thread, i, row);
    }
  });
  return result.finish(context, matrix, rows, state);
}

}  // namespace taihu::amg
