// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/files/file_error.h"

#include <cerrno>
#include <system_error>

namespace taihu::mpi::files {

int file_error_class(int error_number) noexcept {
  switch (error_number) {
    case ENOENT:
      return MPI_ERR_NO_SUCH_FILE;
    case EEXIST:
      return MPI_ERR_FILE_EXISTS;
    case EACCES:
    case EPERM:
      return MPI_ERR_ACCESS;
    case EROFS:
      return MPI_ERR_READ_ONLY;
    case ENOSPC:
      return MPI_ERR_NO_SPACE;
    case EDQUOT:
      return MPI_ERR_QUOTA;
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
      return MPI_ERR_BAD_FILE;
    case EBUSY:
    case ETXTBSY:
      return MPI_ERR_FILE_IN_USE;
    case ENOMEM:
      return MPI_ERR_NO_MEM;
    case EOPNOTSUPP:
    case ENOLCK:
    case ENOSYS:
      return MPI_ERR_UNSUPPORTED_OPERATION;
    default:
      return MPI_ERR_IO;
  }
}

CallError file_error(int error_number, const std::string& action, const std::string& path) {
  return CallError(file_error_class(error_number),
                   "cannot " + action + " '" + path + "': " + std::generic_category().message(error_number));
}

}  // namespace taihu::mpi::files
