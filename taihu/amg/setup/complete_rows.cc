// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/setup/complete_rows.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "taihu/amg/matrix/transpose.h"

namespace taihu::amg {
namespace {

// Rows with a sum beyond this share of their diagonal need no coarse grid: the smoother alone reduces their
// errors.
constexpr double dominant = 0.9;

RowsView view_of(const Csr<double>& matrix) {
  return {matrix.starts.data(), matrix.starts.data() + 1, matrix.column.data(), matrix.value.data(),
          matrix.columns};
}

}  // namespace

CompleteRows::CompleteRows(const Context& context, const DistributedMatrix& matrix, double threshold)
    : own_(matrix.local.rows), first_(matrix.first_row), partition_(matrix.local.partition) {
  take_rows(context, matrix);
  mark_dependencies(context, threshold);
  mark_influences(context);
}

void CompleteRows::take_rows(const Context& context, const DistributedMatrix& matrix) {
  rows_ = view_of(matrix.local);
  ghosts_ = matrix.ghosts;
  halo_ = matrix.halo;
  if (context.communicator.size() > 1) {
    copies_ =
        with_ghost_rows(context, rows_, own_, own_, matrix.ghosts, matrix.row_distribution, matrix.halo);
    ghosts_ = copies_.ghosts;
    rows_ = {copies_.begin.data(), copies_.end.data(), copies_.column.data(), copies_.value.data(),
             own_ + static_cast<LocalIndex>(ghosts_.size())};
    halo_ = Halo(context.communicator, matrix.row_distribution, ghosts_);
  }
  const std::size_t copies = matrix.ghosts.size();
  column_of_row_ = Array<LocalIndex>(context.storage, part_ends(partition_, 1, copies));
  context.team.run(partition_, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) column_of_row_[i] = i;
  });
  row_of_ghost_.assign(ghosts_.size(), -1);
  for (std::size_t g = 0; g < copies; ++g) {
    const auto at = std::lower_bound(ghosts_.begin(), ghosts_.end(), matrix.ghosts[g]) - ghosts_.begin();
    column_of_row_[own_ + g] = own_ + static_cast<LocalIndex>(at);
    row_of_ghost_[at] = own_ + static_cast<LocalIndex>(g);
  }
}

// Runs body(row) for own rows on the threads of their parts, for copies on the caller.
template <class Body>
void CompleteRows::each_row(const Context& context, const Body& body) {
  context.team.run(partition_, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) body(i);
  });
  for (LocalIndex row = own_; row < rows(); ++row) body(row);
}

void CompleteRows::mark_dependencies(const Context& context, double threshold) {
  const Offset entries = rows() == 0 ? 0 : rows_.end[rows() - 1];
  depends_ = Array<unsigned char>(context.storage, static_cast<std::size_t>(entries));
  diagonal_ = Array<double>(context.storage, part_ends(partition_, 1, rows() - own_));
  each_row(context, [&](LocalIndex row) { mark_row(row, threshold); });
}

void CompleteRows::mark_row(LocalIndex row, double threshold) {
  const LocalIndex self = column_of_row_[row];
  double diagonal = 0, sum = 0, lowest = 0, highest = 0;
  for (Offset k = rows_.begin[row]; k < rows_.end[row]; ++k) {
    const double value = rows_.value[k];
    sum += value;
    if (rows_.column[k] == self) {
      diagonal = value;
    } else {
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
    }
  }
  diagonal_[row] = diagonal;
  const double sign = diagonal < 0 ? 1 : -1;
  const double largest = diagonal < 0 ? highest : -lowest;
  const bool any = largest > 0 && std::abs(sum) <= dominant * std::abs(diagonal);
  for (Offset k = rows_.begin[row]; k < rows_.end[row]; ++k)
    depends_[k] = any && rows_.column[k] != self && sign * rows_.value[k] > threshold * largest;
}

void CompleteRows::mark_influences(const Context& context) {
  const Offset entries = own_ == 0 ? 0 : rows_.end[own_ - 1];
  influences_ = Array<unsigned char>(context.storage, static_cast<std::size_t>(entries));
  const bool ascending = ghosts_.empty();
  std::atomic<bool> missing{false};
  context.team.run(partition_, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i)
      for (Offset k = rows_.begin[i]; k < rows_.end[i]; ++k) {
        const LocalIndex other = row_of_column(rows_.column[k]);
        const LocalIndex *first = rows_.column + rows_.begin[other], *last = rows_.column + rows_.end[other];
        const LocalIndex* at =
            ascending && last - first > 16 ? std::lower_bound(first, last, i) : std::find(first, last, i);
        const bool found = at != last && *at == i;
        influences_[k] = found ? depends_[at - rows_.column] : 0;
        if (!found) missing.store(true, std::memory_order_relaxed);
      }
  });
  double any = missing ? 1 : 0;
  context.communicator.maximum({&any, 1});
  symmetric_pattern_ = any == 0;
}

DistributedMatrix with_symmetric_pattern(const Context& context, const DistributedMatrix& matrix) {
  const DistributedMatrix turned = transpose(context, matrix);
  const Csr<double>&a = matrix.local, &t = turned.local;
  GlobalRows rows;
  rows.starts = Array<Offset>(context.storage, static_cast<std::size_t>(a.rows) + 1);
  rows.column = Array<GlobalIndex>(context.storage, static_cast<std::size_t>(a.entries() + t.entries()));
  rows.value = Array<double>(context.storage, static_cast<std::size_t>(a.entries() + t.entries()));
  Offset at = rows.starts[0] = 0;
  for (LocalIndex i = 0; i < a.rows; ++i) {
    for (Offset k = a.starts[i]; k < a.starts[i + 1]; ++k, ++at) {
      rows.column[at] = matrix.global_column(a.column[k]);
      rows.value[at] = a.value[k];
    }
    for (Offset k = t.starts[i]; k < t.starts[i + 1]; ++k, ++at) {
      rows.column[at] = turned.global_column(t.column[k]);
      rows.value[at] = 0;
    }
    rows.starts[i + 1] = at;
  }
  return distribute(context, matrix.row_distribution, matrix.column_distribution, std::move(rows));
}

}  // namespace taihu::amg
