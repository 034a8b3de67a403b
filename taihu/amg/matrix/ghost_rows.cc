// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "taihu/amg/matrix/loose_rows.h"
#include "taihu/parallel/bytes.h"

namespace taihu::amg {
namespace {

// The rows that others asked for travel as three lists: lengths of the rows, global columns, values.
struct Received {
  std::vector<parallel::Bytes> lengths, columns, values;
};

Received send_rows(parallel::Communicator& communicator, const RowsView& rows, const Halo& halo,
                   LocalIndex owned, const std::vector<GlobalIndex>& ghosts, GlobalIndex first_column) {
  std::vector<parallel::Bytes> lengths(communicator.size()), columns(communicator.size()),
      values(communicator.size());
  for (const Halo::Part& part : halo.sends()) {
    std::vector<Offset> length;
    std::vector<GlobalIndex> column;
    std::vector<double> value;
    for (LocalIndex i = part.begin; i < part.begin + part.count; ++i) {
      const LocalIndex row = halo.send_rows()[i];
      length.push_back(rows.end[row] - rows.begin[row]);
      for (Offset k = rows.begin[row]; k < rows.end[row]; ++k) {
        const LocalIndex j = rows.column[k];
        column.push_back(j < owned ? first_column + j : ghosts[j - owned]);
        value.push_back(rows.value[k]);
      }
    }
    lengths[part.peer] = parallel::to_bytes(length);
    columns[part.peer] = parallel::to_bytes(column);
    values[part.peer] = parallel::to_bytes(value);
  }
  return {communicator.all_to_all(lengths), communicator.all_to_all(columns),
          communicator.all_to_all(values)};
}

// Own ghosts and the columns of received rows that are not own ones, ascending.
std::vector<GlobalIndex> all_ghosts(const std::vector<GlobalIndex>& ghosts, const Received& received,
                                    GlobalIndex first, GlobalIndex last) {
  std::vector<GlobalIndex> all = ghosts;
  for (const auto& bytes : received.columns)
    for (const GlobalIndex column : parallel::from_bytes<GlobalIndex>(bytes))
      if (column < first || column >= last) all.push_back(column);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

LooseRows with_ghost_rows(const Context& context, const RowsView& rows, LocalIndex own, LocalIndex owned,
                          const std::vector<GlobalIndex>& ghosts, const Distribution& columns,
                          const Halo& halo) {
  parallel::Communicator& communicator = context.communicator;
  const GlobalIndex first = columns.begin(communicator.rank()), last = columns.end(communicator.rank());
  const Received received = send_rows(communicator, rows, halo, owned, ghosts, first);
  LooseRows result;
  result.owned_columns = owned;
  result.ghosts = all_ghosts(ghosts, received, first, last);
  const auto local = [&](GlobalIndex column) {
    if (column >= first && column < last) return static_cast<LocalIndex>(column - first);
    const auto at = std::lower_bound(result.ghosts.begin(), result.ghosts.end(), column);
    return owned + static_cast<LocalIndex>(at - result.ghosts.begin());
  };
  std::vector<LocalIndex> new_ghost;
  for (const GlobalIndex ghost : ghosts) new_ghost.push_back(local(ghost));

  Offset entries = 0;
  for (LocalIndex i = 0; i < own; ++i) entries += rows.end[i] - rows.begin[i];
  for (const auto& bytes : received.values) entries += static_cast<Offset>(bytes.size() / sizeof(double));
  result.begin = Array<Offset>(context.storage, own + halo.ghosts());
  result.end = Array<Offset>(context.storage, own + halo.ghosts());
  result.column = Array<LocalIndex>(context.storage, entries);
  result.value = Array<double>(context.storage, entries);
  Offset at = 0;
  for (LocalIndex i = 0; i < own; ++i) {
    result.begin[i] = at;
    for (Offset k = rows.begin[i]; k < rows.end[i]; ++k, ++at) {
      const LocalIndex j = rows.column[k];
      result.column[at] = j < owned ? j : new_ghost[j - owned];
      result.value[at] = rows.value[k];
    }
    result.end[i] = at;
  }
  LocalIndex row = own;
  for (int peer = 0; peer < communicator.size(); ++peer) {
    const auto length = parallel::from_bytes<Offset>(received.lengths[peer]);
    const auto column = parallel::from_bytes<GlobalIndex>(received.columns[peer]);
    const auto value = parallel::from_bytes<double>(received.values[peer]);
    std::size_t from = 0;
    for (const Offset count : length) {
      result.begin[row] = at;
      for (Offset k = 0; k < count; ++k, ++at, ++from) {
        result.column[at] = local(column[from]);
        result.value[at] = value[from];
      }
      result.end[row++] = at;
    }
  }
  return result;
}

}  // namespace taihu::amg
