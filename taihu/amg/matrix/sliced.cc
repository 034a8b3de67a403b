// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/matrix/sliced.h"

#include <atomic>
#include <cmath>
#include <limits>

#include "taihu/base/error.h"

namespace taihu::amg {
namespace {

constexpr Offset no_group = std::numeric_limits<Offset>::max();

// The eight rows of one slice, walked group by group.
class Slice {
 public:
  Slice(const DistributedMatrix& matrix, LocalIndex slice) : matrix_(matrix), owned_(matrix.owned_columns()) {
    first_row_ = slice * slice_rows;
    rows_ = std::min(slice_rows, matrix.local.rows - first_row_);
    for (LocalIndex lane = 0; lane < rows_; ++lane) {
      begin_[lane] = matrix.local.starts[first_row_ + lane];
      end_[lane] = matrix.local.starts[first_row_ + lane + 1];
      longest_ = std::max(longest_, end_[lane] - begin_[lane]);
    }
    by_diagonals_ = diagonals_fit();
  }

  // Calls group(entry) for each group; entry[lane] is a position in the CSR matrix or no_group.
  template <class Group>
  void groups(const Group& group) const {
    Offset entry[slice_rows];
    if (!by_diagonals_) {
      for (Offset k = 0; k < longest_; ++k) {
        for (LocalIndex lane = 0; lane < slice_rows; ++lane)
          entry[lane] = lane < rows_ && begin_[lane] + k < end_[lane] ? begin_[lane] + k : no_group;
        group(entry);
      }
    } else if (uniform_) {
      for (Offset k = 0; k < longest_; ++k) {
        for (LocalIndex lane = 0; lane < slice_rows; ++lane) entry[lane] = begin_[lane] + k;
        group(entry);
      }
    } else {
      merge([&](const Offset* e) {
        group(e);
        return true;
      });
    }
  }

  // Groups of which each is eight consecutive columns; -1: not known to be so.
  Offset consecutive_groups() const { return uniform_ ? longest_ : -1; }

 private:
  GlobalIndex diagonal(LocalIndex lane, Offset k) const {
    const LocalIndex column = matrix_.local.column[k];
    if (column < owned_) return GlobalIndex{column} - first_row_ - lane;
    return matrix_.ghosts[column - owned_] - matrix_.first_column - first_row_ - lane;
  }

  // Walks the diagonals of the slice in ascending order until group() returns false.
  template <class Group>
  bool merge(const Group& group) const {
    Offset at[slice_rows];
    GlobalIndex next[slice_rows];
    constexpr GlobalIndex done = std::numeric_limits<GlobalIndex>::max();
    const auto read = [&](LocalIndex lane) {
      next[lane] = at[lane] < end_[lane] ? diagonal(lane, at[lane]) : done;
    };
    for (LocalIndex lane = 0; lane < rows_; ++lane) {
      at[lane] = begin_[lane];
      read(lane);
    }
    for (;;) {
      GlobalIndex lowest = done;
      for (LocalIndex lane = 0; lane < rows_; ++lane) lowest = std::min(lowest, next[lane]);
      if (lowest == done) return true;
      Offset entry[slice_rows];
      for (LocalIndex lane = 0; lane < slice_rows; ++lane) {
        const bool present = lane < rows_ && next[lane] == lowest;
        entry[lane] = present ? at[lane] : no_group;
        if (present) {
          ++at[lane];
          read(lane);
        }
      }
      if (!group(entry)) return false;
    }
  }

  // Whether groups along diagonals need at most a quarter (and one) more groups than the longest row has
  // entries.
  bool diagonals_fit() {
    if (!(matrix_.row_distribution == matrix_.column_distribution))
      return false;  // rectangular: no diagonals
    uniform_ = rows_ == slice_rows;
    for (LocalIndex lane = 0; lane < rows_ && uniform_; ++lane)
      uniform_ = end_[lane] - begin_[lane] == longest_;
    const LocalIndex* column = matrix_.local.column.data();
    for (Offset k = 0; k < longest_ && uniform_; ++k) {
      const LocalIndex base = column[begin_[0] + k];
      for (LocalIndex lane = 0; lane < slice_rows; ++lane)
        uniform_ &= column[begin_[lane] + k] == base + lane;
      uniform_ &= base >= owned_ || base + slice_rows <= owned_;
    }
    if (uniform_) return true;
    Offset room = longest_ + longest_ / 4 + 1;
    return merge([&](const Offset*) { return --room >= 0; });
  }

  const DistributedMatrix& matrix_;
  LocalIndex owned_;
  LocalIndex first_row_ = 0, rows_ = 0;
  Offset begin_[slice_rows] = {}, end_[slice_rows] = {};
  Offset longest_ = 0;
  bool by_diagonals_ = false;
  bool uniform_ = false;  // each group is eight consecutive columns
};

// Turns the entries of a group into columns of padded vectors; true with the first column where they are
// consecutive.
class GroupColumns {
 public:
  explicit GroupColumns(const DistributedMatrix& matrix)
      : column_(matrix.local.column.data()),
        owned_(matrix.owned_columns()),
        shift_(padded(owned_) - owned_) {}

  bool find(const Offset* entry, std::int32_t* columns) const {
    bool consecutive = true;
    std::int32_t base = -1;
    for (LocalIndex lane = 0; lane < slice_rows; ++lane) {
      if (entry[lane] == no_group) continue;
      const LocalIndex column = column_[entry[lane]];
      columns[lane] = column < owned_ ? column : column + shift_;
      if (base < 0) base = columns[lane] - lane;
      consecutive &= base >= 0 && columns[lane] - lane == base;
    }
    if (consecutive) {
      columns[0] = base;
      return true;
    }
    std::int32_t any = 0;
    for (LocalIndex lane = 0; lane < slice_rows; ++lane)
      if (entry[lane] != no_group) any = columns[lane];
    for (LocalIndex lane = 0; lane < slice_rows; ++lane)
      if (entry[lane] == no_group) columns[lane] = any;
    return false;
  }

 private:
  const LocalIndex* column_;
  LocalIndex owned_, shift_;
};

// Counts of groups and of gathered groups per slice, then their prefix sums.
struct Shape {
  std::vector<std::size_t> group_end, gather_end;  // per part
  std::vector<Offset> gather_before;               // per part
  Offset groups = 0;
};

template <class Stored>
Shape measure(const Context& context, const DistributedMatrix& matrix, Sliced<Stored>& result) {
  const int parts = context.team.size();
  std::vector<Offset> groups(parts), gathered(parts);
  const GroupColumns group_columns(matrix);
  context.team.run(result.partition, [&](LocalIndex begin, LocalIndex end, int thread) {
    Offset count = 0, gathers = 0;
    for (LocalIndex s = begin / slice_rows; s * slice_rows < end; ++s) {
      const Slice slice(matrix, s);
      if (slice.consecutive_groups() >= 0) {
        count += slice.consecutive_groups();
      } else {
        slice.groups([&](const Offset* entry) {
          std::int32_t columns[slice_rows];
          ++count;
          gathers += !group_columns.find(entry, columns);
        });
      }
      result.start[s + 1] = static_cast<std::int32_t>(count);
    }
    groups[thread] = count;
    gathered[thread] = gathers;
  });
  Shape shape;
  Offset gathers = 0;
  std::vector<Offset> before;
  for (int part = 0; part < parts; ++part) {
    before.push_back(shape.groups);
    shape.gather_before.push_back(gathers);
    shape.groups += groups[part];
    gathers += gathered[part];
    shape.group_end.push_back(shape.groups);
    shape.gather_end.push_back(gathers);
  }
  check_input(shape.groups < std::numeric_limits<std::int32_t>::max() / 2,
              "one rank has too many matrix entries (more than 2^30 groups of eight); use more ranks");
  result.start[0] = 0;
  context.team.run(result.partition, [&](LocalIndex begin, LocalIndex end, int thread) {
    for (LocalIndex s = begin / slice_rows; s * slice_rows < end; ++s)
      result.start[s + 1] += static_cast<std::int32_t>(before[thread]);
  });
  return shape;
}

std::vector<std::size_t> times(std::vector<std::size_t> ends, std::size_t factor) {
  for (std::size_t& end : ends) end *= factor;
  return ends;
}

}  // namespace

template <class Stored>
Sliced<Stored> make_sliced(const Context& context, const DistributedMatrix& matrix) {
  Sliced<Stored> result;
  result.rows = matrix.local.rows;
  result.ghost_begin = padded(matrix.owned_columns());
  result.ghosts = static_cast<LocalIndex>(matrix.ghosts.size());
  result.columns = result.ghost_begin + result.ghosts;
  result.entries = matrix.local.entries();
  result.partition = matrix.local.partition;
  std::vector<std::size_t> slice_end;
  for (int part = 0; part < result.partition.parts(); ++part)
    slice_end.push_back(padded(result.partition.end(part)) / slice_rows);
  slice_end.back() += 1;
  result.start = Array<std::int32_t>(context.storage, slice_end, Use::cycles);
  const Shape shape = measure(context, matrix, result);
  result.base = Array<std::int32_t>(context.storage, shape.group_end, Use::cycles);
  result.value = Array<Stored>(context.storage, times(shape.group_end, slice_rows), Use::cycles);
  result.gather = Array<std::int32_t>(context.storage, times(shape.gather_end, slice_rows), Use::cycles);
  const GroupColumns group_columns(matrix);
  std::atomic<bool> overflow{false};
  context.team.run(result.partition, [&](LocalIndex begin, LocalIndex end, int thread) {
    auto gathers = static_cast<std::int32_t>(shape.gather_before[thread]);
    bool fits = true;
    for (LocalIndex s = begin / slice_rows; s * slice_rows < end; ++s) {
      std::int32_t group = result.start[s];
      const Slice slice(matrix, s);
      slice.groups([&](const Offset* entry) {
        std::int32_t columns[slice_rows];
        Stored* value = result.value.data() + std::size_t{8} * group;
        for (LocalIndex lane = 0; lane < slice_rows; ++lane) {
          const double exact = entry[lane] == no_group ? 0 : matrix.local.value[entry[lane]];
          fits &= std::abs(exact) <= static_cast<double>(std::numeric_limits<Stored>::max());
          value[lane] = static_cast<Stored>(exact);
        }
        if (group_columns.find(entry, columns)) {
          result.base[group] = columns[0];
        } else {
          result.base[group] = ~gathers;
          std::copy(columns, columns + slice_rows, result.gather.data() + std::size_t{8} * gathers);
          ++gathers;
        }
        ++group;
      });
    }
    if (!fits) overflow.store(true, std::memory_order_relaxed);
  });
  check_input(!overflow, "a matrix value is too large for the chosen precision");
  return result;
}

template Sliced<float> make_sliced<float>(const Context&, const DistributedMatrix&);
template Sliced<double> make_sliced<double>(const Context&, const DistributedMatrix&);

bool exact_in_float(const parallel::Team& team, const Csr<double>& matrix) {
  std::atomic<bool> exact{true};
  team.run(matrix.partition, [&](LocalIndex begin, LocalIndex end, int) {
    bool same = true;
    for (Offset k = matrix.starts[begin]; k < matrix.starts[end] && same; ++k)
      same = static_cast<double>(static_cast<float>(matrix.value[k])) == matrix.value[k];
    if (!same) exact.store(false, std::memory_order_relaxed);
  });
  return exact;
}

}  // namespace taihu::amg
