// SPDX-License-Identifier: Apache-2.0
// Moves the data of one rank between memory and file, without the help of others. Holes of the file are never
// written: what somebody else writes there at the same time must stay. Reading may fetch small holes together
// with the data around them, which costs less than many system calls.
// Source of reading through holes ("data sieving"): R. Thakur, W. Gropp, E. Lusk: Data Sieving and Collective
// I/O in ROMIO, Frontiers 1999.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "taihu/mpi/work/files/pattern.h"
#include "taihu/mpi/work/files/shared_file.h"

namespace taihu::mpi::files {

enum class Direction { read, write };

/// Intermediate memory that is kept from access to access. Used by one access at a time.
class Staging {
 public:
  std::byte* bytes(std::size_t wanted) {
    if (size_ < wanted) {
      memory_.reset();
      memory_ = std::make_unique_for_overwrite<std::byte[]>(wanted);
      size_ = wanted;
    }
    return memory_.get();
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_ = 0;
};

/// Copies the next `bytes` bytes of the stream of `memory`, to or from `block`.
void gather(Cursor& memory, std::byte* block, std::int64_t bytes) noexcept;
void scatter(Cursor& memory, const std::byte* block, std::int64_t bytes) noexcept;

/// Moves the bytes [first, first + bytes) of the stream of `view` from or to the start of the stream of
/// `memory`. Returns how many there were; less than `bytes` only when reading at the end of the file. Both
/// throw the errno value of a failure.
std::int64_t read_pieces(SharedFile& file, const Pattern& view, std::int64_t first, const Pattern& memory,
                         std::int64_t bytes, Staging& staging);
std::int64_t write_pieces(SharedFile& file, const Pattern& view, std::int64_t first, const Pattern& memory,
                          std::int64_t bytes, Staging& staging);

}  // namespace taihu::mpi::files
