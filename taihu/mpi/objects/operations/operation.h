// SPDX-License-Identifier: Apache-2.0
// Reduction operations: the predefined ones and functions of the program (MPI-3.1 section 5.9), and what they
// do with elements of a datatype.
#pragma once

#include <cstddef>
#include <optional>

#include "taihu/collective/operations.h"
#include "taihu/mpi/object.h"
#include "taihu/mpi/types/datatype.h"

namespace taihu::mpi {

struct Operation final : Object {
  static constexpr Kind object_kind = Kind::operation;
  /// Turns the handle of a datatype into what Fortran calls it.
  using FortranHandle = MPI_Fint (*)(MPI_Datatype);
  /// Turns it into the address that a program of another ABI has for it.
  using ForeignHandle = void* (*)(MPI_Datatype);

  /// A predefined one.
  explicit Operation(MPI_Op handle) noexcept
      : Object(object_kind), commutative(handle != MPI_REPLACE), predefined_handle(handle) {
    predefined = true;
    number = reinterpret_cast<std::uintptr_t>(handle);
  }
  /// A function of the program. With `fortran_handle` it is one in Fortran, which takes the type's handle as
  /// an integer; with `foreign_handle`, one of a program of another ABI.
  Operation(MPI_User_function* of_program, bool commutes, FortranHandle fortran_handle = nullptr,
            ForeignHandle foreign_handle = nullptr) noexcept
      : Object(object_kind),
        commutative(commutes),
        function(of_program),
        type_for_fortran(fortran_handle),
        type_elsewhere(foreign_handle) {}
  /// One that takes large counts.
  Operation(MPI_User_function_c* of_program, bool commutes, FortranHandle fortran_handle = nullptr) noexcept
      : Object(object_kind),
        commutative(commutes),
        large_function(of_program),
        type_for_fortran(fortran_handle) {}

  bool is_of_program() const noexcept { return function != nullptr || large_function != nullptr; }

  // The predefined ones are shared by all ranks and not counted.
  void retain() noexcept {
    if (!predefined) Object::retain();
  }
  void release() noexcept {
    if (!predefined) Object::release();
  }

  const bool commutative;
  // Both null: predefined.
  MPI_User_function* const function = nullptr;
  MPI_User_function_c* const large_function = nullptr;
  const FortranHandle type_for_fortran = nullptr;
  const ForeignHandle type_elsewhere = nullptr;
  const MPI_Op predefined_handle = MPI_OP_NULL;
};

/// An operation on the elements of a type, ready for use.
class Reducer {
 public:
  /// Throws CallError of class MPI_ERR_OP when the operation has no meaning for the type. Predefined
  /// operations also take types that are made of one predefined type without gaps.
  Reducer(Operation& operation, Datatype& type);

  const Datatype& type() const noexcept { return *type_; }
  bool commutative() const noexcept { return operation_->commutative; }
  /// Elements of the type lie one behind the other, `stride` bytes each, and may be moved as plain bytes.
  bool is_plain() const noexcept {
    return kernel_ != nullptr || (type_->contiguous && type_->block_offset() == 0);
  }
  std::size_t stride() const noexcept { return static_cast<std::size_t>(type_->extent); }

  /// inout = in (op) inout, element by element. The arrays are apart. Calls a function of the program on this
  /// thread.
  void operator()(const void* in, void* inout, std::size_t count) const;

  /// For the collective layer; only if plain. Valid as long as this object stays where it is.
  collective::Reduction reduction() const noexcept;

 private:
  static void call_function(void* target, const void* left, const void* right, std::size_t count,
                            const void* reducer);
  static void call_kernel(void* target, const void* left, const void* right, std::size_t count,
                          const void* reducer);
  void call(const void* in, void* inout, std::size_t count) const;

  Reference<Operation> operation_;
  Reference<Datatype> type_;
  collective::Combine kernel_ = nullptr;
  std::size_t per_element_ = 1;  ///< elements of the kernel in one of the type
};

/// What a predefined operation other than MPI_REPLACE and MPI_NO_OP does to a predefined type; nothing for
/// other operations and types, and for pairs without a meaning. It holds no reference to either.
std::optional<collective::Reduction> predefined_reduction(const Operation& operation,
                                                          const Datatype& type) noexcept;

/// MPI_SUM to MPI_NO_OP: the same objects for all ranks of the process. Any thread.
void add_predefined_operations(PredefinedObjects& objects);

/// Accumulate of one-sided communication: target = target (op) source for `count` elements of the predefined
/// type `element`; MPI_REPLACE and MPI_NO_OP are among the operations. Throws CallError of class MPI_ERR_OP,
/// before anything is changed, for functions of the program and pairs without a meaning. Elements are the
/// type's extent apart.
void combine(const Operation& operation, const Datatype& element, void* target, const void* source,
             std::size_t count);
/// Whether `combine` takes the pair.
bool can_combine(const Operation& operation, const Datatype& element) noexcept;

}  // namespace taihu::mpi
