// SPDX-License-Identifier: Apache-2.0
// Makes datatypes (MPI-3.1 sections 4.1.2 to 4.1.9 and 17.1.9). All functions check their arguments and throw
// CallError; any thread may call. Which kind of call a type comes from shows in what MPI_Type_get_contents_c
// tells: arrays know it (Integers), single numbers come with `Width`.
#pragma once

#include <span>

#include "taihu/mpi/types/datatype.h"
#include "taihu/mpi/types/integers.h"

namespace taihu::mpi::types {

/// Of the counts of a call.
enum class Width { ints, large };

Reference<Datatype> make_contiguous(MPI_Count count, Datatype& old, Width width = Width::ints);
/// `stride` in extents of `old`.
Reference<Datatype> make_vector(MPI_Count count, MPI_Count block_length, MPI_Count stride, Datatype& old,
                                Width width = Width::ints);
/// `stride` in bytes.
Reference<Datatype> make_hvector(MPI_Count count, MPI_Count block_length, MPI_Aint stride, Datatype& old,
                                 Width width = Width::ints);
/// Displacements in extents of `old`.
Reference<Datatype> make_indexed(Integers block_lengths, Integers displacements, Datatype& old);
/// Displacements in bytes.
Reference<Datatype> make_hindexed(Integers block_lengths, std::span<const MPI_Aint> displacements,
                                  Datatype& old);
Reference<Datatype> make_indexed_block(MPI_Count block_length, Integers displacements, Datatype& old);
Reference<Datatype> make_hindexed_block(MPI_Count block_length, std::span<const MPI_Aint> displacements,
                                        Datatype& old, Width width = Width::ints);
Reference<Datatype> make_struct(Integers block_lengths, std::span<const MPI_Aint> displacements,
                                std::span<Datatype* const> types);
Reference<Datatype> make_subarray(Integers sizes, Integers sub_sizes, Integers starts, int order,
                                  Datatype& old);
/// One value for each dimension in the last four.
struct Distribution {
  Integers global_sizes;
  std::span<const int> kinds;      ///< MPI_DISTRIBUTE_...
  std::span<const int> arguments;  ///< block sizes or MPI_DISTRIBUTE_DFLT_DARG
  std::span<const int> process_sizes;
};
Reference<Datatype> make_darray(int processes, int rank, const Distribution& distribution, int order,
                                Datatype& old);
Reference<Datatype> make_resized(MPI_Aint lower_bound, MPI_Aint extent, Datatype& old,
                                 Width width = Width::ints);
/// Without attributes: copying them is up to the caller.
Reference<Datatype> make_dup(Datatype& old);

/// MPI_Type_create_f90_real, _complex, _integer (`combiner` tells which; `precision` is not used for
/// integers). The type is predefined and lives as long as the process; the same arguments give the same
/// object for the same `owner`, which stands for the rank.
Datatype& f90_type(const void* owner, int combiner, int precision, int range);
/// MPI_Type_match_size: a predefined Fortran type.
Datatype& matching_type(int type_class, int size_bytes);

}  // namespace taihu::mpi::types
