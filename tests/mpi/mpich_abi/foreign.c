/* SPDX-License-Identifier: Apache-2.0
 * What differs most between the ABI of MPICH and that of Taihu: functions of the program, special addresses
 * and numbers, lengths, variables of the library. */
#include "../programs/check.h"
#include "library.h"

static void own_library(void) {
  for (int i = 0; i <= rank; ++i)
    CHECK(sum_over_ranks(rank * (i == 0)) == (i == 0 ? ranks * (ranks - 1) / 2 : 0) || i > 0);
  for (int i = rank + 1; i < ranks; ++i) sum_over_ranks(0);
  CHECK(calls_so_far() == ranks);
  int value = rank, got = -1;
  MPI_Request request;
  MPI_Irecv(&got, 1, MPI_INT, (rank + 1) % ranks, 5, MPI_COMM_WORLD, &request);
  MPI_Send(&value, 1, MPI_INT, (rank + ranks - 1) % ranks, 5, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(got == (rank + 1) % ranks && sends_so_far() == 1 && request == MPI_REQUEST_NULL);
}

static int seen_type, seen_comm, seen_code, copies, deletes;

/* Run with the library that this was built for, the program must pass as well; there, codes tell more than
 * their class. */
static int is_taihu;
static int class_of(int code) {
  int result = -1;
  MPI_Error_class(code, &result);
  return result;
}

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  seen_type = *type;
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}
static void on_error(MPI_Comm* comm, int* code, ...) {
  seen_comm = *comm;
  seen_code = class_of(*code);
}
static void on_file_error(MPI_File* file, int* code, ...) {
  CHECK(*file == MPI_FILE_NULL);
  seen_code = class_of(*code);
}
static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  CHECK(comm == MPI_COMM_WORLD && key != MPI_KEYVAL_INVALID && extra == &copies);
  ++copies;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}
static int drop(MPI_Comm comm, int key, void* value, void* extra) {
  CHECK(comm != MPI_COMM_NULL && key != MPI_KEYVAL_INVALID && value == &deletes && extra == &copies);
  ++deletes;
  return deletes == 2 ? MPI_ERR_REQUEST : MPI_SUCCESS;
}

static void functions(void) {
  MPI_Op op;
  int value = rank, sum = -1, code;
  MPI_Op_create(add, 1, &op);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  CHECK(sum == ranks * (ranks - 1) / 2 && (seen_type == 0 || seen_type == MPI_INT));
  /* In the call above not every rank has to reduce. */
  MPI_Reduce_local(&value, &sum, 1, MPI_INT, op);
  CHECK(sum == ranks * (ranks - 1) / 2 + rank && seen_type == MPI_INT);
  MPI_Op_free(&op);
  CHECK(op == MPI_OP_NULL);

  MPI_Errhandler handler, before;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  CHECK(before == MPI_ERRORS_ARE_FATAL);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  code = MPI_Send(&value, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD);
  CHECK(class_of(code) == MPI_ERR_RANK && seen_code == MPI_ERR_RANK && seen_comm == MPI_COMM_WORLD);
  code = MPI_Wait(&(MPI_Request){MPI_COMM_WORLD}, MPI_STATUS_IGNORE);
  CHECK(class_of(code) == MPI_ERR_REQUEST && seen_code == MPI_ERR_REQUEST);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
  CHECK(handler == MPI_ERRHANDLER_NULL);
  MPI_File file;
  MPI_File_create_errhandler(on_file_error, &handler);
  MPI_File_set_errhandler(MPI_FILE_NULL, handler);
  code = MPI_File_open(MPI_COMM_SELF, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  CHECK(class_of(code) == MPI_ERR_NO_SUCH_FILE && seen_code == MPI_ERR_NO_SUCH_FILE);
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);

  int key, same, flag;
  void* got = NULL;
  MPI_Comm twin;
  MPI_Comm_create_keyval(copy, drop, &key, &copies);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &same, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &deletes);
  MPI_Comm_set_attr(MPI_COMM_WORLD, same, &same);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_get_attr(twin, same, &got, &flag);
  CHECK(flag && got == &same && copies == 1);
  MPI_Comm_free(&twin);
  CHECK(twin == MPI_COMM_NULL && deletes == 1);
  CHECK(class_of(MPI_Comm_delete_attr(MPI_COMM_WORLD, key)) ==
        MPI_ERR_REQUEST); /* the code that drop has returned */
  CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key) == MPI_SUCCESS);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, same);
  MPI_Comm_free_keyval(&key);
  CHECK(key == MPI_KEYVAL_INVALID);
}

static void errors(void) {
  int new_class, new_code, of_code, length, *last, flag;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Add_error_class(&new_class);
  MPI_Add_error_code(new_class, &new_code);
  MPI_Add_error_string(new_code, "of my own");
  CHECK(new_class > MPI_ERR_LASTCODE && new_code > new_class);
  MPI_Error_class(new_code, &of_code);
  MPI_Error_string(new_code, text, &length);
  CHECK(of_code == new_class && strcmp(text, "of my own") == 0);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
  CHECK(flag && (*last == new_code || !is_taihu));
  /* A class of later versions of MPICH. */
  CHECK(!is_taihu || class_of(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL)) == 80);
  CHECK(!is_taihu || (MPI_Error_string(80, text, &length) == MPI_SUCCESS && strstr(text, "error handler")));
  MPI_Error_class(MPI_ERR_TRUNCATE, &of_code);
  CHECK(of_code == MPI_ERR_TRUNCATE);
  MPI_Status status;
  int small, big[2] = {0};
  MPI_Request request;
  MPI_Isend(big, 2, MPI_INT, rank, 9, MPI_COMM_WORLD, &request);
  CHECK(class_of(MPI_Recv(&small, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &status)) == MPI_ERR_TRUNCATE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm parent;
  CHECK(MPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent == MPI_COMM_NULL);
}

static void special_values(void) {
  int sum[2] = {rank, 1}, got = 0, flag, *value;
  MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum[0] == ranks * (ranks - 1) / 2 && sum[1] == ranks);
  MPI_Status status;
  CHECK(MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag);
  CHECK(flag && *value == MPI_PROC_NULL);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag);
  CHECK(flag && *value == MPI_ANY_SOURCE);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
  CHECK(flag && *value >= 32767);
  int provided;
  MPI_Query_thread(&provided);
  CHECK(provided == (is_taihu ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE));

  MPI_Comm graph;
  int neighbor = (rank + 1) % ranks, source = (rank + ranks - 1) % ranks, in, out, weighted, kind;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &source, MPI_UNWEIGHTED, 1, &neighbor, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  MPI_Topo_test(graph, &kind);
  CHECK(in == 1 && out == 1 && !weighted && kind == MPI_DIST_GRAPH);
  int counts[1] = {1};
  MPI_Aint places[1] = {0};
  MPI_Datatype types[1] = {MPI_INT};
  MPI_Neighbor_alltoallw(&rank, counts, places, types, &got, counts, places, types, graph);
  CHECK(got == source);
  MPI_Comm_free(&graph);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY,
                                 MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  CHECK(in == 0 && weighted);
  MPI_Comm_free(&graph);

  MPI_Win window;
  int shared = 7;
  MPI_Win_create(&shared, sizeof shared, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &value, &flag);
  CHECK(flag && *value == MPI_WIN_FLAVOR_CREATE);
  MPI_Win_get_attr(window, MPI_WIN_MODEL, &value, &flag);
  CHECK(flag && (*value == MPI_WIN_UNIFIED || *value == MPI_WIN_SEPARATE));
  MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, MPI_MODE_NOCHECK, window);
  MPI_Win_unlock(rank, window);
  CHECK(MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, window) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(MPI_PROC_NULL, window) == MPI_SUCCESS);
  CHECK(MPI_Win_flush_local(MPI_PROC_NULL, window) == MPI_SUCCESS);
  CHECK(MPI_Win_unlock(MPI_PROC_NULL, window) == MPI_SUCCESS);
  MPI_Win_free(&window);
  int* first = NULL;
  MPI_Aint bytes = 0;
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Win_allocate_shared(sizeof shared, 4, MPI_INFO_NULL, node, &value, &window);
  CHECK(MPI_Win_shared_query(window, MPI_PROC_NULL, &bytes, &flag, &first) == MPI_SUCCESS);
  CHECK(bytes == sizeof shared && first != NULL);
  MPI_Win_free(&window);
  MPI_Comm_free(&node);
  /* MPI_COMM_TYPE_RESOURCE_GUIDED of MPICH 4.2: without a hint there is no such communicator. */
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, 4, 0, MPI_INFO_NULL, &node) == MPI_SUCCESS &&
        node == MPI_COMM_NULL);
  CHECK(window == MPI_WIN_NULL);
}

static void datatypes(void) {
  MPI_Datatype type;
  int gsizes[1] = {40}, kinds[1] = {MPI_DISTRIBUTE_BLOCK}, defaults[1] = {MPI_DISTRIBUTE_DFLT_DARG},
      parts[1] = {2};
  MPI_Type_create_darray(2, 1, 1, gsizes, kinds, defaults, parts, MPI_ORDER_FORTRAN, MPI_DOUBLE, &type);
  int integer_count, address_count, type_count, combiner, integers[8], size;
  MPI_Type_get_envelope(type, &integer_count, &address_count, &type_count, &combiner);
  CHECK(combiner == MPI_COMBINER_DARRAY && integer_count == 8 && type_count == 1);
  MPI_Datatype of;
  MPI_Type_get_contents(type, 8, 0, 1, integers, NULL, &of);
  CHECK(integers[0] == 2 && integers[1] == 1 && integers[2] == 1 && integers[3] == 40);
  CHECK(integers[4] == MPI_DISTRIBUTE_BLOCK && integers[5] == MPI_DISTRIBUTE_DFLT_DARG && integers[6] == 2);
  CHECK(integers[7] == MPI_ORDER_FORTRAN && of == MPI_DOUBLE);
  MPI_Type_size(type, &size);
  CHECK(size == 20 * 8);
  MPI_Type_free(&type);
  CHECK(type == MPI_DATATYPE_NULL);
  const MPI_Count large_gsizes[1] = {40};
  CHECK(MPI_Type_create_darray_c(2, 1, 1, large_gsizes, kinds, defaults, parts, MPI_ORDER_C, MPI_DOUBLE,
                                 &type) == MPI_SUCCESS);
  MPI_Type_size(type, &size);
  CHECK(size == 20 * 8);
  MPI_Type_free(&type);
  /* The number that stands for the default in Taihu's ABI cannot be told from it: refused, not misunderstood.
   */
  defaults[0] = 19;
  gsizes[0] = 38;
  CHECK((MPI_Type_create_darray(2, 1, 1, gsizes, kinds, defaults, parts, MPI_ORDER_C, MPI_DOUBLE, &type) !=
         MPI_SUCCESS) == is_taihu);
  int sizes[2] = {4, 5}, halves[2] = {2, 2}, starts[2] = {1, 1};
  MPI_Type_create_subarray(2, sizes, halves, starts, MPI_ORDER_C, MPI_INT, &type);
  MPI_Type_get_contents(type, 8, 0, 1, integers, NULL, &of);
  CHECK(integers[0] == 2 && integers[7] == MPI_ORDER_C && of == MPI_INT);
  MPI_Type_free(&type);
  int lengths[40];
  MPI_Aint places[40];
  MPI_Datatype types[40]; /* more than fit on the stack of a conversion */
  for (int i = 0; i < 40; ++i) {
    lengths[i] = 1;
    places[i] = 8 * i;
    types[i] = i % 2 ? MPI_DOUBLE : MPI_LONG;
  }
  MPI_Type_create_struct(40, lengths, places, types, &type);
  MPI_Type_size(type, &size);
  CHECK(size == 320);
  MPI_Type_free(&type);
  MPI_Type_size(MPIX_C_FLOAT16, &size);
  CHECK(size == 2);
  _Float16 half = (_Float16)0.5, total = 0;
  MPI_Allreduce(&half, &total, 1, MPIX_C_FLOAT16, MPI_SUM, MPI_COMM_WORLD);
  CHECK((float)total == 0.5F * (float)ranks);
  MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);
  CHECK(type == MPI_REAL8 || type == MPI_DOUBLE_PRECISION || type == MPI_DOUBLE);
}

static void texts(void) {
  struct {
    char name[MPI_MAX_PROCESSOR_NAME], guard[8];
  } host;
  struct {
    char name[MPI_MAX_INFO_KEY], guard[8];
  } key;
  int length;
  memset(&host, 'x', sizeof host);
  memset(&key, 'x', sizeof key);
  MPI_Get_processor_name(host.name, &length);
  CHECK(length > 0 && length < MPI_MAX_PROCESSOR_NAME && host.name[length] == '\0' && host.guard[0] == 'x');
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Info_get_nthkey(info, 0, key.name);
  CHECK(strcmp(key.name, "key") == 0 && key.guard[0] == 'x');
  MPI_Info_free(&info);
  CHECK(info == MPI_INFO_NULL);
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Get_library_version(version, &length);
  CHECK(is_taihu || strstr(version, "MPICH"));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  is_taihu = strstr(version, "Taihu") != NULL;
  own_library();
  functions();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  errors();
  special_values();
  datatypes();
  texts();
  return end("foreign");
}
