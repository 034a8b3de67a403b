// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/errors/error_texts.h"

#include <algorithm>
#include <iterator>

#include "taihu/abi/mpi.h"

namespace taihu::mpi {
namespace {

struct ErrorClass {
  int value;
  const char* name;
  const char* text;
};

#define TAIHU_CLASS(name, text) {name, #name, text}
constexpr ErrorClass classes[] = {
    TAIHU_CLASS(MPI_SUCCESS, "no error"),
    TAIHU_CLASS(MPI_ERR_BUFFER, "invalid buffer"),
    TAIHU_CLASS(MPI_ERR_COUNT, "invalid count"),
    TAIHU_CLASS(MPI_ERR_TYPE, "invalid datatype"),
    TAIHU_CLASS(MPI_ERR_TAG, "invalid tag"),
    TAIHU_CLASS(MPI_ERR_COMM, "invalid communicator"),
    TAIHU_CLASS(MPI_ERR_RANK, "the rank is not in the group or communicator"),
    TAIHU_CLASS(MPI_ERR_REQUEST, "invalid request"),
    TAIHU_CLASS(MPI_ERR_ROOT, "invalid root"),
    TAIHU_CLASS(MPI_ERR_GROUP, "invalid group"),
    TAIHU_CLASS(MPI_ERR_OP, "invalid reduction operation"),
    TAIHU_CLASS(MPI_ERR_TOPOLOGY, "the communicator has no such topology"),
    TAIHU_CLASS(MPI_ERR_DIMS, "invalid dimensions"),
    TAIHU_CLASS(MPI_ERR_ARG, "invalid argument"),
    TAIHU_CLASS(MPI_ERR_UNKNOWN, "unknown error"),
    TAIHU_CLASS(MPI_ERR_TRUNCATE, "the message is longer than the receive buffer"),
    TAIHU_CLASS(MPI_ERR_OTHER, "error that belongs to no other class"),
    TAIHU_CLASS(MPI_ERR_INTERN, "internal error of the MPI library"),
    TAIHU_CLASS(MPI_ERR_PENDING, "the operation is not complete yet"),
    TAIHU_CLASS(MPI_ERR_IN_STATUS, "the error codes are in the statuses"),
    TAIHU_CLASS(MPI_ERR_ACCESS, "permission denied"),
    TAIHU_CLASS(MPI_ERR_AMODE, "invalid access mode of a file"),
    TAIHU_CLASS(MPI_ERR_ASSERT, "invalid assertion about a window"),
    TAIHU_CLASS(MPI_ERR_BAD_FILE, "invalid file name"),
    TAIHU_CLASS(MPI_ERR_BASE, "invalid base address"),
    TAIHU_CLASS(MPI_ERR_CONVERSION, "a conversion function of the program has failed"),
    TAIHU_CLASS(MPI_ERR_DISP, "invalid displacement"),
    TAIHU_CLASS(MPI_ERR_DUP_DATAREP, "the data representation has been registered already"),
    TAIHU_CLASS(MPI_ERR_FILE_EXISTS, "the file exists already"),
    TAIHU_CLASS(MPI_ERR_FILE_IN_USE, "the file is open"),
    TAIHU_CLASS(MPI_ERR_FILE, "invalid file handle"),
    TAIHU_CLASS(MPI_ERR_INFO_KEY, "invalid key of an info object"),
    TAIHU_CLASS(MPI_ERR_INFO_NOKEY, "the info object has no such key"),
    TAIHU_CLASS(MPI_ERR_INFO_VALUE, "invalid value of an info object"),
    TAIHU_CLASS(MPI_ERR_INFO, "invalid info object"),
    TAIHU_CLASS(MPI_ERR_IO, "input or output has failed"),
    TAIHU_CLASS(MPI_ERR_KEYVAL, "invalid key of attributes"),
    TAIHU_CLASS(MPI_ERR_LOCKTYPE, "invalid kind of lock"),
    TAIHU_CLASS(MPI_ERR_NAME, "the service name is not published"),
    TAIHU_CLASS(MPI_ERR_NO_MEM, "no memory"),
    TAIHU_CLASS(MPI_ERR_NOT_SAME, "an argument of a collective call differs between ranks"),
    TAIHU_CLASS(MPI_ERR_NO_SPACE, "no space left on the device"),
    TAIHU_CLASS(MPI_ERR_NO_SUCH_FILE, "the file does not exist"),
    TAIHU_CLASS(MPI_ERR_PORT, "invalid port name"),
    TAIHU_CLASS(MPI_ERR_QUOTA, "the quota is used up"),
    TAIHU_CLASS(MPI_ERR_READ_ONLY, "the file or file system is read-only"),
    TAIHU_CLASS(MPI_ERR_RMA_ATTACH, "memory cannot be attached to the window"),
    TAIHU_CLASS(MPI_ERR_RMA_CONFLICT, "conflicting accesses to a window"),
    TAIHU_CLASS(MPI_ERR_RMA_RANGE, "the target memory is not part of the window"),
    TAIHU_CLASS(MPI_ERR_RMA_SHARED, "memory cannot be shared between the ranks"),
    TAIHU_CLASS(MPI_ERR_RMA_SYNC, "wrong synchronisation of a window"),
    TAIHU_CLASS(MPI_ERR_SERVICE, "invalid service name"),
    TAIHU_CLASS(MPI_ERR_SIZE, "invalid size"),
    TAIHU_CLASS(MPI_ERR_SPAWN, "processes could not be started"),
    TAIHU_CLASS(MPI_ERR_UNSUPPORTED_DATAREP, "the data representation is not supported"),
    TAIHU_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, "the operation is not supported"),
    TAIHU_CLASS(MPI_ERR_WIN, "invalid window"),
    TAIHU_CLASS(MPI_ERR_RMA_FLAVOR, "the window is of another flavor"),
    TAIHU_CLASS(MPI_ERR_PROC_ABORTED, "another process has ended early"),
    TAIHU_CLASS(MPI_ERR_VALUE_TOO_LARGE, "the value does not fit into its variable"),
    TAIHU_CLASS(MPI_ERR_SESSION, "invalid session"),
    TAIHU_CLASS(MPI_ERR_ERRHANDLER, "invalid error handler"),
    TAIHU_CLASS(MPI_ERR_ABI, "error of the binary interface"),
    TAIHU_CLASS(MPI_T_ERR_CANNOT_INIT, "the tool interface cannot be initialised"),
    TAIHU_CLASS(MPI_T_ERR_NOT_ACCESSIBLE, "the tool interface gives no access"),
    TAIHU_CLASS(MPI_T_ERR_NOT_INITIALIZED, "the tool interface is not initialised"),
    TAIHU_CLASS(MPI_T_ERR_NOT_SUPPORTED, "the tool interface does not support the operation"),
    TAIHU_CLASS(MPI_T_ERR_MEMORY, "no memory for the tool interface"),
    TAIHU_CLASS(MPI_T_ERR_INVALID, "invalid use of the tool interface"),
    TAIHU_CLASS(MPI_T_ERR_INVALID_INDEX, "invalid index of the tool interface"),
    TAIHU_CLASS(MPI_T_ERR_INVALID_ITEM, "invalid item of an enumeration"),
    TAIHU_CLASS(MPI_T_ERR_INVALID_SESSION, "invalid session of the tool interface"),
    TAIHU_CLASS(MPI_T_ERR_INVALID_HANDLE, "invalid handle of the tool interface"),
    TAIHU_CLASS(MPI_T_ERR_INVALID_NAME, "unknown name of a variable or category"),
    TAIHU_CLASS(MPI_T_ERR_OUT_OF_HANDLES, "no more handles of the tool interface"),
    TAIHU_CLASS(MPI_T_ERR_OUT_OF_SESSIONS, "no more sessions of the tool interface"),
    TAIHU_CLASS(MPI_T_ERR_CVAR_SET_NOT_NOW, "the control variable cannot be set now"),
    TAIHU_CLASS(MPI_T_ERR_CVAR_SET_NEVER, "the control variable cannot be set"),
    TAIHU_CLASS(MPI_T_ERR_PVAR_NO_WRITE, "the performance variable cannot be written"),
    TAIHU_CLASS(MPI_T_ERR_PVAR_NO_STARTSTOP, "the performance variable cannot be started or stopped"),
    TAIHU_CLASS(MPI_T_ERR_PVAR_NO_ATOMIC, "the performance variable cannot be read and reset at once"),
    TAIHU_CLASS(MPI_ERR_LASTCODE, "last predefined error code"),
};
#undef TAIHU_CLASS

const ErrorClass* find(int error_class) noexcept {
  const auto* const found = std::find_if(std::begin(classes), std::end(classes),
                                         [&](const ErrorClass& entry) { return entry.value == error_class; });
  return found != std::end(classes) ? found : nullptr;
}

}  // namespace

const char* error_class_name(int error_class) noexcept {
  const ErrorClass* const found = find(error_class);
  return found != nullptr ? found->name : nullptr;
}

const char* error_class_text(int error_class) noexcept {
  const ErrorClass* const found = find(error_class);
  return found != nullptr ? found->text : nullptr;
}

}  // namespace taihu::mpi
