/* SPDX-License-Identifier: Apache-2.0 */
/* What C does with the statuses that Fortran gives it: for fortran_both.f90. */
#include <mpi.h>

int tag_of_status(const MPI_Fint* status) {
  MPI_Status in_c;
  if (status == MPI_F_STATUS_IGNORE || status == MPI_F_STATUSES_IGNORE) return -1;
  return MPI_Status_f2c(status, &in_c) == MPI_SUCCESS ? in_c.MPI_TAG : -2;
}

int tag_of_f08_status(const MPI_F08_status* status) {
  MPI_Status in_c;
  if (status == MPI_F08_STATUS_IGNORE || status == MPI_F08_STATUSES_IGNORE) return -1;
  return MPI_Status_f082c(status, &in_c) == MPI_SUCCESS ? in_c.MPI_TAG : -2;
}
