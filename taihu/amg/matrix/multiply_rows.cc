// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "taihu/amg/matrix/loose_rows.h"

namespace taihu::amg {
namespace {

// Room for each row of the product: an upper bound of its entries; starts of the rows in the loose arrays.
Array<Offset> row_room(const Context& context, const Csr<double>& left, const RowsView& right) {
  Array<Offset> room(context.storage, part_ends(left.partition, 1, 1));
  context.team.run(left.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) {
      Offset count = 0;
      for (Offset k = left.starts[i]; k < left.starts[i + 1]; ++k)
        count += right.end[left.column[k]] - right.begin[left.column[k]];
      room[i + 1] = count;
    }
  });
  room[0] = 0;
  for (LocalIndex i = 0; i < left.rows; ++i) room[i + 1] += room[i];
  return room;
}

// Adds up one row of the product at column/value, which hold no entry yet; returns the number of entries.
// place[j] is where column j would be: it is there if place[j] is below the length and names column j.
LocalIndex multiply_row(const Csr<double>& left, LocalIndex row, const RowsView& right, LocalIndex* place,
                        LocalIndex* column, double* value) {
  LocalIndex length = 0;
  for (Offset k = left.starts[row]; k < left.starts[row + 1]; ++k) {
    const double factor = left.value[k];
    const Offset last = right.end[left.column[k]];
    for (Offset m = right.begin[left.column[k]]; m < last; ++m) {
      const LocalIndex j = right.column[m];
      const LocalIndex at = place[j];
      if (at < length && column[at] == j) {
        value[at] += factor * right.value[m];
      } else {
        place[j] = length;
        column[length] = j;
        value[length++] = factor * right.value[m];
      }
    }
  }
  return length;
}

}  // namespace

LooseRows multiply_rows(const Context& context, const Csr<double>& left, const RowsView& right) {
  const int parts = context.team.size();
  const Array<Offset> room = row_room(context, left, right);
  const Partition partition = Partition::by_work(room, parts);
  LooseRows result;
  result.partition = partition;
  result.begin = Array<Offset>(context.storage, part_ends(partition));
  result.end = Array<Offset>(context.storage, part_ends(partition));
  result.column = Array<LocalIndex>(context.storage, part_ends(partition, room));
  result.value = Array<double>(context.storage, part_ends(partition, room));
  context.team.run(partition, [&](LocalIndex begin, LocalIndex end, int) {
    Array<LocalIndex> place(context.storage, right.columns);
    std::fill(place.begin(), place.end(), 0);
    Offset at = room[begin];
    for (LocalIndex i = begin; i < end; ++i) {
      result.begin[i] = at;
      at += multiply_row(left, i, right, place.data(), result.column.data() + at, result.value.data() + at);
      result.end[i] = at;
    }
  });
  return result;
}

}  // namespace taihu::amg
