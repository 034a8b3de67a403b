// SPDX-License-Identifier: Apache-2.0
// Calls of Open MPI's ABI that need more than the rules of tools/mpi_open_mpi_abi.py.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "taihu/mpi/bindings/open_mpi_abi/convert.h"
#include "taihu/mpi/objects/errors/added_errors.h"

#define TAIHU_FOREIGN_NAMESPACE open_mpi
#define TAIHU_FOREIGN_CALL TAIHU_OPEN_MPI_CALL
#include "taihu/mpi/bindings/foreign_abi/special_calls.inc"
#undef TAIHU_FOREIGN_NAMESPACE
#undef TAIHU_FOREIGN_CALL

namespace {

/// Classes of processes that have failed: Open MPI has them since version 5, and programs ask what they mean.
/// Nothing here returns them.
const char* text_of_failure(int errorcode) noexcept {
  switch (errorcode) {
    case 75:
      return "MPI_ERR_PROC_FAILED: a process has failed";
    case 76:
      return "MPI_ERR_PROC_FAILED_PENDING: a process that may be the sender has failed";
    case 77:
      return "MPI_ERR_REVOKED: the communicator has been revoked";
    default:
      return nullptr;
  }
}

}  // namespace

TAIHU_OPEN_MPI_CALL(int, Error_class, (int errorcode, int* errorclass)) {
  if (errorclass != nullptr && text_of_failure(errorcode) != nullptr) {
    *errorclass = errorcode;
    return MPI_SUCCESS;
  }
  const int code = PMPI_Error_class(in_error(errorcode), errorclass);
  if (code == MPI_SUCCESS) *errorclass = out_error(*errorclass);
  return out_error(code);
}

// Texts that are shorter there.

TAIHU_OPEN_MPI_CALL(int, Error_string, (int errorcode, char* string, int* resultlen)) {
  if (const char* const text = text_of_failure(errorcode); text && string && resultlen) {
    give_text(text, string, their_MPI_MAX_ERROR_STRING, resultlen);
    return MPI_SUCCESS;
  }
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  const int code = PMPI_Error_string(in_error(errorcode), string != nullptr ? text : nullptr,
                                     resultlen != nullptr ? &length : nullptr);
  if (code == MPI_SUCCESS) give_text(text, string, their_MPI_MAX_ERROR_STRING, resultlen);
  return out_error(code);
}

/// What Open MPI 4.1 and 5.0 say: a program that hears of a later standard calls what this interface does not
/// have (mpi4py does).
TAIHU_OPEN_MPI_CALL(int, Get_version, (int* version, int* subversion)) {
  const int code = PMPI_Get_version(version, subversion);
  if (code == MPI_SUCCESS) {
    *version = 3;
    *subversion = 1;
  }
  return out_error(code);
}

TAIHU_OPEN_MPI_CALL(int, Get_library_version, (char* version, int* resultlen)) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  const int code =
      PMPI_Get_library_version(version != nullptr ? text : nullptr, resultlen != nullptr ? &length : nullptr);
  if (code == MPI_SUCCESS) give_text(text, version, their_MPI_MAX_LIBRARY_VERSION_STRING, resultlen);
  return out_error(code);
}

#define OBJECT_NAME(name, turn)                                                               \
  TAIHU_OPEN_MPI_CALL(int, name##_get_name, (Handle object, char* string, int* resultlen)) {  \
    char text[MPI_MAX_OBJECT_NAME];                                                           \
    int length = 0;                                                                           \
    const int code = PMPI_##name##_get_name(turn(object), string != nullptr ? text : nullptr, \
                                            resultlen != nullptr ? &length : nullptr);        \
    if (code == MPI_SUCCESS) give_text(text, string, their_MPI_MAX_OBJECT_NAME, resultlen);   \
    return out_error(code);                                                                   \
  }
OBJECT_NAME(Comm, in_communicator)
OBJECT_NAME(Type, in_datatype)
OBJECT_NAME(Win, in_window)
#undef OBJECT_NAME

// Handles as integers.

#define INTEGERS(name, Ours, turn)                                                         \
  TAIHU_OPEN_MPI_CALL(int, name##_c2f, (Handle handle)) {                                  \
    Rank* const rank = current_rank();                                                     \
    return rank != nullptr ? to_fortran(*rank, turn(handle)) : 0;                          \
  }                                                                                        \
  TAIHU_OPEN_MPI_CALL(Handle, name##_f2c, (int handle)) {                                  \
    Rank* const rank = current_rank();                                                     \
    const Ours ours = rank != nullptr ? from_fortran<Ours>(*rank, handle) : Ours{};        \
    return ours == nullptr || ours == invalid_handle<Ours>() ? nullptr : out_handle(ours); \
  }
INTEGERS(Comm, MPI_Comm, in_communicator)
INTEGERS(Errhandler, MPI_Errhandler, in_error_handler)
INTEGERS(File, MPI_File, in_file)
INTEGERS(Group, MPI_Group, in_group)
INTEGERS(Info, MPI_Info, in_info)
INTEGERS(Message, MPI_Message, in_message)
INTEGERS(Op, MPI_Op, in_operation)
INTEGERS(Request, MPI_Request, in_request)
INTEGERS(Session, MPI_Session, in_session)
INTEGERS(Type, MPI_Datatype, in_datatype)
INTEGERS(Win, MPI_Win, in_window)
#undef INTEGERS

// An extension of Open MPI: whether buffers may lie in the memory of a GPU.
TAIHU_OPEN_MPI_CALL(int, Query_cuda_support, (void)) {
  return 0;
}
