// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in slices of eight rows, as the solve phase uses it (SELL-8).
// A slice has groups of eight values, one for each row. The columns of a group are eight indices to gather
// from or, where they are consecutive, only the first of them: then the group is one vector load without
// index traffic. Groups are made along diagonals (equal column minus row) where that is possible without much
// padding, else the k-th entries of the rows form group k; so stencils and real grids with holes run almost
// without gathers. The order of the entries of a row is kept, so sums are the same bits as row by row.
// Columns: own ones as in the CSR matrix, ghosts from padded(owned) on.
#pragma once

#include "taihu/amg/matrix/csr.h"
#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

/// Rows in a slice.
inline constexpr LocalIndex slice_rows = 8;

/// Length of a vector's own part with the rows of the last slice filled up.
inline constexpr LocalIndex padded(LocalIndex rows) {
  return (rows + slice_rows - 1) / slice_rows * slice_rows;
}

/// What a kernel reads; groups of slice s: start[s] .. start[s + 1].
template <class Stored>
struct SlicedView {
  const std::int32_t* start;
  const std::int32_t*
      base;             ///< per group: first column, or ~g for the indices gather[8 g] .. gather[8 g + 7]
  const Stored* value;  ///< eight per group
  const std::int32_t* gather;
};

template <class Stored>
struct Sliced {
  LocalIndex rows = 0;
  LocalIndex columns = 0;      ///< length of the vectors it multiplies: padded own ones and ghosts
  LocalIndex ghost_begin = 0;  ///< first ghost in such a vector
  LocalIndex ghosts = 0;
  Offset entries = 0;  ///< of the CSR matrix
  Partition partition;
  Array<std::int32_t> start;
  Array<std::int32_t> base;
  Array<Stored> value;
  Array<std::int32_t> gather;

  SlicedView<Stored> view() const { return {start.data(), base.data(), value.data(), gather.data()}; }
  /// Bytes that one pass over the matrix reads.
  std::size_t bytes() const { return start.bytes() + base.bytes() + value.bytes() + gather.bytes(); }
};

/// Converts the rows of this rank. Throws Error when a value does not fit into Stored or there are more than
/// 2^31 groups.
template <class Stored>
Sliced<Stored> make_sliced(const Context& context, const DistributedMatrix& matrix);

/// Gives a matrix that dropped its entries those of its sliced form, without the ones that are zero.
template <class Stored>
void restore_rows(const Context& context, const Sliced<Stored>& sliced, DistributedMatrix& matrix);

/// Whether all values of the rank are the same in single precision.
bool exact_in_float(const parallel::Team& team, const Csr<double>& matrix);

}  // namespace taihu::amg
