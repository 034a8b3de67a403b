// SPDX-License-Identifier: Apache-2.0
// Makes datatypes (MPI-3.1 sections 4.1.2 to 4.1.9 and 17.1.9). All functions check their arguments and throw
// CallError; any thread may call. Counts are MPI_Count so that callers with long counts can use them; the
// integers that MPI_Type_get_contents tells are cut to int then.
#pragma once

#include <span>

#include "taihu/mpi/types/datatype.h"

namespace taihu::mpi::types {

Reference<Datatype> make_contiguous(MPI_Count count, Datatype& old);
/// `stride` in extents of `old`.
Reference<Datatype> make_vector(int count, int block_length, int stride, Datatype& old);
/// `stride` in bytes.
Reference<Datatype> make_hvector(int count, int block_length, MPI_Aint stride, Datatype& old);
/// Displacements in extents of `old`.
Reference<Datatype> make_indexed(std::span<const int> block_lengths, std::span<const int> displacements,
                                 Datatype& old);
/// Displacements in bytes.
Reference<Datatype> make_hindexed(std::span<const int> block_lengths, std::span<const MPI_Aint> displacements,
                                  Datatype& old);
Reference<Datatype> make_indexed_block(int block_length, std::span<const int> displacements, Datatype& old);
Reference<Datatype> make_hindexed_block(int block_length, std::span<const MPI_Aint> displacements,
                                        Datatype& old);
Reference<Datatype> make_struct(std::span<const int> block_lengths, std::span<const MPI_Aint> displacements,
                                std::span<Datatype* const> types);
Reference<Datatype> make_subarray(std::span<const int> sizes, std::span<const int> sub_sizes,
                                  std::span<const int> starts, int order, Datatype& old);
/// One value for each dimension in the last four.
struct Distribution {
  std::span<const int> global_sizes;
  std::span<const int> kinds;      ///< MPI_DISTRIBUTE_...
  std::span<const int> arguments;  ///< block sizes or MPI_DISTRIBUTE_DFLT_DARG
  std::span<const int> process_sizes;
};
Reference<Datatype> make_darray(int processes, int rank, const Distribution& distribution, int order,
                                Datatype& old);
Reference<Datatype> make_resized(MPI_Aint lower_bound, MPI_Aint extent, Datatype& old);
/// Without attributes: copying them is up to the caller.
Reference<Datatype> make_dup(Datatype& old);

/// MPI_Type_create_f90_real, _complex, _integer (`combiner` tells which; `precision` is not used for
/// integers). The type is predefined and lives as long as the process; the same arguments give the same
/// object for the same `owner`, which stands for the rank.
Datatype& f90_type(const void* owner, int combiner, int precision, int range);
/// MPI_Type_match_size: a predefined Fortran type.
Datatype& matching_type(int type_class, int size_bytes);

}  // namespace taihu::mpi::types
