// SPDX-License-Identifier: Apache-2.0
// The memory side of an access: where the data are, in the representation of the file. With external32 they
// are converted on the way, in a buffer of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "taihu/mpi/work/files/access.h"

namespace taihu::mpi::files {

class RequestData {
 public:
  /// No data.
  RequestData() = default;
  /// Checks the arguments. For writing, the data are converted here.
  RequestData(Rank& rank, const File& file, const Access& access);

  std::int64_t bytes() const noexcept { return bytes_; }    ///< in the file
  std::int64_t etypes() const noexcept { return etypes_; }  ///< of the view
  const Pattern& memory() const noexcept { return memory_; }

  /// After `moved` bytes of the file were read or written: puts them into the program's buffer if that is
  /// still to be done. Returns how many bytes they are in memory.
  std::int64_t finish(std::int64_t moved);

 private:
  std::int64_t unpack(std::int64_t moved);

  const Datatype* type_ = nullptr;
  Direction direction_ = Direction::read;
  std::byte* base_ = nullptr;
  MPI_Count count_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t etypes_ = 0;
  Pattern memory_;
  std::unique_ptr<std::byte[]> converted_;
};

}  // namespace taihu::mpi::files
