// SPDX-License-Identifier: Apache-2.0
// Handles and integers: ..._c2f and ..._toint are the same, and so are ..._f2c and ..._fromint. An integer
// that is no handle of the kind gives the null handle.
#include <cstring>

#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/handles/handle_table.h"

using namespace taihu::mpi;

MPI_CALL(MPI_Fint, Comm_c2f, (MPI_Comm comm)) {
  return to_integer(this_rank("MPI_Comm_c2f"), comm);
}

MPI_CALL(MPI_Comm, Comm_f2c, (MPI_Fint comm)) {
  return from_integer(this_rank("MPI_Comm_f2c"), comm, Kind::communicator, MPI_COMM_NULL);
}

MPI_CALL(int, Comm_toint, (MPI_Comm comm)) {
  return to_integer(this_rank("MPI_Comm_toint"), comm);
}

MPI_CALL(MPI_Comm, Comm_fromint, (int comm)) {
  return from_integer(this_rank("MPI_Comm_fromint"), comm, Kind::communicator, MPI_COMM_NULL);
}

MPI_CALL(MPI_Fint, Errhandler_c2f, (MPI_Errhandler errhandler)) {
  return to_integer(this_rank("MPI_Errhandler_c2f"), errhandler);
}

MPI_CALL(MPI_Errhandler, Errhandler_f2c, (MPI_Fint errhandler)) {
  return from_integer(this_rank("MPI_Errhandler_f2c"), errhandler, Kind::error_handler, MPI_ERRHANDLER_NULL);
}

MPI_CALL(int, Errhandler_toint, (MPI_Errhandler errhandler)) {
  return to_integer(this_rank("MPI_Errhandler_toint"), errhandler);
}

MPI_CALL(MPI_Errhandler, Errhandler_fromint, (int errhandler)) {
  return from_integer(this_rank("MPI_Errhandler_fromint"), errhandler, Kind::error_handler,
                      MPI_ERRHANDLER_NULL);
}

MPI_CALL(MPI_Fint, File_c2f, (MPI_File file)) {
  return to_integer(this_rank("MPI_File_c2f"), file);
}

MPI_CALL(MPI_File, File_f2c, (MPI_Fint file)) {
  return from_integer(this_rank("MPI_File_f2c"), file, Kind::file, MPI_FILE_NULL);
}

MPI_CALL(int, File_toint, (MPI_File file)) {
  return to_integer(this_rank("MPI_File_toint"), file);
}

MPI_CALL(MPI_File, File_fromint, (int file)) {
  return from_integer(this_rank("MPI_File_fromint"), file, Kind::file, MPI_FILE_NULL);
}

MPI_CALL(MPI_Fint, Group_c2f, (MPI_Group group)) {
  return to_integer(this_rank("MPI_Group_c2f"), group);
}

MPI_CALL(MPI_Group, Group_f2c, (MPI_Fint group)) {
  return from_integer(this_rank("MPI_Group_f2c"), group, Kind::group, MPI_GROUP_NULL);
}

MPI_CALL(int, Group_toint, (MPI_Group group)) {
  return to_integer(this_rank("MPI_Group_toint"), group);
}

MPI_CALL(MPI_Group, Group_fromint, (int group)) {
  return from_integer(this_rank("MPI_Group_fromint"), group, Kind::group, MPI_GROUP_NULL);
}

MPI_CALL(MPI_Fint, Info_c2f, (MPI_Info info)) {
  return to_integer(this_rank("MPI_Info_c2f"), info);
}

MPI_CALL(MPI_Info, Info_f2c, (MPI_Fint info)) {
  return from_integer(this_rank("MPI_Info_f2c"), info, Kind::info, MPI_INFO_NULL);
}

MPI_CALL(int, Info_toint, (MPI_Info info)) {
  return to_integer(this_rank("MPI_Info_toint"), info);
}

MPI_CALL(MPI_Info, Info_fromint, (int info)) {
  return from_integer(this_rank("MPI_Info_fromint"), info, Kind::info, MPI_INFO_NULL);
}

MPI_CALL(MPI_Fint, Message_c2f, (MPI_Message message)) {
  return to_integer(this_rank("MPI_Message_c2f"), message);
}

MPI_CALL(MPI_Message, Message_f2c, (MPI_Fint message)) {
  return from_integer(this_rank("MPI_Message_f2c"), message, Kind::message, MPI_MESSAGE_NULL);
}

MPI_CALL(int, Message_toint, (MPI_Message message)) {
  return to_integer(this_rank("MPI_Message_toint"), message);
}

MPI_CALL(MPI_Message, Message_fromint, (int message)) {
  return from_integer(this_rank("MPI_Message_fromint"), message, Kind::message, MPI_MESSAGE_NULL);
}

MPI_CALL(MPI_Fint, Op_c2f, (MPI_Op op)) {
  return to_integer(this_rank("MPI_Op_c2f"), op);
}

MPI_CALL(MPI_Op, Op_f2c, (MPI_Fint op)) {
  return from_integer(this_rank("MPI_Op_f2c"), op, Kind::operation, MPI_OP_NULL);
}

MPI_CALL(int, Op_toint, (MPI_Op op)) {
  return to_integer(this_rank("MPI_Op_toint"), op);
}

MPI_CALL(MPI_Op, Op_fromint, (int op)) {
  return from_integer(this_rank("MPI_Op_fromint"), op, Kind::operation, MPI_OP_NULL);
}

MPI_CALL(MPI_Fint, Request_c2f, (MPI_Request request)) {
  return to_integer(this_rank("MPI_Request_c2f"), request);
}

MPI_CALL(MPI_Request, Request_f2c, (MPI_Fint request)) {
  return from_integer(this_rank("MPI_Request_f2c"), request, Kind::request, MPI_REQUEST_NULL);
}

MPI_CALL(int, Request_toint, (MPI_Request request)) {
  return to_integer(this_rank("MPI_Request_toint"), request);
}

MPI_CALL(MPI_Request, Request_fromint, (int request)) {
  return from_integer(this_rank("MPI_Request_fromint"), request, Kind::request, MPI_REQUEST_NULL);
}

MPI_CALL(MPI_Fint, Type_c2f, (MPI_Datatype datatype)) {
  return to_integer(this_rank("MPI_Type_c2f"), datatype);
}

MPI_CALL(MPI_Datatype, Type_f2c, (MPI_Fint datatype)) {
  return from_integer(this_rank("MPI_Type_f2c"), datatype, Kind::datatype, MPI_DATATYPE_NULL);
}

MPI_CALL(int, Type_toint, (MPI_Datatype datatype)) {
  return to_integer(this_rank("MPI_Type_toint"), datatype);
}

MPI_CALL(MPI_Datatype, Type_fromint, (int datatype)) {
  return from_integer(this_rank("MPI_Type_fromint"), datatype, Kind::datatype, MPI_DATATYPE_NULL);
}

MPI_CALL(MPI_Fint, Win_c2f, (MPI_Win win)) {
  return to_integer(this_rank("MPI_Win_c2f"), win);
}

MPI_CALL(MPI_Win, Win_f2c, (MPI_Fint win)) {
  return from_integer(this_rank("MPI_Win_f2c"), win, Kind::window, MPI_WIN_NULL);
}

MPI_CALL(int, Win_toint, (MPI_Win win)) {
  return to_integer(this_rank("MPI_Win_toint"), win);
}

MPI_CALL(MPI_Win, Win_fromint, (int win)) {
  return from_integer(this_rank("MPI_Win_fromint"), win, Kind::window, MPI_WIN_NULL);
}

MPI_CALL(int, Session_toint, (MPI_Session session)) {
  return to_integer(this_rank("MPI_Session_toint"), session);
}

MPI_CALL(MPI_Session, Session_fromint, (int session)) {
  return from_integer(this_rank("MPI_Session_fromint"), session, Kind::session, MPI_SESSION_NULL);
}

// MPI-4.0 knows these two by their older names as well.
MPI_CALL(MPI_Fint, Session_c2f, (MPI_Session session)) {
  return to_integer(this_rank("MPI_Session_c2f"), session);
}

MPI_CALL(MPI_Session, Session_f2c, (MPI_Fint session)) {
  return from_integer(this_rank("MPI_Session_f2c"), session, Kind::session, MPI_SESSION_NULL);
}

// A status is the same eight integers in C, in old Fortran and in mpi_f08.
static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint));

namespace {

int copy_status(const void* from, void* to) noexcept {
  if (from == MPI_STATUS_IGNORE || to == MPI_STATUS_IGNORE) return MPI_ERR_ARG;
  std::memcpy(to, from, sizeof(MPI_Status));
  return MPI_SUCCESS;
}

}  // namespace

MPI_CALL(int, Status_c2f, (const MPI_Status* c_status, MPI_Fint* f_status)) {
  return copy_status(c_status, f_status);
}

MPI_CALL(int, Status_f2c, (const MPI_Fint* f_status, MPI_Status* c_status)) {
  return copy_status(f_status, c_status);
}

MPI_CALL(int, Status_c2f08, (const MPI_Status* c_status, MPI_F08_status* f08_status)) {
  return copy_status(c_status, f08_status);
}

MPI_CALL(int, Status_f082c, (const MPI_F08_status* f08_status, MPI_Status* c_status)) {
  return copy_status(f08_status, c_status);
}

MPI_CALL(int, Status_f082f, (const MPI_F08_status* f08_status, MPI_Fint* f_status)) {
  return copy_status(f08_status, f_status);
}

MPI_CALL(int, Status_f2f08, (const MPI_Fint* f_status, MPI_F08_status* f08_status)) {
  return copy_status(f_status, f08_status);
}
