// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/setup/build.h"

#include <cmath>
#include <optional>

#include "taihu/amg/matrix/multiply.h"
#include "taihu/amg/matrix/transpose.h"
#include "taihu/amg/setup/classical_prolongation.h"
#include "taihu/amg/setup/smoothed_prolongation.h"
#include "taihu/parallel/bytes.h"

namespace taihu::amg {

namespace {

DistributedMatrix aggregation_prolongation(const Context& context, DistributedMatrix& matrix,
                                           const HierarchyOptions& options, int depth) {
  const StrengthGraph graph = [&] {
    const Timed timed(context.profile, "set-up: strength");
    return symmetric_strength(context, matrix, options.strength * std::pow(options.strength_decay, depth));
  }();
  const Aggregates aggregates = [&] {
    const Timed timed(context.profile, "set-up: aggregation");
    return aggregate(context, matrix, graph, depth > 0 ? options.coarse_free_share : options.free_share);
  }();
  const Timed timed(context.profile, "set-up: prolongation");
  return smoothed_prolongation(context, matrix, graph, aggregates, options.omega);
}

DistributedMatrix classical_prolongation(const Context& context, DistributedMatrix& given,
                                         const HierarchyOptions& options, int depth) {
  DistributedMatrix padded;
  DistributedMatrix* matrix = &given;
  std::optional<CompleteRows> rows;
  {
    const Timed timed(context.profile, "set-up: strength");
    rows.emplace(context, *matrix, options.strength);
    if (!rows->symmetric_pattern()) {
      padded = with_symmetric_pattern(context, *matrix);
      matrix = &padded;
      rows.emplace(context, *matrix, options.strength);
    }
  }
  const bool aggressive = depth < options.aggressive_levels;
  const Array<PointState> points = [&] {
    const Timed timed(context.profile, "set-up: coarse points");
    return aggressive ? aggressive_coarse_points(context, *matrix, *rows)
                      : coarse_points(context, *rows, matrix->row_distribution, options.coarsening);
  }();
  const Timed timed(context.profile, "set-up: prolongation");
  return aggressive ? multipass_prolongation(context, *matrix, *rows, points, options)
                    : extended_prolongation(context, *matrix, *rows, points, options);
}

}  // namespace

Transfer make_transfer(const Context& context, DistributedMatrix& matrix, const HierarchyOptions& options,
                       int depth) {
  Transfer transfer;
  transfer.prolongation = options.family == Family::classical
                              ? classical_prolongation(context, matrix, options, depth)
                              : aggregation_prolongation(context, matrix, options, depth);
  const Timed timed(context.profile, "set-up: restriction");
  transfer.restriction = transpose(context, transfer.prolongation);
  return transfer;
}

DistributedMatrix coarse_matrix(const Context& context, const DistributedMatrix& matrix,
                                const Transfer& transfer) {
  const Timed timed(context.profile, "set-up: coarse matrix");
  return triple_product(context, transfer.restriction, matrix, transfer.prolongation);
}

DistributedMatrix replicate(const Context& context, const Context& solo, const DistributedMatrix& matrix) {
  std::vector<Offset> length;
  std::vector<GlobalIndex> column;
  std::vector<double> value;
  const Csr<double>& local = matrix.local;
  for (LocalIndex i = 0; i < local.rows; ++i) {
    length.push_back(local.starts[i + 1] - local.starts[i]);
    for (Offset k = local.starts[i]; k < local.starts[i + 1]; ++k) {
      column.push_back(matrix.global_column(local.column[k]));
      value.push_back(local.value[k]);
    }
  }
  const auto lengths = context.communicator.all_gather(parallel::to_bytes(length));
  const auto columns = context.communicator.all_gather(parallel::to_bytes(column));
  const auto values = context.communicator.all_gather(parallel::to_bytes(value));
  std::vector<Offset> starts{0};
  for (const auto& bytes : lengths)
    for (const Offset count : parallel::from_bytes<Offset>(bytes)) starts.push_back(starts.back() + count);
  GlobalRows rows;
  rows.starts = Array<Offset>(solo.storage, starts.size());
  std::copy(starts.begin(), starts.end(), rows.starts.begin());
  rows.column = Array<GlobalIndex>(solo.storage, starts.back());
  rows.value = Array<double>(solo.storage, starts.back());
  Offset at = 0;
  for (std::size_t rank = 0; rank < columns.size(); ++rank) {
    const auto part = parallel::from_bytes<GlobalIndex>(columns[rank]);
    const auto part_values = parallel::from_bytes<double>(values[rank]);
    std::copy(part.begin(), part.end(), rows.column.begin() + at);
    std::copy(part_values.begin(), part_values.end(), rows.value.begin() + at);
    at += static_cast<Offset>(part.size());
  }
  const Distribution all({matrix.rows()});
  return distribute(solo, all, all, std::move(rows));
}

}  // namespace taihu::amg
