// SPDX-License-Identifier: Apache-2.0
// alltoall by rows and columns. Bundle: the blocks of one member for all members of one column.
#include <algorithm>

#include "taihu/schedule/alltoall.h"
#include "taihu/schedule/exchange_rounds.h"

namespace taihu::schedule {

namespace {

class ByRows {
 public:
  ByRows(Place place, std::span<const int> order, int columns, std::size_t block_count, int window,
         Rounds rounds)
      : order_(order),
        n_(place.members),
        me_(place.me),
        columns_(std::min(columns, place.members)),
        rows_((n_ + columns_ - 1) / columns_),
        short_row_(n_ - (rows_ - 1) * columns_),
        block_(block_count),
        window_(window),
        rounds_(rounds) {
    const int position = static_cast<int>(std::find(order.begin(), order.end(), me_) - order.begin());
    row_ = position / columns_;
    column_ = position % columns_;
    held_ = in_row(row_) + (stands_in() ? short_row_ : 0);
    out_ = 0;
    bundles_ = out_ + index(n_);
    onwards_ = bundles_ + index(held_) * index(in_column(column_));
    in_ = onwards_ + index(held_) * index(in_column(column_));
    program_.scratch = (in_ + index(n_)) * block_;
  }

  Program make() {
    if (rounds_.has(0)) keep_own_bundle();
    const int along_row = (columns_ - 1 + window_ - 1) / window_;
    const int along_column = (rows_ - 1 + window_ - 1) / window_;
    for (int round = rounds_.first; round < std::min(rounds_.last, along_row); ++round)
      send_along_row(round, 1 + round * window_, std::min(columns_, 1 + (round + 1) * window_));
    for (int k = std::max(0, rounds_.first - along_row); k < std::min(rounds_.last - along_row, along_column);
         ++k)
      send_along_column(along_row + k, 1 + k * window_, std::min(rows_, 1 + (k + 1) * window_));
    if (rounds_.has(along_row + along_column)) unpack(along_row + along_column);
    return std::move(program_);
  }

 private:
  int in_row(int row) const { return row == rows_ - 1 ? short_row_ : columns_; }
  int in_column(int column) const { return column < short_row_ ? rows_ : rows_ - 1; }
  bool is_there(int row, int column) const { return column < in_row(row); }
  int member(int row, int column) const { return order_[index(row * columns_ + column)]; }
  /// Do I hold bundles of the last row, too?
  bool stands_in() const { return row_ == rows_ - 2 && column_ >= short_row_; }
  /// How many bundles the member of that row of my column holds.
  int held_by(int row) const {
    return in_row(row) + (row == rows_ - 2 && column_ >= short_row_ ? short_row_ : 0);
  }

  void copy(int round, Buffer to, std::size_t to_block, Buffer from, std::size_t from_block, int blocks = 1) {
    program_.copy(round, to, to_block * block_, from, from_block * block_, index(blocks) * block_);
  }
  std::size_t bundle(int number) const { return bundles_ + index(number) * index(in_column(column_)); }

  void keep_own_bundle() {
    for (int row = 0; row < in_column(column_); ++row)
      copy(0, Buffer::scratch, bundle(column_) + index(row), Buffer::source, index(member(row, column_)));
  }

  void send_along_row(int round, int first, int last) {
    std::size_t packed = out_;
    for (int step = first; step < last; ++step) {
      const int to = (column_ + step) % columns_;
      for (int row = 0; row < in_column(to); ++row)
        copy(round, Buffer::scratch, packed++, Buffer::source, index(member(row, to)));
    }
    packed = out_;
    for (int step = first; step < last; ++step) {
      const int to = (column_ + step) % columns_;
      const int from = (column_ + columns_ - step) % columns_;
      const std::size_t blocks = index(in_column(to));
      const int holder = is_there(row_, to) ? member(row_, to) : member(row_ - 1, to);
      program_.send(round, holder, Buffer::scratch, packed * block_, blocks * block_);
      packed += blocks;
      receive_bundle(round, row_, from, from);
      if (stands_in()) receive_bundle(round, rows_ - 1, from, columns_ + from);
    }
  }
  void receive_bundle(int round, int row, int column, int number) {
    if (!is_there(row, column)) return;
    program_.receive(round, member(row, column), Buffer::scratch, bundle(number) * block_,
                     index(in_column(column_)) * block_);
  }

  void send_along_column(int round, int first, int last) {
    std::size_t packed = onwards_;
    for (int step = first; step < last; ++step) {
      const int to = (row_ + step) % rows_;
      if (!is_there(to, column_)) continue;
      for (int number = 0; number < held_; ++number)
        copy(round, Buffer::scratch, packed++, Buffer::scratch, bundle(number) + index(to));
    }
    packed = onwards_;
    for (int step = first; step < last; ++step) {
      const int to = (row_ + step) % rows_;
      const int from = (row_ + rows_ - step) % rows_;
      if (is_there(to, column_)) {
        program_.send(round, member(to, column_), Buffer::scratch, packed * block_, index(held_) * block_);
        packed += index(held_);
      }
      if (is_there(from, column_))
        program_.receive(round, member(from, column_), Buffer::scratch, (in_ + before(from)) * block_,
                         index(held_by(from)) * block_);
    }
  }
  /// Blocks that rows before this one send me.
  std::size_t before(int row) const {
    std::size_t blocks = 0;
    for (int other = 0; other < row; ++other)
      if (other != row_ && is_there(other, column_)) blocks += index(held_by(other));
    return blocks;
  }

  void unpack(int round) {
    std::size_t from = in_;
    for (int row = 0; row < rows_; ++row) {
      if (!is_there(row, column_)) continue;
      for (int number = 0; number < held_by(row); ++number) {
        const int source = number < columns_ && number < in_row(row)
                               ? member(row, number)
                               : member(rows_ - 1, number - in_row(row));
        if (row == row_)
          copy(round, Buffer::result, index(source), Buffer::scratch, bundle(number) + index(row_));
        else
          copy(round, Buffer::result, index(source), Buffer::scratch, from++);
      }
    }
  }

  std::span<const int> order_;
  const int n_;
  const int me_;
  const int columns_;
  const int rows_;
  const int short_row_;  ///< members of the last row
  const std::size_t block_;
  const int window_;
  const Rounds rounds_;
  int row_ = 0;
  int column_ = 0;
  int held_ = 0;
  std::size_t out_ = 0, bundles_ = 0, onwards_ = 0, in_ = 0;  ///< areas of the scratch, in blocks
  Program program_;
};

}  // namespace

Program alltoall_by_rows(Place place, std::span<const int> order, int columns, std::size_t block_count,
                         int window, Rounds rounds) {
  expect(place.has(place.me) && order.size() == index(place.members), "the order is that of the members");
  expect(columns >= 1 && window >= 1, "there are columns, and a message may be under way");
  return ByRows(place, order, columns, block_count, window, rounds).make();
}

}  // namespace taihu::schedule
