// SPDX-License-Identifier: Apache-2.0
// Left times middle times right on one rank without holding middle times right: its rows are made when a row
// of the result first needs them and dropped after the last one that does. Where rows that are near in the
// matrix are near in its graph, few are held at a time. What is computed, and in which order, is the same as
// by two products, so results are the same bits as those of several ranks.
#include <algorithm>
#include <atomic>
#include <memory>

#include "taihu/amg/matrix/product_sums.h"

namespace taihu::amg {
namespace {

struct Factors {
  const Csr<double>&left, &middle;
  RowsView right;
};

// An entry of such a row.
struct Entry {
  double value;
  LocalIndex column;
};

/// The rows of middle times right that the rows begin .. end of left need.
class InnerRows {
 public:
  InnerRows(const Context& context, const Factors& factors, LocalIndex begin, LocalIndex end)
      : context_(&context), factors_(&factors), sums_(context.storage, factors.right.columns) {
    const Csr<double>& left = factors.left;
    const LocalIndex* column = left.column.data();
    first_ = factors.middle.rows;
    for (Offset k = left.starts[begin]; k < left.starts[end]; ++k) {
      first_ = std::min(first_, column[k]);
      end_ = std::max(end_, column[k] + 1);
    }
    if (end_ == 0) return;
    row_ = Array<Row>(context.storage, static_cast<std::size_t>(end_ - first_));
    std::fill(row_.begin(), row_.end(), Row{nullptr, -1});
    for (LocalIndex i = begin; i < end; ++i)
      for (Offset k = left.starts[i]; k < left.starts[i + 1]; ++k) row_[column[k] - first_].count = i;
  }

  struct Row {
    Entry* entry;      // null: not made yet
    LocalIndex count;  // of entries; before the row is made: the last row of the result that needs it
  };

  /// Row i, made where it is not there. Rows that no row of the result from `current` on needs may go.
  const Row& make(LocalIndex i, LocalIndex current) {
    if (row_[i - first_].entry == nullptr) make_row(i, current);
    return row_[i - first_];
  }

  /// The same; also makes its neighbours in memory: rows made one here and one there each wait for memory.
  const Row& make_with_neighbours(LocalIndex i, LocalIndex current) {
    if (row_[i - first_].entry == nullptr) {
      constexpr LocalIndex block = 64;
      const LocalIndex from = std::max(i / block * block, first_),
                       to = std::min(i / block * block + block, end_);
      for (LocalIndex row = from; row < to; ++row)
        if (row_[row - first_].entry == nullptr && row_[row - first_].count >= current)
          make_row(row, current);
    }
    return row_[i - first_];
  }

  /// A row that was made.
  const Row& operator[](LocalIndex i) const { return row_[i - first_]; }
  void prefetch(LocalIndex i) const { __builtin_prefetch(&row_[i - first_]); }

 private:
  static constexpr std::size_t segment_entries = 16384;

  struct Segment {
    Array<Entry> entry;
    LocalIndex last_use = -1;
  };

  void make_row(LocalIndex i, LocalIndex current) {
    const Csr<double>& middle = factors_->middle;
    const RowsView& right = factors_->right;
    std::size_t most = 0;
    for (Offset k = middle.starts[i]; k < middle.starts[i + 1]; ++k)
      most += static_cast<std::size_t>(right.end[middle.column[k]] - right.begin[middle.column[k]]);
    if (segments_.empty() || used_ + most > segments_[segment_].entry.size()) next_segment(most, current);
    if (columns_.size() <= most) columns_.resize(most + 1);
    const LocalIndex count = add_products(middle, i, right, sums_, columns_.data());
    Segment& segment = segments_[segment_];
    Row& row = row_[i - first_];
    segment.last_use = std::max(segment.last_use, row.count);
    row = {segment.entry.data() + used_, count};
    for (LocalIndex k = 0; k < count; ++k) row.entry[k] = {sums_[columns_[k]], columns_[k]};
    used_ += static_cast<std::size_t>(count);
  }

  void next_segment(std::size_t entries, LocalIndex current) {
    used_ = 0;
    for (segment_ = 0; segment_ < segments_.size(); ++segment_) {
      Segment& segment = segments_[segment_];
      if (segment.last_use >= current || segment.entry.size() < entries) continue;
      segment.last_use = -1;
      return;
    }
    Segment& segment = segments_.emplace_back();
    segment.entry = Array<Entry>(context_->storage, std::max(entries, segment_entries));
  }

  const Context* context_;
  const Factors* factors_;
  ProductSums sums_;
  LocalIndex first_, end_ = 0;  // rows
  Array<Row> row_;
  std::vector<Segment> segments_;
  std::size_t segment_ = 0;  // that is being filled
  std::size_t used_ = 0;     // of it
  std::vector<LocalIndex> columns_;
};

/// The part of the result that one thread makes.
class Part {
 public:
  Part(const Context& context, const Factors& factors, LocalIndex begin, LocalIndex end)
      : factors_(factors),
        begin_(begin),
        end_(end),
        inner_(context, factors, begin, end),
        sums_(context.storage, factors.right.columns) {}

  /// Room that the entries probably need: what a sample of the rows needs and some more.
  Offset estimated_room() {
    constexpr LocalIndex samples = 400, widest = 101;
    const LocalIndex stride = std::clamp((end_ - begin_) / samples, 1, widest);
    Offset longest = 0, entries = 0, sampled = 0;
    std::vector<LocalIndex> column;
    for (LocalIndex i = begin_; i < end_; i += stride, ++sampled) {
      Offset most = 1;
      for (Offset k = factors_.left.starts[i]; k < factors_.left.starts[i + 1]; ++k)
        most += inner_.make(factors_.left.column[k], begin_).count;
      longest = std::max(longest, most);
      column.resize(std::max(column.size(), static_cast<std::size_t>(most)));
      entries += add_row(i, column.data());
    }
    const double mean = static_cast<double>(entries) / static_cast<double>(std::max<Offset>(sampled, 1));
    return static_cast<Offset>(1.1 * mean * (end_ - begin_)) + 2 * longest;
  }

  /// Makes the rows in the room first .. last of the result's entries; false when that did not do.
  bool run(Offset first, Offset last, LooseRows& result) {
    if (begin_ == end_) return true;
    Offset at = first, most = make_inner(begin_, begin_);
    for (LocalIndex i = begin_; i < end_; ++i) {
      // The rows that the next one needs come to the cache meanwhile.
      const Offset most_next = i + 1 < end_ ? make_inner(i + 1, i) : 0;
      if (at + most > last) return false;
      LocalIndex* column = result.column.data() + at;
      double* value = result.value.data() + at;
      const LocalIndex count = add_row(i, column);
      std::sort(column, column + count);
      for (LocalIndex k = 0; k < count; ++k) value[k] = sums_[column[k]];
      result.begin[i] = at;
      result.end[i] = at += count;
      most = most_next;
    }
    return true;
  }

 private:
  // Makes what row i needs; returns the most entries that it can have, and one.
  Offset make_inner(LocalIndex i, LocalIndex current) {
    constexpr Offset ahead = 32;  // entries of left
    const Csr<double>& left = factors_.left;
    const Offset entries = left.starts[end_];
    Offset most = 1;
    for (Offset k = left.starts[i]; k < left.starts[i + 1]; ++k) {
      inner_.prefetch(left.column[std::min(k + ahead, entries - 1)]);
      const InnerRows::Row& row = inner_.make_with_neighbours(left.column[k], current);
      __builtin_prefetch(row.entry);
      __builtin_prefetch(row.entry + 4);
      __builtin_prefetch(row.entry + 8);
      most += row.count;
    }
    return most;
  }

  LocalIndex add_row(LocalIndex i, LocalIndex* column) {
    const Csr<double>& left = factors_.left;
    sums_.begin_row();
    LocalIndex length = 0;
    for (Offset k = left.starts[i]; k < left.starts[i + 1]; ++k) {
      const InnerRows::Row& row = inner_[left.column[k]];
      const Entry* entry = row.entry;
      length = sums_.add(
          left.value[k], 0, row.count, [=](Offset m) { return entry[m].column; },
          [=](Offset m) { return entry[m].value; }, column, length);
    }
    return length;
  }

  const Factors& factors_;
  LocalIndex begin_, end_;
  InnerRows inner_;
  ProductSums sums_;
};

}  // namespace

LooseRows triple_rows(const Context& context, const Csr<double>& left, const Csr<double>& middle,
                      const RowsView& right) {
  const Factors factors{left, middle, right};
  const int parts = context.team.size();
  LooseRows result;
  result.ordered = true;
  result.partition = left.partition;
  result.begin = Array<Offset>(context.storage, part_ends(result.partition));
  result.end = Array<Offset>(context.storage, part_ends(result.partition));
  std::vector<std::unique_ptr<Part>> part(parts);
  std::vector<Offset> room(parts);
  for (bool done = false; !done;) {
    const auto prepare = [&](LocalIndex begin, LocalIndex end, int thread) {
      part[thread] = std::make_unique<Part>(context, factors, begin, end);
      room[thread] = std::max(2 * room[thread], part[thread]->estimated_room());
    };
    context.team.run(result.partition, prepare);
    std::vector<std::size_t> ends(parts);
    for (int thread = 0; thread < parts; ++thread)
      ends[thread] = (thread == 0 ? 0 : ends[thread - 1]) + static_cast<std::size_t>(room[thread]);
    result.column = Array<LocalIndex>(context.storage, ends);
    result.value = Array<double>(context.storage, ends);
    std::atomic<bool> all{true};
    context.team.run(result.partition, [&](LocalIndex, LocalIndex, int thread) {
      const auto last = static_cast<Offset>(ends[thread]);
      if (!part[thread]->run(last - room[thread], last, result)) all.store(false, std::memory_order_relaxed);
      part[thread].reset();
    });
    done = all;
  }
  return result;
}

}  // namespace taihu::amg
