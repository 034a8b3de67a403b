// SPDX-License-Identifier: Apache-2.0
// Datatypes: where the elements of a message lie in memory (MPI-3.1 chapter 4). A datatype never changes once
// it is made, apart from name and `committed`, so other ranks may read it while they hold a reference. The
// places of its data are kept in compiled form (node.h), made with the type: loops stay loops, neighbouring
// blocks are one.
//
// The predefined datatypes are shared by all ranks of the process: what a rank attaches to one of them (name,
// attributes, handle in Fortran) must be kept elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "taihu/abi/mpi.h"
#include "taihu/mpi/error.h"
#include "taihu/mpi/guarded.h"
#include "taihu/mpi/object.h"

namespace taihu::mpi::types {

struct Node;  // node.h
struct Datatype;

/// Where the data of one element of a type lie: `node`, which starts at address `offset` of the element. A
/// null node: no data.
struct Program {
  std::shared_ptr<const Node> node;
  MPI_Aint offset = 0;
};

/// Size, bounds and places of a type; what is left of a type when its making is forgotten.
/// Invariants: true_lower_bound <= true_upper_bound; size_bytes == 0 if and only if the programs are empty;
/// without `explicit_bounds` lower_bound == true_lower_bound, and upper_bound is the largest one of the parts
/// with the padding that makes the extent a multiple of the alignment.
struct Form {
  MPI_Count size_bytes = 0;  ///< of the data; in a message as well as in packed form
  MPI_Count lower_bound = 0, upper_bound = 0;
  MPI_Count true_lower_bound = 0, true_upper_bound = 0;
  bool explicit_bounds = false;  ///< a resized type is part of it
  int alignment = 1;             ///< the strictest one of its basic types
  /// The predefined type it consists of; null: several, or none at all. Pairs (MPI_DOUBLE_INT) are one type.
  const Datatype* element = nullptr;
  MPI_Count elements = 0;  ///< number of basic elements; pairs are two
  Program program;         ///< blocks of bytes, merged whatever they hold
  Program typed;           ///< the same places, every block of one basic type; shared with `program` if alike

  MPI_Count extent() const noexcept { return upper_bound - lower_bound; }
};

/// How a type was made: what MPI_Type_get_envelope and MPI_Type_get_contents tell. Calls with large counts
/// leave theirs, and what is a displacement, in `large_counts` (MPI-5.0 section 5.1.13).
struct Recipe {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<Reference<Datatype>> types;
  std::vector<MPI_Count> large_counts{};
};

struct Datatype final : Object {
  static constexpr Kind object_kind = Kind::datatype;

  Datatype(Form places, Recipe made_by);

  // Shared by all ranks as they are, predefined types are not counted.
  void retain() noexcept {
    if (!predefined) Object::retain();
  }
  void release() noexcept {
    if (!predefined) Object::release();
  }

  /// `count` elements from an address on are one block of memory, at address + block_offset().
  bool is_contiguous(MPI_Count count) const noexcept {
    return contiguous || count == 0 || (count == 1 && single_block);
  }
  MPI_Aint block_offset() const noexcept { return form.program.offset; }
  /// Bytes of the data of `count` elements; error MPI_ERR_COUNT when no memory could hold them.
  std::size_t total_bytes(MPI_Count count) const {
    MPI_Count bytes;
    require(!__builtin_mul_overflow(size_bytes, count, &bytes), MPI_ERR_COUNT,
            "the message has more than 2^63 bytes");
    return static_cast<std::size_t>(bytes);
  }

  const Form form;
  const Recipe recipe;

  // The most used parts of `form`.
  const MPI_Count size_bytes;
  const MPI_Count extent;
  const MPI_Count lower_bound;
  const MPI_Count true_lower_bound;
  const MPI_Count true_extent;
  const bool single_block;  ///< one element is one block, or has no data
  const bool contiguous;    ///< any number of elements is one block
  /// The predefined type that it consists of, else null. The same object for all ranks of the process;
  /// for predefined types it is the type itself.
  const Datatype* element;

  bool committed = false;
  /// Of predefined types: their own; what a rank calls them is kept with its attributes.
  Guarded<std::string> name;
};

}  // namespace taihu::mpi::types

namespace taihu::mpi {
/// Whatever moves data names datatypes.
using namespace types;
}  // namespace taihu::mpi
