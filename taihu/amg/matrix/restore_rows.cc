// SPDX-License-Identifier: Apache-2.0
// From slices back to rows. Padding has the value zero, so entries that are zero go with it.
#include "taihu/amg/matrix/sliced.h"
#include "taihu/base/contract.h"

namespace taihu::amg {
namespace {

// Calls entry(local column of the matrix, value) for the entries of a row.
template <class Stored, class Entry>
void each_entry(const Sliced<Stored>& sliced, LocalIndex owned, LocalIndex row, const Entry& entry) {
  const LocalIndex slice = row / slice_rows, lane = row % slice_rows;
  for (std::int32_t group = sliced.start[slice]; group < sliced.start[slice + 1]; ++group) {
    const Stored value = sliced.value[std::size_t{8} * group + lane];
    if (value == 0) continue;
    const std::int32_t base = sliced.base[group];
    const LocalIndex column = base >= 0 ? base + lane : sliced.gather[std::size_t{8} * ~base + lane];
    entry(column < owned ? column : column - sliced.ghost_begin + owned, static_cast<double>(value));
  }
}

}  // namespace

template <class Stored>
void restore_rows(const Context& context, const Sliced<Stored>& sliced, DistributedMatrix& matrix) {
  const LocalIndex owned = matrix.owned_columns(), rows = sliced.rows;
  Array<Offset> starts(context.storage, part_ends(sliced.partition, 1, 1));
  starts[0] = 0;
  context.team.run(sliced.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) {
      Offset count = 0;
      each_entry(sliced, owned, i, [&](LocalIndex, double) { ++count; });
      starts[i + 1] = count;
    }
  });
  for (LocalIndex i = 0; i < rows; ++i) starts[i + 1] += starts[i];
  Csr<double>& local = matrix.local;
  local.column = Array<LocalIndex>(context.storage, part_ends(sliced.partition, starts));
  local.value = Array<double>(context.storage, part_ends(sliced.partition, starts));
  context.team.run(sliced.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) {
      Offset k = starts[i];
      each_entry(sliced, owned, i, [&](LocalIndex column, double value) {
        local.column[k] = column;
        local.value[k++] = value;
      });
    }
  });
  local.starts = std::move(starts);
  if constexpr (contracts_checked) matrix.check_invariants(context.communicator.rank());
}

template void restore_rows<float>(const Context&, const Sliced<float>&, DistributedMatrix&);
template void restore_rows<double>(const Context&, const Sliced<double>&, DistributedMatrix&);

}  // namespace taihu::amg
