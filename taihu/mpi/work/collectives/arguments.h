// SPDX-License-Identifier: Apache-2.0
// Arguments of collectives, checked. What a program passes as buffers turns into Piece and Blocks here,
// or into a CallError.
#pragma once

#include <string>
#include <vector>

#include "taihu/mpi/objects/communicator.h"
#include "taihu/mpi/objects/operations/operation.h"
#include "taihu/mpi/objects/rank.h"
#include "taihu/mpi/types/integers.h"
#include "taihu/mpi/work/collectives/piece.h"

namespace taihu::mpi::collectives {

inline bool is_in_place(const void* address) noexcept {
  return address == MPI_IN_PLACE;
}

/// Errors: MPI_ERR_COUNT, MPI_ERR_TYPE (no datatype, or not committed), MPI_ERR_BUFFER.
Piece checked_buffer(Rank& rank, const void* address, MPI_Count count, MPI_Datatype type);
Datatype& checked_type(Rank& rank, MPI_Datatype type);
Operation& checked_operation(Rank& rank, MPI_Op operation);

/// Blocks of a buffer of the program, one for each member: `count` elements each, one behind the other; or
/// with counts and displacements in extents of the type; or (MPI_Alltoallw) with types and displacements in
/// bytes.
struct Blocks {
  std::byte* address = nullptr;
  Datatype* type = nullptr;
  MPI_Count count = 0;
  Integers counts{};               ///< null: `count` for all
  Integers displacements{};        ///< in extents, with `types` in bytes
  std::vector<Datatype*> types{};  ///< empty: `type` for all

  bool are_equal() const noexcept { return counts.is_null(); }
  Piece operator[](int member) const noexcept {
    const auto k = static_cast<std::size_t>(member);
    if (counts.is_null()) return {moved(address, member * count * type->extent), count, type};
    Datatype* const of_block = types.empty() ? type : types[k];
    const MPI_Aint offset = types.empty() ? displacements[k] * of_block->extent : displacements[k];
    return {moved(address, offset), counts[k], of_block};
  }
};

Blocks checked_blocks(Rank& rank, const void* address, MPI_Count count, MPI_Datatype type, int members);
Blocks checked_blocks(Rank& rank, const void* address, Integers counts, Integers displacements,
                      MPI_Datatype type, int members);
Blocks checked_blocks(Rank& rank, const void* address, Integers counts, Integers displacements,
                      const MPI_Datatype* types, int members);

/// What a root argument makes of this rank. In an intracommunicator everybody that is not the root is a leaf.
enum class Role { root, leaf, bystander };
/// Error MPI_ERR_ROOT.
Role role_of(const Communicator& communicator, int root);

/// Error MPI_ERR_BUFFER when a rank sends from where it receives; MPI_IN_PLACE says so where it is meant.
void check_apart(const Piece& source, const Piece& result);
/// Whether what a rank sends itself has another length than it expects. No reason to refuse the call, for
/// which the other members wait: it ends with MPI_ERR_TRUNCATE.
inline bool own_lengths_differ(const Piece& source, const Piece& result) {
  return source.bytes() != result.bytes();
}
/// What is wrong then.
std::string own_length_problem(const Piece& source, const Piece& result);
/// Error MPI_ERR_BUFFER: MPI_IN_PLACE has no meaning here.
void check_not_in_place(const void* address);

}  // namespace taihu::mpi::collectives
