// SPDX-License-Identifier: Apache-2.0
// Calls of the MPICH ABI that need more than the rules of tools/mpi_mpich_abi.py.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "taihu/mpi/bindings/mpich_abi/convert.h"
#include "taihu/mpi/objects/errors/added_errors.h"

#define TAIHU_FOREIGN_NAMESPACE mpich
#define TAIHU_FOREIGN_CALL TAIHU_MPICH_CALL
#include "taihu/mpi/bindings/foreign_abi/special_calls.inc"
#undef TAIHU_FOREIGN_NAMESPACE
#undef TAIHU_FOREIGN_CALL

// Variables that programs may get copies of. Of the pointers only the values count; they are those of ours.
#define TAIHU_VARIABLE extern "C" __attribute__((visibility("default"))) const
TAIHU_VARIABLE void* const taihu_mpich_UNWEIGHTED = MPI_UNWEIGHTED;
TAIHU_VARIABLE void* const taihu_mpich_WEIGHTS_EMPTY = MPI_WEIGHTS_EMPTY;
TAIHU_VARIABLE void* const taihu_mpich_T_PVAR_ALL_HANDLES = MPI_T_PVAR_ALL_HANDLES;

// Datatypes with large counts.

TAIHU_MPICH_CALL(int, Type_get_contents_c,
                 (int datatype, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_large_counts,
                  MPI_Count max_datatypes, int* integers, MPI_Aint* addresses, MPI_Count* large_counts,
                  int* datatypes)) {
  Values<MPI_Datatype> types(static_cast<int>(max_datatypes));
  const MPI_Datatype type = in_datatype(datatype);
  const int code =
      PMPI_Type_get_contents_c(type, max_integers, max_addresses, max_large_counts, max_datatypes, integers,
                               addresses, large_counts, datatypes != nullptr ? types.all() : nullptr);
  if (code != MPI_SUCCESS) return out_error(code);
  MPI_Count integer_count = 0, address_count = 0, large_count = 0, type_count = 0;
  int combiner = 0;
  PMPI_Type_get_envelope_c(type, &integer_count, &address_count, &large_count, &type_count, &combiner);
  for (int i = 0; i < std::min(type_count, max_datatypes); ++i) datatypes[i] = out_handle(types[i]);
  turn_contents(combiner, large_count != 0, integers, std::min(integer_count, max_integers));
  return MPI_SUCCESS;
}

// Sources of events, whose orders are numbered from 0 there, and event types, of which there are none.

TAIHU_MPICH_CALL(int, T_source_get_info,
                 (int source_index, char* name, int* name_len, char* desc, int* desc_len, int* ordering,
                  MPI_Count* ticks_per_second, MPI_Count* max_ticks, int* info)) {
  MPI_T_source_order order = MPI_T_SOURCE_ORDERED;
  MPI_Info described = MPI_INFO_NULL;
  const int code =
      PMPI_T_source_get_info(source_index, name, name_len, desc, desc_len, &order, ticks_per_second,
                             max_ticks, info != nullptr ? &described : nullptr);
  if (code == MPI_SUCCESS && ordering != nullptr) *ordering = order == MPI_T_SOURCE_ORDERED ? 0 : 1;
  if (code == MPI_SUCCESS && info != nullptr) *info = out_handle(described);
  return out_error(code);
}

TAIHU_MPICH_CALL(int, T_event_get_info,
                 (int event_index, char*, int*, int*, int*, MPI_Aint*, int*, MPI_T_enum*, int*, char*, int*,
                  int*)) {
  return out_error(PMPI_T_event_get_info(event_index, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                         nullptr, nullptr, nullptr, nullptr, nullptr));
}

// Handles as integers: they are integers already.

#define SAME(name)                                      \
  TAIHU_MPICH_CALL(int, name##_c2f, (int handle)) {     \
    return handle;                                      \
  }                                                     \
  TAIHU_MPICH_CALL(int, name##_f2c, (int handle)) {     \
    return handle;                                      \
  }                                                     \
  TAIHU_MPICH_CALL(int, name##_toint, (int handle)) {   \
    return handle;                                      \
  }                                                     \
  TAIHU_MPICH_CALL(int, name##_fromint, (int handle)) { \
    return handle;                                      \
  }
SAME(Comm)
SAME(Errhandler)
SAME(Group)
SAME(Info)
SAME(Message)
SAME(Op)
SAME(Request)
SAME(Session)
SAME(Type)
SAME(Win)

// A null file is zero there in Fortran, too.
TAIHU_MPICH_CALL(int, File_c2f, (void* file)) {
  return file == nullptr ? 0 : PMPI_File_c2f(in_file(file));
}
TAIHU_MPICH_CALL(void*, File_f2c, (int file)) {
  return file == 0 ? nullptr : out_file(PMPI_File_f2c(file));
}
