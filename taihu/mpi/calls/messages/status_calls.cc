// SPDX-License-Identifier: Apache-2.0
// The fields of a status (MPI-4.1 sections 3.2.5 and 3.8.4, MPI-5.0's calls that set and get them). What
// counts elements needs datatypes: types/query_calls.cc.
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/request.h"

namespace taihu::mpi::messages {

MPI_CALL(int, Test_cancelled, (const MPI_Status* status, int* flag)) {
  *flag = is_cancelled(*status) ? 1 : 0;
  return MPI_SUCCESS;
}

MPI_CALL(int, Status_set_cancelled, (MPI_Status * status, int flag)) {
  status->MPI_internal[2] = flag != 0 ? 1 : 0;
  return MPI_SUCCESS;
}

MPI_CALL(int, Status_get_source, (const MPI_Status* status, int* source)) {
  *source = status->MPI_SOURCE;
  return MPI_SUCCESS;
}

MPI_CALL(int, Status_get_tag, (const MPI_Status* status, int* tag)) {
  *tag = status->MPI_TAG;
  return MPI_SUCCESS;
}

MPI_CALL(int, Status_get_error, (const MPI_Status* status, int* error)) {
  *error = status->MPI_ERROR;
  return MPI_SUCCESS;
}

MPI_CALL(int, Status_set_source, (MPI_Status * status, int source)) {
  status->MPI_SOURCE = source;
  return MPI_SUCCESS;
}

MPI_CALL(int, Status_set_tag, (MPI_Status * status, int tag)) {
  status->MPI_TAG = tag;
  return MPI_SUCCESS;
}

MPI_CALL(int, Status_set_error, (MPI_Status * status, int error)) {
  status->MPI_ERROR = error;
  return MPI_SUCCESS;
}

}  // namespace taihu::mpi::messages
