// SPDX-License-Identifier: Apache-2.0
// Arrays of counts and displacements as programs pass them: of int, or of MPI_Count and MPI_Aint, which are
// the same here.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include "taihu/abi/mpi.h"

namespace taihu::mpi {

static_assert(std::is_same_v<MPI_Count, MPI_Aint>, "one of them would need a form of its own");

/// Looks at an array of the program; of which kind it is, is asked with each element.
class Integers {
 public:
  Integers() noexcept = default;
  Integers(std::nullptr_t) noexcept {}  // NOLINT: stands where a pointer would
  /// Of a length that the caller knows. (Not for arrays, whose length would be lost.)
  template <class Pointer>
    requires std::is_pointer_v<Pointer> && std::convertible_to<Pointer, const int*>
  Integers(const Pointer& values) noexcept : ints_(values) {}  // NOLINT
  template <class Pointer>
    requires std::is_pointer_v<Pointer> && std::convertible_to<Pointer, const MPI_Count*>
  Integers(const Pointer& values) noexcept : large_(values) {}  // NOLINT
  template <class Range>
    requires std::convertible_to<const Range&, std::span<const int>>
  Integers(const Range& values) noexcept  // NOLINT
      : ints_(std::span<const int>(values).data()), size_(std::span<const int>(values).size()) {}
  template <class Range>
    requires std::convertible_to<const Range&, std::span<const MPI_Count>>
  Integers(const Range& values) noexcept  // NOLINT
      : large_(std::span<const MPI_Count>(values).data()), size_(std::span<const MPI_Count>(values).size()) {}

  MPI_Count operator[](std::size_t k) const noexcept { return large_ != nullptr ? large_[k] : ints_[k]; }
  bool is_null() const noexcept { return ints_ == nullptr && large_ == nullptr; }
  bool are_large() const noexcept { return large_ != nullptr; }
  /// Only where it was given.
  std::size_t size() const noexcept { return size_; }

 private:
  const int* ints_ = nullptr;
  const MPI_Count* large_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace taihu::mpi
