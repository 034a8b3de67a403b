/* SPDX-License-Identifier: Apache-2.0
 *
 * What the generated Fortran procedures use (tools/mpi_fortran.py). This code is part of
 * libmpi_abi_fortran.so, of which every rank has a copy of its own, because sentinels such as MPI_IN_PLACE
 * are recognised by the address that they have in the rank's program. Memory is taken with malloc; when there
 * is none the job ends.
 */
#ifndef TAIHU_MPI_FORTRAN_SUPPORT_H
#define TAIHU_MPI_FORTRAN_SUPPORT_H

#include <ISO_Fortran_binding.h>
#include <stddef.h>
#include <stdlib.h>

#include "taihu/abi/mpi.h"

/* Common blocks of mpif.h and of the modules; those of statuses are in mpi.h, with the variables of
 * mpi_f08. */
extern MPI_Fint mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_buffer_automatic_,
    mpi_fortran_errcodes_ignore_[1], mpi_fortran_unweighted_[1], mpi_fortran_weights_empty_[1];
extern char mpi_fortran_argv_null_[1], mpi_fortran_argvs_null_[1];

/* Predefined handles have the same numbers in both languages. */
#define TAIHU_FROM_FORTRAN(kind, type)                                                        \
  static inline type taihu_##kind(MPI_Fint number) {                                          \
    return number >= 0 && number < 0x400 ? (type)(intptr_t)number : MPI_##kind##_f2c(number); \
  }
TAIHU_FROM_FORTRAN(Comm, MPI_Comm)
TAIHU_FROM_FORTRAN(Type, MPI_Datatype)
TAIHU_FROM_FORTRAN(Errhandler, MPI_Errhandler)
TAIHU_FROM_FORTRAN(File, MPI_File)
TAIHU_FROM_FORTRAN(Group, MPI_Group)
TAIHU_FROM_FORTRAN(Info, MPI_Info)
TAIHU_FROM_FORTRAN(Message, MPI_Message)
TAIHU_FROM_FORTRAN(Op, MPI_Op)
TAIHU_FROM_FORTRAN(Request, MPI_Request)
TAIHU_FROM_FORTRAN(Session, MPI_Session)
TAIHU_FROM_FORTRAN(Win, MPI_Win)

static inline void* taihu_buffer(void* address) {
  if (address == &mpi_fortran_bottom_) return MPI_BOTTOM;
  if (address == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  if (address == &mpi_fortran_buffer_automatic_) return MPI_BUFFER_AUTOMATIC;
  return address;
}

/* A status of Fortran has the layout of MPI_Status. */
static inline MPI_Status* taihu_status(MPI_Fint* status) {
  return status == mpi_fortran_status_ignore_ || status == mpi_f08_status_ignore_ ? MPI_STATUS_IGNORE
                                                                                  : (MPI_Status*)status;
}
static inline MPI_Status* taihu_statuses(MPI_Fint* statuses) {
  return statuses == mpi_fortran_statuses_ignore_ || statuses == mpi_f08_statuses_ignore_
             ? MPI_STATUSES_IGNORE
             : (MPI_Status*)statuses;
}
static inline int* taihu_error_codes(MPI_Fint* codes) {
  return codes == mpi_fortran_errcodes_ignore_ ? MPI_ERRCODES_IGNORE : codes;
}
static inline int* taihu_weights(MPI_Fint* weights) {
  if (weights == mpi_fortran_unweighted_) return MPI_UNWEIGHTED;
  return weights == mpi_fortran_weights_empty_ ? MPI_WEIGHTS_EMPTY : weights;
}

/* Zeroed memory for `count` elements. */
void* taihu_array(MPI_Aint count, size_t element_bytes);
/* A text of Fortran without its trailing blanks (and without leading ones), zero-terminated; to be freed. */
char* taihu_text(const char* text, size_t length, int leading_too);
/* Fills a text of Fortran, blanks behind. */
void taihu_store_text(char* text, size_t length, const char* value);

/* Ranks that a collective of the communicator talks to, and neighbours in its topology. */
int taihu_partners(MPI_Fint comm);
int taihu_neighbours(MPI_Fint comm, int outgoing);

/* The address that a descriptor stands for. */
static inline void* taihu_described(const CFI_cdesc_t* array) {
  return taihu_buffer(array->base_addr);
}

/* A buffer of mpi_f08: a section of an array that does not lie in one piece is described by a datatype. */
struct taihu_section {
  void* address;
  MPI_Count count;
  MPI_Datatype datatype;
  int made; /* the datatype is to be freed */
};
struct taihu_section taihu_section_of(const CFI_cdesc_t* array, MPI_Count count, MPI_Datatype datatype);
static inline void taihu_free_section(struct taihu_section* section) {
  if (section->made) MPI_Type_free(&section->datatype);
}

#endif
