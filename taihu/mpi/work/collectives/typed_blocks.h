// SPDX-License-Identifier: Apache-2.0
// Buffers of the program as a schedule sees them when it moves data: a row of bytes, in which the blocks of
// the members lie one behind the other, wherever they are in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "taihu/collective/program_memory.h"
#include "taihu/mpi/types/typed_layout.h"
#include "taihu/mpi/work/collectives/arguments.h"
#include "taihu/schedule/blocks.h"
#include "taihu/schedule/step.h"

namespace taihu::mpi::collectives {

/// Where the blocks begin in the row.
schedule::Blocks starts_of(const Blocks& blocks, int members);
std::vector<schedule::Range> ranges_of(const Blocks& blocks, int members);

/// Keeps the types alive that it needs. A range of it is within one block, or begins and ends with blocks; a
/// block with gaps is moved as a whole.
class ByteRow {
 public:
  ByteRow() = default;
  explicit ByteRow(const Piece& buffer) { add(buffer); }
  ByteRow(const Blocks& blocks, int members);

  std::size_t bytes() const noexcept { return bytes_; }
  /// Whether it may be cut anywhere.
  bool is_divisible() const noexcept { return others_.empty() && !first_.layout; }
  /// Within one block.
  message::Space space(std::size_t offset, std::size_t count) const noexcept;
  /// Bytes from `offset` to the end of its block.
  std::size_t left_in_block(std::size_t offset) const noexcept;

 private:
  /// A block that is not empty.
  struct Entry {
    std::size_t start = 0;
    std::byte* address = nullptr;
    std::unique_ptr<TypedLayout> layout{};  ///< null: bytes one behind the other
  };

  /// The entry that a byte is in, and where that ends.
  struct Found {
    const Entry& entry;
    std::size_t end;
  };

  void add(const Piece& block);
  Found find(std::size_t offset) const noexcept;

  Entry first_{};
  std::vector<Entry> others_;  ///< most rows have none
  std::size_t bytes_ = 0;
};

class TypedBlocks final : public collective::ProgramMemory {
 public:
  /// `source_is_in_result`: the source is the place in the result where a program copies it first
  /// (MPI_IN_PLACE).
  TypedBlocks(ByteRow&& source, ByteRow&& result, std::size_t scratch_bytes, bool source_is_in_result = false)
      : source_(std::move(source)),
        result_(std::move(result)),
        scratch_(scratch_bytes != 0 ? std::make_unique_for_overwrite<std::byte[]>(scratch_bytes) : nullptr),
        source_is_in_result_(source_is_in_result) {}

  message::Space space(schedule::Buffer buffer, std::size_t offset, std::size_t count) noexcept override;
  collective::Trouble run_local(const schedule::Step& step) override;

 private:
  std::size_t left_in_block(schedule::Buffer buffer, std::size_t offset) const noexcept;

  ByteRow source_, result_;
  std::unique_ptr<std::byte[]> scratch_;
  bool source_is_in_result_;
};

}  // namespace taihu::mpi::collectives
