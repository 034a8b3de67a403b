/* SPDX-License-Identifier: Apache-2.0
 *
 * What the Fortran library asks of the MPI library beyond the calls of C: objects whose procedures are
 * written in Fortran, and attributes with their values instead of addresses. All return an error code, after
 * the error handler.
 */
#ifndef TAIHU_MPI_FORTRAN_ENTRY_H
#define TAIHU_MPI_FORTRAN_ENTRY_H

#include "taihu/abi/mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

enum taihu_carrier {
  taihu_on_communicator,
  taihu_on_datatype,
  taihu_on_window,
  taihu_on_file,
  taihu_on_session
};

/* The procedures take INTEGER values when `old_style` is set (MPI_KEYVAL_CREATE), else
 * INTEGER(KIND=MPI_ADDRESS_KIND). */
int taihu_fortran_create_keyval(enum taihu_carrier carrier, void (*copy)(void), void (*remove)(void),
                                MPI_Aint extra_state, int old_style, int* keyval);
int taihu_fortran_set_attribute(enum taihu_carrier carrier, MPI_Fint object, int keyval, MPI_Aint value,
                                int old_style);
int taihu_fortran_get_attribute(enum taihu_carrier carrier, MPI_Fint object, int keyval, MPI_Aint* value,
                                int* flag);

/* subroutine f(invec, inoutvec, len, datatype) */
int taihu_fortran_create_operation(void (*procedure)(void), int commute, MPI_Op* op);
/* The same with INTEGER(KIND=MPI_COUNT_KIND) len. */
int taihu_fortran_create_large_operation(void (*procedure)(void), int commute, MPI_Op* op);
/* subroutine f(object, code) */
int taihu_fortran_create_error_handler(enum taihu_carrier carrier, void (*procedure)(void),
                                       MPI_Errhandler* handler);

#ifdef __cplusplus
}
#endif

#endif
