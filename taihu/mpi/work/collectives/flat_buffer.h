// SPDX-License-Identifier: Apache-2.0
// Buffers of the program as bytes in a row, which is what the collective layer moves: the buffer itself where
// its type has no gaps, else a packed copy.
#pragma once

#include <cstddef>
#include <memory>

#include "taihu/mpi/work/collectives/arguments.h"

namespace taihu::mpi::collectives {

class FlatBuffer {
 public:
  explicit FlatBuffer(const Piece& buffer) : buffer_(buffer), bytes_(buffer.bytes()), data_(buffer.data()) {
    if (buffer.is_contiguous()) return;
    copy_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
    data_ = copy_.get();
  }

  std::size_t bytes() const noexcept { return bytes_; }
  std::byte* data() const noexcept { return data_; }
  /// From the program's buffer to `data`.
  void pack() const {
    if (copy_) types::pack(*buffer_.type, buffer_.count, data_, buffer_.address);
  }
  void unpack() const {
    if (copy_) types::unpack(*buffer_.type, buffer_.count, buffer_.address, data_);
  }

 private:
  Piece buffer_;
  std::size_t bytes_;
  std::byte* data_;
  std::unique_ptr<std::byte[]> copy_;
};

class FlatBlocks {
 public:
  FlatBlocks(const Blocks& blocks, int members);
  FlatBlocks(const FlatBlocks&) = delete;
  FlatBlocks& operator=(const FlatBlocks&) = delete;

  std::byte* data() const noexcept { return data_; }
  std::byte* block(int member) const noexcept {
    return blocks_.are_equal() ? data_ + static_cast<std::size_t>(member) * block_bytes_
                               : data_ + offsets_[member];
  }
  /// Of one block, if they are equal.
  std::size_t block_bytes() const noexcept { return block_bytes_; }
  /// One entry for each member, if they are not.
  const std::size_t* lengths() const noexcept { return lengths_; }
  const std::ptrdiff_t* offsets() const noexcept { return offsets_; }

  void pack(int member) const;
  void pack() const;
  void unpack(int member) const;
  void unpack() const;

 private:
  void make_tables();

  static constexpr int usual_members = 32;

  const Blocks& blocks_;
  const int members_;
  std::size_t block_bytes_ = 0;
  std::byte* data_ = nullptr;
  std::unique_ptr<std::byte[]> copy_;
  // Tables of few members are in here.
  std::size_t* lengths_ = nullptr;
  std::ptrdiff_t* offsets_ = nullptr;
  std::size_t few_lengths_[usual_members];
  std::ptrdiff_t few_offsets_[usual_members];
  std::unique_ptr<std::size_t[]> many_lengths_;
  std::unique_ptr<std::ptrdiff_t[]> many_offsets_;
};

}  // namespace taihu::mpi::collectives
