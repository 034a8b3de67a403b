/* SPDX-License-Identifier: Apache-2.0
 * Handles of every kind as integers, for Fortran and for other languages: there and back again, of
 * predefined, made and null handles; integers that are none. */
#include "check.h"

/* From a handle to the integer and back, by both pairs of calls; Fortran knows equal handles by equal
 * integers. */
#define ROUND_TRIP(kind, type, handle)                           \
  do {                                                           \
    type one = handle;                                           \
    CHECK(MPI_##kind##_f2c(MPI_##kind##_c2f(one)) == one);       \
    CHECK(MPI_##kind##_fromint(MPI_##kind##_toint(one)) == one); \
    CHECK(MPI_##kind##_c2f(one) == MPI_##kind##_c2f(one));       \
  } while (0)

static void ignore_errors(MPI_Comm* comm, int* error, ...) {
  (void)comm;
  (void)error;
}

static void predefined(void) {
  ROUND_TRIP(Comm, MPI_Comm, MPI_COMM_WORLD);
  ROUND_TRIP(Comm, MPI_Comm, MPI_COMM_SELF);
  ROUND_TRIP(Comm, MPI_Comm, MPI_COMM_NULL);
  ROUND_TRIP(Group, MPI_Group, MPI_GROUP_EMPTY);
  ROUND_TRIP(Group, MPI_Group, MPI_GROUP_NULL);
  ROUND_TRIP(Type, MPI_Datatype, MPI_INT);
  ROUND_TRIP(Type, MPI_Datatype, MPI_DOUBLE_INT);
  ROUND_TRIP(Type, MPI_Datatype, MPI_DATATYPE_NULL);
  ROUND_TRIP(Op, MPI_Op, MPI_SUM);
  ROUND_TRIP(Op, MPI_Op, MPI_REPLACE);
  ROUND_TRIP(Op, MPI_Op, MPI_OP_NULL);
  ROUND_TRIP(Errhandler, MPI_Errhandler, MPI_ERRORS_RETURN);
  ROUND_TRIP(Errhandler, MPI_Errhandler, MPI_ERRHANDLER_NULL);
  ROUND_TRIP(Info, MPI_Info, MPI_INFO_ENV);
  ROUND_TRIP(Info, MPI_Info, MPI_INFO_NULL);
  ROUND_TRIP(Request, MPI_Request, MPI_REQUEST_NULL);
  ROUND_TRIP(Message, MPI_Message, MPI_MESSAGE_NO_PROC);
  ROUND_TRIP(Message, MPI_Message, MPI_MESSAGE_NULL);
  ROUND_TRIP(Win, MPI_Win, MPI_WIN_NULL);
  ROUND_TRIP(File, MPI_File, MPI_FILE_NULL);
  CHECK(MPI_Comm_c2f(MPI_COMM_WORLD) != MPI_Comm_c2f(MPI_COMM_SELF));
  CHECK(MPI_Type_c2f(MPI_INT) != MPI_Type_c2f(MPI_FLOAT));
}

static void made(void) {
  MPI_Comm comm;
  MPI_Group group;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Errhandler handler;
  MPI_Info info;
  MPI_Win window;
  MPI_File file;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_group(comm, &group);
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Op_create((MPI_User_function*)ignore_errors, 1, &op);
  MPI_Comm_create_errhandler(ignore_errors, &handler);
  MPI_Info_create(&info);
  int memory = 0;
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, comm, &window);
  MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  ROUND_TRIP(Comm, MPI_Comm, comm);
  ROUND_TRIP(Group, MPI_Group, group);
  ROUND_TRIP(Type, MPI_Datatype, type);
  ROUND_TRIP(Op, MPI_Op, op);
  ROUND_TRIP(Errhandler, MPI_Errhandler, handler);
  ROUND_TRIP(Info, MPI_Info, info);
  ROUND_TRIP(Win, MPI_Win, window);
  ROUND_TRIP(File, MPI_File, file);

  /* What comes back works like the handle itself. */
  int size = 0;
  MPI_Comm_size(MPI_Comm_f2c(MPI_Comm_c2f(comm)), &size);
  CHECK(size == ranks);
  MPI_Type_size(MPI_Type_fromint(MPI_Type_toint(type)), &size);
  CHECK(size == 3 * (int)sizeof(int));

  MPI_File_close(&file);
  MPI_Win_free(&window);
  MPI_Info_free(&info);
  MPI_Errhandler_free(&handler);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
}

static void on_their_way(void) {
  MPI_Request request;
  MPI_Message message;
  int out = rank, in = -1;
  MPI_Irecv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request);
  ROUND_TRIP(Request, MPI_Request, request);
  MPI_Send(&out, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Request same = MPI_Request_f2c(MPI_Request_c2f(request));
  MPI_Wait(&same, MPI_STATUS_IGNORE);
  CHECK(in == rank);
  MPI_Isend(&out, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &request);
  MPI_Mprobe(rank, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  ROUND_TRIP(Message, MPI_Message, message);
  in = -1;
  MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  CHECK(in == rank && message == MPI_MESSAGE_NULL);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* An integer that is no handle gives a handle that calls refuse, not one that they trip over. */
static void no_handles(void) {
  const int integers[] = {-1, 123456789, 0x7fffffff};
  for (int k = 0; k < 3; ++k) {
    int size;
    MPI_Comm comm = MPI_Comm_f2c(integers[k]);
    CHECK(comm == MPI_COMM_NULL || MPI_Comm_size(comm, &size) != MPI_SUCCESS);
    MPI_Datatype type = MPI_Type_f2c(integers[k]);
    CHECK(type == MPI_DATATYPE_NULL || MPI_Type_size(type, &size) != MPI_SUCCESS);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  predefined();
  made();
  on_their_way();
  no_handles();
  return end("handles");
}
