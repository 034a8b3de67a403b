// SPDX-License-Identifier: Apache-2.0
// Each pass but the first is a product: rows that have weights keep them, rows that now get weights combine
// those of the neighbours that have some, P := L P. So a point's weights may come from points that the rank
// does not see.
#include <cmath>

#include "taihu/amg/matrix/multiply.h"
#include "taihu/amg/setup/classical_prolongation.h"
#include "taihu/amg/setup/interpolation_rows.h"

namespace taihu::amg {
namespace {

constexpr LocalIndex no_pass = -1;

class Passes {
 public:
  Passes(const Context& context, const DistributedMatrix& matrix, CompleteRows& rows,
         const Array<PointState>& state)
      : context_(context), matrix_(matrix), rows_(rows), pass_(context.storage, rows.column_parts()) {
    context.team.run(rows.partition(), [&](LocalIndex begin, LocalIndex end, int) {
      for (LocalIndex i = begin; i < end; ++i) pass_[i] = state[i] == coarse_point ? 0 : no_pass;
    });
    rows.exchange(context, pass_);
  }

  // Gives pass `number` to rows that have none and depend on a row of an earlier one; false when there are
  // none.
  bool assign(LocalIndex number) {
    earlier_ = number;
    std::vector<std::vector<LocalIndex>> found(context_.team.size());
    context_.team.run(rows_.partition(), [&](LocalIndex begin, LocalIndex end, int thread) {
      for (LocalIndex i = begin; i < end; ++i)
        if (pass_[i] == no_pass && used_entries(i) > 0) found[thread].push_back(i);
    });
    std::int64_t count = 0;
    for (const auto& list : found) {
      count += static_cast<std::int64_t>(list.size());
      for (const LocalIndex i : list) pass_[i] = number;
    }
    context_.communicator.sum({&count, 1});
    return count > 0;
  }

  // L of the pass that was assigned last.
  DistributedMatrix combination() const {
    const Csr<double>& local = matrix_.local;
    DistributedMatrix result;
    result.row_distribution = matrix_.row_distribution;
    result.column_distribution = matrix_.column_distribution;
    result.first_row = matrix_.first_row;
    result.first_column = matrix_.first_column;
    result.ghosts = matrix_.ghosts;
    result.halo = matrix_.halo;
    Array<Offset> starts(context_.storage, part_ends(local.partition, 1, 1));
    starts[0] = 0;
    context_.team.run(local.partition, [&](LocalIndex begin, LocalIndex end, int) {
      for (LocalIndex i = begin; i < end; ++i)
        starts[i + 1] = pass_[i] == no_pass ? 0 : pass_[i] < earlier_ ? 1 : used_entries(i);
    });
    for (LocalIndex i = 0; i < local.rows; ++i) starts[i + 1] += starts[i];
    result.local = csr_with_starts<double>(context_.storage, context_.team.size(), local.rows, local.columns,
                                           std::move(starts));
    context_.team.run(result.local.partition, [&](LocalIndex begin, LocalIndex end, int) {
      for (LocalIndex i = begin; i < end; ++i)
        if (pass_[i] != no_pass) write_row(i, result.local);
    });
    return result;
  }

  // The prolongation after the first pass: coarse points, and fine points next to them.
  DistributedMatrix first(const Array<PointState>& state, const HierarchyOptions& options) {
    const RowsView& view = rows_.view();
    const auto bound = [&](LocalIndex i) { return static_cast<std::size_t>(view.end[i] - view.begin[i]); };
    InterpolationRows result(context_, rows_.partition(),
                             interpolation_room(rows_.partition(), options.interpolation_entries, bound));
    context_.team.run(rows_.partition(), [&](LocalIndex begin, LocalIndex end, int thread) {
      InterpolationRow row;
      for (LocalIndex i = begin; i < end; ++i) {
        row.clear();
        if (pass_[i] == 0) {
          row.add(i, 1);
        } else if (pass_[i] != no_pass) {
          const double times = factor(i);
          for (Offset k = view.begin[i]; k < view.end[i]; ++k)
            if (used(k)) row.add(view.column[k], times * view.value[k]);
          row.truncate(options.truncation, options.interpolation_entries);
        }
        result.put(thread, i, row);
      }
    });
    return result.finish(context_, matrix_, rows_, state);
  }

  void exchange() { rows_.exchange(context_, pass_); }

 private:
  // Whether entry k of a row without weights leads to one with weights.
  bool used(Offset k) const {
    const LocalIndex pass = pass_[rows_.view().column[k]];
    return rows_.depends(k) && pass != no_pass && pass < earlier_;
  }
  Offset used_entries(LocalIndex i) const {
    Offset count = 0;
    for (Offset k = rows_.view().begin[i]; k < rows_.view().end[i]; ++k) count += used(k);
    return count;
  }

  // Weights of the used entries are factor times these: -alpha / a_ii, where alpha stands for the entries
  // that are not used; entries with the sign of the diagonal count as part of it.
  double factor(LocalIndex i) const {
    const RowsView& view = rows_.view();
    double diagonal = rows_.diagonal(i), all = 0, taken = 0;
    for (Offset k = view.begin[i]; k < view.end[i]; ++k) {
      if (view.column[k] == i) continue;
      if ((view.value[k] < 0) == (rows_.diagonal(i) < 0))
        diagonal += view.value[k];
      else
        all += view.value[k];
      if (used(k)) taken += view.value[k];
    }
    const double result = -all / taken / diagonal;
    return std::isfinite(result) ? result : 0;
  }

  void write_row(LocalIndex i, Csr<double>& result) const {
    const RowsView& view = rows_.view();
    Offset out = result.starts[i];
    if (pass_[i] < earlier_) {
      result.column[out] = i;
      result.value[out] = 1;
      return;
    }
    const Offset shift = matrix_.local.starts[i] - view.begin[i];
    const double times = factor(i);
    for (Offset k = view.begin[i]; k < view.end[i]; ++k) {
      if (!used(k)) continue;
      result.column[out] = matrix_.local.column[k + shift];
      result.value[out++] = times * view.value[k];
    }
  }

  const Context& context_;
  const DistributedMatrix& matrix_;
  CompleteRows& rows_;
  Array<LocalIndex> pass_;  // 0: coarse points
  LocalIndex earlier_ = 1;
};

DistributedMatrix truncated(const Context& context, DistributedMatrix matrix,
                            const HierarchyOptions& options) {
  Csr<double>& local = matrix.local;
  LooseRows rows;
  rows.partition = local.partition;
  rows.owned_columns = matrix.owned_columns();
  rows.ghosts = matrix.ghosts;
  rows.begin = Array<Offset>(context.storage, part_ends(local.partition));
  rows.end = Array<Offset>(context.storage, part_ends(local.partition));
  context.team.run(local.partition, [&](LocalIndex begin, LocalIndex end, int) {
    InterpolationRow row;
    Offset at = local.starts[begin];
    for (LocalIndex i = begin; i < end; ++i) {
      rows.begin[i] = at;
      row.clear();
      for (Offset k = local.starts[i]; k < local.starts[i + 1]; ++k) row.add(local.column[k], local.value[k]);
      row.truncate(options.truncation, options.interpolation_entries);
      for (std::size_t n = 0; n < row.column.size(); ++n, ++at) {
        local.column[at] = row.column[n];
        local.value[at] = row.weight[n];
      }
      rows.end[i] = at;
    }
  });
  rows.column = std::move(local.column);
  rows.value = std::move(local.value);
  return pack(context, std::move(rows), matrix.row_distribution, matrix.column_distribution);
}

}  // namespace

DistributedMatrix multipass_prolongation(const Context& context, const DistributedMatrix& matrix,
                                         CompleteRows& rows, const Array<PointState>& state,
                                         const HierarchyOptions& options) {
  Passes passes(context, matrix, rows, state);
  passes.assign(1);
  DistributedMatrix result = passes.first(state, options);
  passes.exchange();
  for (LocalIndex pass = 2; passes.assign(pass); ++pass) {
    result = truncated(context, multiply(context, passes.combination(), result), options);
    passes.exchange();
  }
  return result;
}

}  // namespace taihu::amg
