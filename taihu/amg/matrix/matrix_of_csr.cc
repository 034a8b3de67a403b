// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/matrix/matrix_of_csr.h"

#include <atomic>
#include <limits>

#include "taihu/base/error.h"

namespace taihu::amg {
namespace {

template <class Index>
void check_starts(GlobalIndex rows, const Index* starts) {
  check_input(rows >= 0, "the number of rows is negative (" + std::to_string(rows) + ")");
  check_input(rows < std::numeric_limits<LocalIndex>::max() - row_block,
              "one process takes fewer than 2^31 rows; distribute " + std::to_string(rows) +
                  " rows over the ranks of MPI");
  check_input(starts[0] == 0, "the row starts begin with " + std::to_string(starts[0]) +
                                  ", not with 0; rows and columns count from 0");
  for (GlobalIndex i = 0; i < rows; ++i)
    if (starts[i + 1] < starts[i])
      throw Error("row " + std::to_string(i) + " (from 0) starts at " + std::to_string(starts[i]) +
                  " and ends before, at " + std::to_string(starts[i + 1]));
}

// Whether the columns of each row ascend.
template <class Index>
bool check_columns(const Context& context, const Partition& partition, const Index* starts,
                   const Index* columns) {
  constexpr LocalIndex none = std::numeric_limits<LocalIndex>::max();
  const LocalIndex rows = partition.rows();
  std::vector<LocalIndex> outside(context.team.size(), none);
  std::atomic<bool> ascending{true};
  context.team.run(partition, [&](LocalIndex begin, LocalIndex end, int thread) {
    bool in_order = true;
    for (LocalIndex i = begin; i < end; ++i)
      for (Index k = starts[i]; k < starts[i + 1]; ++k) {
        if (columns[k] < 0 || columns[k] >= rows) outside[thread] = std::min(outside[thread], i);
        in_order &= k == starts[i] || columns[k - 1] < columns[k];
      }
    if (!in_order) ascending.store(false, std::memory_order_relaxed);
  });
  const LocalIndex first = *std::min_element(outside.begin(), outside.end());
  if (first == none) return ascending;
  Index k = starts[first];
  while (columns[k] >= 0 && columns[k] < rows) ++k;
  throw Error("row " + std::to_string(first) + " (from 0) has an entry in column " +
              std::to_string(columns[k]) + ", outside of the matrix of " + std::to_string(rows) + " columns");
}

template <class Index>
DistributedMatrix copied(const Context& context, const Distribution& all, const Partition& partition,
                         Array<Offset> starts, const Index* columns, const double* values) {
  GlobalRows rows;
  rows.starts = std::move(starts);
  rows.column = Array<GlobalIndex>(context.storage, part_ends(partition, rows.starts));
  rows.value = Array<double>(context.storage, part_ends(partition, rows.starts));
  context.team.run(partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (Offset k = rows.starts[begin]; k < rows.starts[end]; ++k) {
      rows.column[k] = columns[k];
      rows.value[k] = values[k];
    }
  });
  return distribute(context, all, all, std::move(rows));
}

template <class Index>
DistributedMatrix make(const Context& context, GlobalIndex rows, const Index* starts, const Index* columns,
                       const double* values) {
  check_input(starts != nullptr, "the row starts are missing");
  check_starts(rows, starts);
  check_input(starts[rows] == 0 || (columns != nullptr && values != nullptr),
              "the columns or the values are missing");
  Array<Offset> copy(context.storage, static_cast<std::size_t>(rows) + 1);
  std::copy(starts, starts + rows + 1, copy.begin());
  const Partition partition = Partition::by_work(copy, context.team.size());
  const bool ascending = check_columns(context, partition, starts, columns);
  const Distribution all({rows});
  if constexpr (sizeof(Index) == sizeof(LocalIndex)) {
    if (ascending) {
      DistributedMatrix matrix;
      matrix.row_distribution = matrix.column_distribution = all;
      Csr<double>& local = matrix.local;
      local.rows = local.columns = static_cast<LocalIndex>(rows);
      local.partition = partition;
      local.starts = std::move(copy);
      const auto entries = static_cast<std::size_t>(local.entries());
      // Nobody writes to the arrays of a matrix that is set up for.
      local.column = Array<LocalIndex>::borrow(const_cast<LocalIndex*>(columns), entries);
      local.value = Array<double>::borrow(const_cast<double*>(values), entries);
      return matrix;
    }
  }
  return copied(context, all, partition, std::move(copy), columns, values);
}

}  // namespace

DistributedMatrix matrix_of_csr(const Context& context, GlobalIndex rows, const std::int32_t* starts,
                                const std::int32_t* columns, const double* values) {
  return make(context, rows, starts, columns, values);
}

DistributedMatrix matrix_of_csr(const Context& context, GlobalIndex rows, const std::int64_t* starts,
                                const std::int64_t* columns, const double* values) {
  return make(context, rows, starts, columns, values);
}

}  // namespace taihu::amg
