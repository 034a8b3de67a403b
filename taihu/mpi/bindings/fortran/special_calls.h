/* SPDX-License-Identifier: Apache-2.0
 *
 * How Fortran procedures are defined that follow no rule. Each exists under its profiling name, too.
 */
#ifndef TAIHU_MPI_FORTRAN_SPECIAL_CALLS_H
#define TAIHU_MPI_FORTRAN_SPECIAL_CALLS_H

#include <stddef.h>

#include "taihu/abi/mpi.h"

/* Defines mpi_name_ and pmpi_name_. */
#define FORTRAN(result, name, parameters)                   \
  result p##name parameters;                                \
  result name parameters __attribute__((alias("p" #name))); \
  result p##name parameters

/* ... and mpi_name_f08_ and pmpi_name_f08_, the same under the names of mpi_f08. */
#define FORTRAN_AND_F08(result, name, parameters)                    \
  result p##name parameters;                                         \
  result name##f08_ parameters __attribute__((alias("p" #name)));    \
  result p##name##f08_ parameters __attribute__((alias("p" #name))); \
  FORTRAN(result, name, parameters)

static inline void finish(int code, MPI_Fint* ierror) {
  if (ierror != NULL) *ierror = code;
}

#endif
