// SPDX-License-Identifier: Apache-2.0
// The calls of the file COUNTED_CALLS, twice: with counts of type int, and with large counts, under names
// that end in _c (MPI-5.0 section 2.5.8). In that file
//
//   COUNTED_CALL(Send, (const void* buf, Count count, ...)) { return on_communicator(NAME_OF(Send), ...); }
//
// is MPI_Send as well as MPI_Send_c. Count is int and MPI_Count, Displacement is int and MPI_Aint. May be
// included more than once.
#include "taihu/mpi/objects/call.h"

#ifdef COUNTED_CALLS

namespace int_counts {
using Count = int;
using Displacement = int;
#define COUNTED_CALL(name, parameters) MPI_CALL(int, name, parameters)
#define NAME_OF(name) "MPI_" #name
#include COUNTED_CALLS
#undef COUNTED_CALL
#undef NAME_OF
}  // namespace int_counts

namespace large_counts {
using Count = MPI_Count;
using Displacement = MPI_Aint;
#define COUNTED_CALL(name, parameters) MPI_CALL(int, name##_c, parameters)
#define NAME_OF(name) "MPI_" #name "_c"
#include COUNTED_CALLS
#undef COUNTED_CALL
#undef NAME_OF
}  // namespace large_counts

#undef COUNTED_CALLS
#endif
