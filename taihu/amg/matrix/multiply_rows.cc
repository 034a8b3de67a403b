// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "taihu/amg/matrix/product_sums.h"

namespace taihu::amg {
namespace {

// Work of each row of the product, an upper bound of its entries, as starts.
Array<Offset> row_work(const Context& context, const Csr<double>& left, const RowsView& right) {
  Array<Offset> work(context.storage, part_ends(left.partition, 1, 1));
  context.team.run(left.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) {
      Offset count = 0;
      for (Offset k = left.starts[i]; k < left.starts[i + 1]; ++k)
        count += right.end[left.column[k]] - right.begin[left.column[k]];
      work[i + 1] = count;
    }
  });
  work[0] = 0;
  for (LocalIndex i = 0; i < left.rows; ++i) work[i + 1] += work[i];
  return work;
}

// Adds up one row of the product and writes it to column/value; returns the number of entries. One element
// behind the row is written.
LocalIndex multiply_row(const Csr<double>& left, LocalIndex row, const RowsView& right, ProductSums& sums,
                        LocalIndex* column, double* value) {
  const LocalIndex length = add_products(left, row, right, sums, column);
  for (LocalIndex k = 0; k < length; ++k) value[k] = sums[column[k]];
  return length;
}

// The rows begin .. end to one part's room, which starts and ends at these positions of the result.
struct PartRoom {
  Offset first, last;
};

// False when the room did not do.
bool multiply_part(const Csr<double>& left, LocalIndex begin, LocalIndex end, const RowsView& right,
                   const Array<Offset>& work, ProductSums& sums, const PartRoom& room, LooseRows& result) {
  Offset at = room.first;
  for (LocalIndex i = begin; i < end; ++i) {
    if (at + work[i + 1] - work[i] > room.last) return false;
    result.begin[i] = at;
    at += multiply_row(left, i, right, sums, result.column.data() + at, result.value.data() + at);
    result.end[i] = at;
  }
  return true;
}

// Room that the entries of a part probably need: what a sample of its rows needs and some more, at most its
// work.
Offset estimated_room(const Csr<double>& left, LocalIndex begin, LocalIndex end, const RowsView& right,
                      const Array<Offset>& work, ProductSums& sums) {
  constexpr LocalIndex stride = 37, least_rows = 10'000;
  const Offset most = work[end] - work[begin];
  if (end - begin < least_rows) return most;
  Offset longest = 0, entries = 0, sampled = 0;
  for (LocalIndex i = begin; i < end; ++i) longest = std::max(longest, work[i + 1] - work[i]);
  std::vector<LocalIndex> column(longest + 1);
  std::vector<double> value(longest + 1);
  for (LocalIndex i = begin; i < end; i += stride, ++sampled)
    entries += multiply_row(left, i, right, sums, column.data(), value.data());
  const double mean = static_cast<double>(entries) / static_cast<double>(sampled);
  return std::min(most, static_cast<Offset>(1.1 * mean * (end - begin)) + longest + 1);
}

}  // namespace

LooseRows multiply_rows(const Context& context, const Csr<double>& left, const RowsView& right) {
  const int parts = context.team.size();
  const Array<Offset> work = row_work(context, left, right);
  LooseRows result;
  result.partition = Partition::by_work(work, parts);
  result.begin = Array<Offset>(context.storage, part_ends(result.partition));
  result.end = Array<Offset>(context.storage, part_ends(result.partition));
  std::vector<ProductSums> sums(parts);
  std::vector<Offset> room(parts);
  context.team.run(result.partition, [&](LocalIndex begin, LocalIndex end, int thread) {
    sums[thread] = ProductSums(context.storage, right.columns);
    room[thread] = estimated_room(left, begin, end, right, work, sums[thread]);
  });
  for (bool done = false; !done;) {
    std::vector<std::size_t> ends(parts);
    std::partial_sum(room.begin(), room.end(), ends.begin());
    result.column = Array<LocalIndex>(context.storage, ends);
    result.value = Array<double>(context.storage, ends);
    context.team.run(result.partition, [&](LocalIndex begin, LocalIndex end, int thread) {
      const auto last = static_cast<Offset>(ends[thread]);
      if (!multiply_part(left, begin, end, right, work, sums[thread], {last - room[thread], last}, result))
        room[thread] = -1;
    });
    done = true;
    for (int part = 0; part < parts; ++part) {
      if (room[part] >= 0) continue;
      room[part] = work[result.partition.end(part)] - work[result.partition.begin(part)];
      done = false;
    }
  }
  return result;
}

}  // namespace taihu::amg
