// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/input/triplets.h"

namespace taihu::amg {

std::string size_fault(const MatrixSize& size, int ranks) {
  // Every row of a regular matrix has an entry; the margin is for small files that are refused later with a
  // better message. Without this a few bytes could ask for all memory.
  constexpr GlobalIndex margin = 1 << 20;
  if (std::max(size.rows, size.columns) > margin + 2 * size.entries)
    return "a matrix of " + std::to_string(size.rows) + " x " + std::to_string(size.columns) + " with only " +
           std::to_string(size.entries) + " entries has rows without any; it is singular";
  const auto all = Distribution::even(std::max(size.rows, size.columns), ranks);
  return all.most_rows() > most_local_rows ? too_many_rows : "";
}

OwnRows own_rows(const Context& context, GlobalIndex rows) {
  const int rank = context.communicator.rank();
  const Distribution distribution = Distribution::even(rows, context.communicator.size());
  return {distribution.begin(rank), distribution.end(rank)};
}

DistributedMatrix matrix_of_entries(const Context& context, const MatrixSize& size,
                                    const std::vector<Entry>& entries) {
  const int ranks = context.communicator.size();
  const OwnRows own = own_rows(context, size.rows);
  const auto count = static_cast<std::size_t>(own.last - own.first);
  GlobalRows rows;
  rows.starts = Array<Offset>(context.storage, count + 1);
  std::fill(rows.starts.begin(), rows.starts.end(), 0);
  for (const Entry& entry : entries) ++rows.starts[entry.row - own.first + 1];
  for (std::size_t i = 0; i < count; ++i) rows.starts[i + 1] += rows.starts[i];
  rows.column = Array<GlobalIndex>(context.storage, entries.size());
  rows.value = Array<double>(context.storage, entries.size());
  std::vector<Offset> at(rows.starts.begin(), rows.starts.end());
  for (const Entry& entry : entries) {
    const Offset place = at[entry.row - own.first]++;
    rows.column[place] = entry.column;
    rows.value[place] = entry.value;
  }
  return distribute(context, Distribution::even(size.rows, ranks), Distribution::even(size.columns, ranks),
                    std::move(rows));
}

}  // namespace taihu::amg
