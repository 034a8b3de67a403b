// SPDX-License-Identifier: Apache-2.0
// Where a stream of data bytes lies: in a file as its view says, or in memory as a datatype says. Both are
// one list of runs, repeated again and again; positions are bytes of the file, or addresses. A cursor walks
// along the stream piece by piece, each piece contiguous.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "taihu/mpi/types/datatype.h"

namespace taihu::mpi::files {

/// `bytes` > 0 of data at `offset` from the start of a tile; `before` data bytes of the tile precede them.
struct DataRun {
  std::int64_t offset, bytes, before;
};

/// Tile t lies at origin + t * extent and holds the data bytes [t * size, (t + 1) * size).
/// Invariants: size is the sum of the runs' bytes; a pattern without holes is a single tile of endless size.
struct Pattern {
  static constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max() / 2;

  std::int64_t origin = 0;
  std::int64_t size = 0;
  std::int64_t extent = 0;
  std::vector<DataRun> runs;
  /// Positions grow along the stream, so that the data in a range of positions are a range of the stream.
  bool ascending = false;

  /// The whole of a contiguous file or block of memory.
  static Pattern contiguous(std::int64_t origin);
  /// Elements of `type` in a row, the first at `origin`.
  static Pattern of(const Datatype& type, std::int64_t origin);
  /// From runs of one tile (only offset and bytes are read; neighbours are merged).
  static Pattern of(std::vector<DataRun> runs, std::int64_t extent, std::int64_t origin);

  bool is_contiguous() const noexcept { return size == endless; }
  /// Mean length of a contiguous piece.
  std::int64_t mean_run() const noexcept {
    return runs.empty() ? 0 : size / static_cast<std::int64_t>(runs.size());
  }
  /// Data bytes up to the last one below `position`: where the stream goes on behind an end of file there.
  std::int64_t data_below(std::int64_t position) const noexcept;
};

/// A place in a pattern's stream; the pattern must have data (size > 0) and outlive it.
class Cursor {
 public:
  /// At data byte `data`.
  Cursor(const Pattern& pattern, std::int64_t data) noexcept : pattern_(&pattern) { go_to(data); }

  /// Of the next data byte.
  std::int64_t position() const noexcept { return tile_ + run_->offset + within_; }
  /// Number of the next data byte in the stream.
  std::int64_t data() const noexcept { return tile_data_ + run_->before + within_; }
  /// Contiguous data bytes from here; always more than 0.
  std::int64_t available() const noexcept { return run_->bytes - within_; }
  /// `bytes` <= available().
  void advance(std::int64_t bytes) noexcept {
    within_ += bytes;
    if (within_ == run_->bytes) next_run();
  }
  void go_to(std::int64_t data) noexcept;

 private:
  void next_run() noexcept {
    within_ = 0;
    if (++run_ != pattern_->runs.data() + pattern_->runs.size()) return;
    run_ = pattern_->runs.data();
    tile_ += pattern_->extent;
    tile_data_ += pattern_->size;
  }

  const Pattern* pattern_;
  const DataRun* run_ = nullptr;
  std::int64_t tile_ = 0;       // position of the tile
  std::int64_t tile_data_ = 0;  // data bytes before the tile
  std::int64_t within_ = 0;     // data bytes of the run before the place
};

}  // namespace taihu::mpi::files
