// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/collectives/arguments.h"

#include <string>

#include "taihu/mpi/objects/call.h"

namespace taihu::mpi::collectives {
namespace {

void check_count(MPI_Count count) {
  require(count >= 0, MPI_ERR_COUNT, [&] { return "the count " + std::to_string(count) + " is negative"; });
}

void check_counts(const Integers& counts, int members) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(members); ++k) {
    require(counts[k] >= 0, MPI_ERR_COUNT, [&] {
      return "the count " + std::to_string(counts[k]) + " of block " + std::to_string(k) + " is negative";
    });
  }
}

/// That `members` blocks of `count` elements are no more than memory can hold.
void check_row(const Datatype& type, MPI_Count count, int members) {
  MPI_Count elements;
  require(!__builtin_mul_overflow(count, members, &elements), MPI_ERR_COUNT,
          "the blocks of all members have more than 2^63 elements");
  type.total_bytes(elements);
}

void check_address(const Piece& buffer) {
  if (buffer.data() != nullptr) [[likely]]
    return;
  require(!buffer.is_contiguous() || buffer.bytes() == 0, MPI_ERR_BUFFER,
          "the buffer is a null pointer, but the count is not zero");
}

void check_arrays(const Integers& counts, const Integers& displacements, int members) {
  require(members == 0 || (!counts.is_null() && !displacements.is_null()), MPI_ERR_ARG,
          "the array of counts or of displacements is a null pointer");
}

}  // namespace

Datatype& checked_type(Rank& rank, MPI_Datatype handle) {
  Datatype& type =
      checked<Datatype>(rank, handle, MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL or not valid");
  require(type.committed, MPI_ERR_TYPE, "the datatype is not committed (call MPI_Type_commit)");
  return type;
}

Operation& checked_operation(Rank& rank, MPI_Op handle) {
  Operation& operation =
      checked<Operation>(rank, handle, MPI_ERR_OP, "the operation is MPI_OP_NULL or not valid");
  require(handle != MPI_REPLACE && handle != MPI_NO_OP, MPI_ERR_OP,
          "MPI_REPLACE and MPI_NO_OP are for one-sided communication only");
  return operation;
}

Piece checked_buffer(Rank& rank, const void* address, MPI_Count count, MPI_Datatype type) {
  check_count(count);
  check_not_in_place(address);
  const Piece buffer{static_cast<std::byte*>(const_cast<void*>(address)), count, &checked_type(rank, type)};
  check_address(buffer);
  return buffer;
}

Blocks checked_blocks(Rank& rank, const void* address, MPI_Count count, MPI_Datatype type, int members) {
  check_count(count);
  // A rank without neighbours may have no buffer for their blocks.
  const Piece first = checked_buffer(rank, address, members != 0 ? count : 0, type);
  check_row(*first.type, count, members);
  return {first.address, first.type, count};
}

Blocks checked_blocks(Rank& rank, const void* address, Integers counts, Integers displacements,
                      MPI_Datatype type, int members) {
  check_not_in_place(address);
  check_arrays(counts, displacements, members);
  check_counts(counts, members);
  Blocks blocks{static_cast<std::byte*>(const_cast<void*>(address)), &checked_type(rank, type), 0, counts,
                displacements};
  // An array of no members must not look like one of equal counts.
  static constexpr int none = 0;
  if (counts.is_null()) blocks.counts = &none;
  for (int k = 0; address == nullptr && k < members; ++k) check_address(blocks[k]);
  return blocks;
}

Blocks checked_blocks(Rank& rank, const void* address, Integers counts, Integers displacements,
                      const MPI_Datatype* types, int members) {
  check_not_in_place(address);
  check_arrays(counts, displacements, members);
  require(members == 0 || types != nullptr, MPI_ERR_ARG, "the array of datatypes is a null pointer");
  check_counts(counts, members);
  static constexpr int none = 0;
  Blocks blocks{static_cast<std::byte*>(const_cast<void*>(address)), nullptr,       0,
                counts.is_null() ? Integers(&none) : counts,         displacements, {}};
  for (int k = 0; k < members; ++k) blocks.types.push_back(&checked_type(rank, types[k]));
  for (int k = 0; address == nullptr && k < members; ++k) check_address(blocks[k]);
  return blocks;
}

Role role_of(const Communicator& communicator, int root) {
  const auto refuse = [&] {
    return "the root " + std::to_string(root) + " is not a rank of the " +
           (communicator.is_inter() ? "remote group, MPI_ROOT or MPI_PROC_NULL" : "communicator") +
           " (it has " + std::to_string(communicator.partners().size()) + ")";
  };
  if (communicator.is_inter()) {
    if (root == MPI_ROOT) return Role::root;
    if (root == MPI_PROC_NULL) return Role::bystander;
  }
  require(root >= 0 && root < communicator.partners().size(), MPI_ERR_ROOT, refuse);
  return !communicator.is_inter() && root == communicator.rank ? Role::root : Role::leaf;
}

void check_apart(const Piece& source, const Piece& result) {
  // The addresses say nothing: with MPI_BOTTOM they are null on both sides.
  const auto first_byte = [](const Piece& piece) {
    return moved(piece.address, piece.type->true_lower_bound);
  };
  require(first_byte(source) != first_byte(result) || source.bytes() == 0 || result.bytes() == 0,
          MPI_ERR_BUFFER,
          "the send buffer is the receive buffer (pass MPI_IN_PLACE where the standard allows it)");
}

std::string own_length_problem(const Piece& source, const Piece& result) {
  return "this rank sends itself " + std::to_string(source.bytes()) + " bytes and expects " +
         std::to_string(result.bytes()) + "; the counts and datatypes of both sides must fit together";
}

void check_not_in_place(const void* address) {
  require(address != MPI_IN_PLACE, MPI_ERR_BUFFER, "MPI_IN_PLACE is not allowed for this buffer");
}

}  // namespace taihu::mpi::collectives
