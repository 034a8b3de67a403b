// SPDX-License-Identifier: Apache-2.0
// Calls of the MPICH ABI that need more than the rules of tools/mpi_mpich_abi.py.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "taihu/mpi/bindings/mpich_abi/convert.h"
#include "taihu/mpi/objects/errors/added_errors.h"

namespace taihu::mpi::mpich {
namespace {

/// `text` of ours into a buffer of theirs, which may be shorter.
void give_text(const char* text, char* buffer, int room, int* length) {
  const std::size_t bytes = std::min(std::strlen(text), static_cast<std::size_t>(room) - 1);
  std::memcpy(buffer, text, bytes);
  buffer[bytes] = '\0';
  if (length != nullptr) *length = static_cast<int>(bytes);
}

static_assert(sizeof(std::atomic<int>) == sizeof(int));  // programs read it as an int
/// Attributes of MPI itself whose values are constants, at addresses that stay.
void* own_attribute(int keyval, void* value) {
  static const int no_host = their_MPI_PROC_NULL, any_rank = their_MPI_ANY_SOURCE;
  if (keyval == MPI_HOST) return const_cast<int*>(&no_host);
  if (keyval == MPI_IO && *static_cast<int*>(value) == MPI_ANY_SOURCE) return const_cast<int*>(&any_rank);
  if (keyval == MPI_LASTUSEDCODE) {
    std::atomic<int>& last = AddedErrors::of(*current_rank()).last_used_elsewhere();
    last.store(out_last_used(*static_cast<int*>(value)), std::memory_order_relaxed);
    return &last;
  }
  return value;
}

int get_attribute(int (*call)(MPI_Comm, int, void*, int*), int comm, int keyval, void* value, int* flag) {
  const int key = in_keyval(keyval);
  const int code = call(in_communicator(comm), key, value, flag);
  if (code == MPI_SUCCESS && *flag != 0) {
    void** const place = static_cast<void**>(value);
    *place = own_attribute(key, *place);
  }
  return out_error(code);
}

/// Storage order and distributions among the integers that a datatype was made of. `large`: its sizes are not
/// among them, but among the large counts.
void turn_contents(int combiner, bool large, int* integers, MPI_Count available) {
  if (integers == nullptr || available < 1) return;
  if (combiner == MPI_COMBINER_SUBARRAY) {
    const int order = (large ? 0 : 3 * integers[0]) + 1;
    if (available > order) integers[order] = out_order(integers[order]);
  } else if (combiner == MPI_COMBINER_DARRAY && available >= 3) {
    const int dimensions = integers[2], kinds = 3 + (large ? 0 : dimensions), order = kinds + 3 * dimensions;
    if (available <= order) return;
    for (int i = 0; i < dimensions; ++i) {
      int& kind = integers[kinds + i];
      int& argument = integers[kinds + dimensions + i];
      kind = out_distribution(kind);
      argument = out_distribution_argument(argument);
    }
    integers[order] = out_order(integers[order]);
  }
}

/// Of the ranks of a spawn.
void turn_codes(int* codes, int count) {
  for (int k = 0; codes != nullptr && k < count; ++k) codes[k] = out_error(codes[k]);
}

}  // namespace
}  // namespace taihu::mpi::mpich

using namespace taihu::mpi;
using namespace taihu::mpi::mpich;

// Variables that programs may get copies of. Of the pointers only the values count; they are those of ours.
#define TAIHU_VARIABLE extern "C" __attribute__((visibility("default"))) const
TAIHU_VARIABLE void* const taihu_mpich_UNWEIGHTED = MPI_UNWEIGHTED;
TAIHU_VARIABLE void* const taihu_mpich_WEIGHTS_EMPTY = MPI_WEIGHTS_EMPTY;
TAIHU_VARIABLE void* const taihu_mpich_T_PVAR_ALL_HANDLES = MPI_T_PVAR_ALL_HANDLES;

// Texts.

TAIHU_MPICH_CALL(int, Get_processor_name, (char* name, int* resultlen)) {
  char text[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  const int code =
      PMPI_Get_processor_name(name != nullptr ? text : nullptr, resultlen != nullptr ? &length : nullptr);
  if (code == MPI_SUCCESS) give_text(text, name, their_MPI_MAX_PROCESSOR_NAME, resultlen);
  return out_error(code);
}

TAIHU_MPICH_CALL(int, Info_get_nthkey, (int info, int n, char* key)) {
  char text[MPI_MAX_INFO_KEY];
  const int code = PMPI_Info_get_nthkey(in_info(info), n, key != nullptr ? text : nullptr);
  if (code == MPI_SUCCESS) give_text(text, key, their_MPI_MAX_INFO_KEY, nullptr);
  return out_error(code);
}

// Ports and spawned programs.

TAIHU_MPICH_CALL(int, Open_port, (int info, char* port)) {
  char text[MPI_MAX_PORT_NAME];
  const int code = PMPI_Open_port(in_info(info), text);
  if (code == MPI_SUCCESS) give_text(text, port, their_MPI_MAX_PORT_NAME, nullptr);
  return out_error(code);
}

TAIHU_MPICH_CALL(int, Lookup_name, (const char* service_name, int info, char* port)) {
  char text[MPI_MAX_PORT_NAME];
  const int code = PMPI_Lookup_name(service_name, in_info(info), text);
  if (code == MPI_SUCCESS) give_text(text, port, their_MPI_MAX_PORT_NAME, nullptr);
  return out_error(code);
}

TAIHU_MPICH_CALL(int, Comm_spawn,
                 (const char* command, char** argv, int maxprocs, int info, int root, int comm,
                  int* intercomm, int* errcodes)) {
  MPI_Comm made = MPI_COMM_NULL;
  const int code = PMPI_Comm_spawn(command, argv, maxprocs, in_info(info), in_rank(root),
                                   in_communicator(comm), &made, errcodes);
  turn_codes(errcodes, maxprocs);
  if (intercomm != nullptr) *intercomm = out_handle(made);
  return out_error(code);
}

TAIHU_MPICH_CALL(int, Comm_spawn_multiple,
                 (int count, char** commands, char*** argvs, const int* maxprocs, const int* infos, int root,
                  int comm, int* intercomm, int* errcodes)) {
  int rank = 0;
  PMPI_Comm_rank(in_communicator(comm), &rank);
  // Of meaning on the root alone.
  ArrayValue<MPI_Info, int> infos_(rank == in_rank(root) ? count : 0, infos, in_info);
  MPI_Comm made = MPI_COMM_NULL;
  const int code = PMPI_Comm_spawn_multiple(count, commands, argvs, maxprocs, infos_.get(), in_rank(root),
                                            in_communicator(comm), &made, errcodes);
  for (int k = 0, first = 0; errcodes != nullptr && maxprocs != nullptr && k < count; first += maxprocs[k++])
    turn_codes(errcodes + first, maxprocs[k]);
  if (intercomm != nullptr) *intercomm = out_handle(made);
  return out_error(code);
}

TAIHU_MPICH_CALL(int, Pcontrol, (const int level, ...)) {
  return out_error(PMPI_Pcontrol(level));
}

// Attributes of MPI itself.

TAIHU_MPICH_CALL(int, Comm_get_attr, (int comm, int keyval, void* value, int* flag)) {
  return get_attribute(&PMPI_Comm_get_attr, comm, keyval, value, flag);
}

TAIHU_MPICH_CALL(int, Attr_get, (int comm, int keyval, void* value, int* flag)) {
  return get_attribute(&PMPI_Attr_get, comm, keyval, value, flag);
}

TAIHU_MPICH_CALL(int, Win_get_attr, (int win, int keyval, void* value, int* flag)) {
  const int key = in_keyval(keyval);
  const int code = PMPI_Win_get_attr(in_window(win), key, value, flag);
  if (code != MPI_SUCCESS || *flag == 0) return out_error(code);
  static const int flavors[] = {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_DYNAMIC,
                                MPI_WIN_FLAVOR_SHARED};
  static const int their_flavors[] = {their_MPI_WIN_FLAVOR_CREATE, their_MPI_WIN_FLAVOR_ALLOCATE,
                                      their_MPI_WIN_FLAVOR_DYNAMIC, their_MPI_WIN_FLAVOR_SHARED};
  static const int unified = their_MPI_WIN_UNIFIED, separate = their_MPI_WIN_SEPARATE;
  void** const place = static_cast<void**>(value);
  if (key == MPI_WIN_CREATE_FLAVOR) {
    const auto* const found = std::find(flavors, std::end(flavors), *static_cast<int*>(*place));
    *place = const_cast<int*>(their_flavors + (found - flavors));
  } else if (key == MPI_WIN_MODEL) {
    *place = const_cast<int*>(*static_cast<int*>(*place) == MPI_WIN_UNIFIED ? &unified : &separate);
  }
  return MPI_SUCCESS;
}

// Datatypes.

TAIHU_MPICH_CALL(int, Type_create_darray,
                 (int size, int rank, int ndims, const int* gsizes, const int* distribs, const int* dargs,
                  const int* psizes, int order, int oldtype, int* newtype)) {
  ArrayValue<int, int> kinds(ndims, distribs, in_distribution),
      arguments(ndims, dargs, in_distribution_argument);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int code =
      PMPI_Type_create_darray(size, rank, ndims, gsizes, kinds.get(), arguments.get(), psizes,
                              in_order(order), in_datatype(oldtype), newtype != nullptr ? &made : nullptr);
  if (newtype != nullptr) *newtype = out_handle(made);
  return out_error(code);
}

TAIHU_MPICH_CALL(int, Type_get_contents,
                 (int datatype, int max_integers, int max_addresses, int max_datatypes, int* integers,
                  MPI_Aint* addresses, int* datatypes)) {
  Values<MPI_Datatype> types(max_datatypes);
  const MPI_Datatype type = in_datatype(datatype);
  const int code = PMPI_Type_get_contents(type, max_integers, max_addresses, max_datatypes, integers,
                                          addresses, datatypes != nullptr ? types.all() : nullptr);
  if (code != MPI_SUCCESS) return out_error(code);
  int integer_count = 0, address_count = 0, type_count = 0, combiner = 0;
  PMPI_Type_get_envelope(type, &integer_count, &address_count, &type_count, &combiner);
  for (int i = 0; i < std::min(type_count, max_datatypes); ++i) datatypes[i] = out_handle(types[i]);
  turn_contents(combiner, false, integers, std::min(integer_count, max_integers));
  return MPI_SUCCESS;
}

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

// Groups.

TAIHU_MPICH_CALL(int, Group_translate_ranks,
                 (int group1, int n, const int* ranks1, int group2, int* ranks2)) {
  ArrayValue<int, int> ranks(n, ranks1, in_rank);
  const int code = PMPI_Group_translate_ranks(in_group(group1), n, ranks.get(), in_group(group2), ranks2);
  for (int i = 0; code == MPI_SUCCESS && i < n; ++i) ranks2[i] = out_rank(ranks2[i]);
  return out_error(code);
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
SAME(Type)
SAME(Win)

// A null file is zero there in Fortran, too.
TAIHU_MPICH_CALL(int, File_c2f, (void* file)) {
  return file == nullptr ? 0 : PMPI_File_c2f(in_file(file));
}
TAIHU_MPICH_CALL(void*, File_f2c, (int file)) {
  return file == 0 ? nullptr : out_file(PMPI_File_f2c(file));
}

#define SAME_STATUS(name, From, To)                                 \
  TAIHU_MPICH_CALL(int, name, (const From* from, To* to)) {         \
    if (from == nullptr || to == nullptr) return their_MPI_ERR_ARG; \
    std::memcpy(to, from, sizeof(Status));                          \
    return MPI_SUCCESS;                                             \
  }
SAME_STATUS(Status_c2f, Status, int)
SAME_STATUS(Status_f2c, int, Status)
SAME_STATUS(Status_c2f08, Status, Status)
SAME_STATUS(Status_f082c, Status, Status)
SAME_STATUS(Status_f2f08, int, Status)
SAME_STATUS(Status_f082f, Status, int)
