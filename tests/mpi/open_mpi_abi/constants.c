/* SPDX-License-Identifier: Apache-2.0
 * That taihu/mpi/bindings/open_mpi_abi/constants.def and handles.def have the values of the mpi.h that this
 * is compiled with. Also run without Taihu. */
#include <stddef.h>
#include <stdint.h>

#include "../programs/check.h"

/* What Open MPI 4 does not have. */
#ifndef MPI_ERR_PROC_ABORTED
#define MPI_ERR_PROC_ABORTED 74
#endif
#ifndef MPI_ERR_SESSION
#define MPI_ERR_SESSION 78
#endif
#ifndef MPI_ERR_VALUE_TOO_LARGE
#define MPI_ERR_VALUE_TOO_LARGE 79
#endif
#ifndef MPI_ERR_ERRHANDLER
#define MPI_ERR_ERRHANDLER MPI_ERR_ARG
#endif
#ifndef MPI_T_ERR_NOT_SUPPORTED
#define MPI_T_ERR_NOT_SUPPORTED MPI_T_ERR_INVALID
#endif
#ifndef MPI_T_ERR_NOT_ACCESSIBLE
#define MPI_T_ERR_NOT_ACCESSIBLE MPI_T_ERR_INVALID
#endif
#define MPI_F_STATUS_SIZE (sizeof(MPI_Status) / sizeof(MPI_Fint))
#define MPI_F_SOURCE (offsetof(MPI_Status, MPI_SOURCE) / sizeof(MPI_Fint))
#define MPI_F_TAG (offsetof(MPI_Status, MPI_TAG) / sizeof(MPI_Fint))
#define MPI_F_ERROR (offsetof(MPI_Status, MPI_ERROR) / sizeof(MPI_Fint))
/* In a program the variable of the handle would be another type. */
#define MPI_UNWEIGHTED_IS ((int*)2)
#define MPI_WEIGHTS_EMPTY_IS ((int*)3)

static int compared;

static void compare(const char* name, intptr_t here, intptr_t expected) {
  ++compared;
  if (here == expected) return;
  fprintf(stderr, "%s is %ld in mpi.h and %ld in the .def\n", name, (long)here, (long)expected);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

#define COMPARE(name, value) compare(#name, (intptr_t)(name), (intptr_t)(value));
#define TAIHU_ERROR COMPARE
#define TAIHU_KEYVAL COMPARE
#define TAIHU_THREAD_LEVEL COMPARE
#define TAIHU_COMPARISON COMPARE
#define TAIHU_TOPOLOGY COMPARE
#define TAIHU_SPLIT COMPARE
#define TAIHU_ORDER COMPARE
#define TAIHU_DISTRIBUTION COMPARE
#define TAIHU_DISTRIBUTION_ARGUMENT COMPARE
#define TAIHU_COMBINER COMPARE
#define TAIHU_TYPE_CLASS COMPARE
#define TAIHU_LOCK COMPARE
#define TAIHU_FLAVOR COMPARE
#define TAIHU_MODEL COMPARE
#define TAIHU_FILE_MODE COMPARE
#define TAIHU_ASSERTION COMPARE
#define TAIHU_SEEK COMPARE
#define TAIHU_VERBOSITY COMPARE
#define TAIHU_BINDING COMPARE
#define TAIHU_SCOPE COMPARE
#define TAIHU_VARIABLE_CLASS COMPARE
#define TAIHU_RANK COMPARE
#define TAIHU_TAG COMPARE
#define TAIHU_DISPLACEMENT COMPARE
#define TAIHU_OTHER COMPARE

static void compare_numbers(void) {
#include "../../../taihu/mpi/bindings/open_mpi_abi/constants.def"
  COMPARE(MPI_UNWEIGHTED, MPI_UNWEIGHTED_IS)
  COMPARE(MPI_WEIGHTS_EMPTY, MPI_WEIGHTS_EMPTY_IS)
}

/* Handles are the addresses of variables, and integers in Fortran. */
#define ADDRESS(name, variable) compare(#name, (intptr_t)(name), (intptr_t)&(variable));
#define TAIHU_COMMUNICATOR(name, variable, index) \
  ADDRESS(name, variable) compare(#name " in Fortran", MPI_Comm_c2f(name), index);
#define TAIHU_GROUP(name, variable, index) \
  ADDRESS(name, variable) compare(#name " in Fortran", MPI_Group_c2f(name), index);
#define TAIHU_WINDOW(name, variable, index) \
  ADDRESS(name, variable) compare(#name " in Fortran", MPI_Win_c2f(name), index);
#define TAIHU_FILE(name, variable, index) \
  ADDRESS(name, variable) compare(#name " in Fortran", MPI_File_c2f(name), index);
#define TAIHU_MESSAGE(name, variable, index) \
  ADDRESS(name, variable) compare(#name " in Fortran", MPI_Message_c2f(name), index);
#define TAIHU_INFO(name, variable, index) \
  ADDRESS(name, variable) compare(#name " in Fortran", MPI_Info_c2f(name), index);
#define TAIHU_ERROR_HANDLER(name, variable, index) \
  ADDRESS(name, variable) compare(#name " in Fortran", MPI_Errhandler_c2f(name), index);
#define TAIHU_REQUEST(name, variable, index) \
  ADDRESS(name, variable) compare(#name " in Fortran", MPI_Request_c2f(name), index);
#define TAIHU_OPERATION(name, variable, index) \
  ADDRESS(name, variable) compare(#name " in Fortran", MPI_Op_c2f(name), index);
#define TAIHU_DATATYPE(name, variable, index) \
  ADDRESS(name, variable) compare(#name " in Fortran", MPI_Type_c2f(name), index);
/* Not in mpi.h where the Fortran compiler does not have them. */
#ifndef MPI_REAL2
#define MPI_REAL2 ((MPI_Datatype)(void*)&ompi_mpi_real2)
#endif
#ifndef MPI_LOGICAL1
#define MPI_LOGICAL1 ((MPI_Datatype)(void*)&ompi_mpi_logical1)
#endif
#ifndef MPI_LOGICAL2
#define MPI_LOGICAL2 ((MPI_Datatype)(void*)&ompi_mpi_logical2)
#endif
#ifndef MPI_LOGICAL4
#define MPI_LOGICAL4 ((MPI_Datatype)(void*)&ompi_mpi_logical4)
#endif
#ifndef MPI_LOGICAL8
#define MPI_LOGICAL8 ((MPI_Datatype)(void*)&ompi_mpi_logical8)
#endif
#ifndef MPI_INTEGER16
#define MPI_INTEGER16 ((MPI_Datatype)(void*)&ompi_mpi_integer16)
#endif

static void compare_handles(void) {
#include "../../../taihu/mpi/bindings/open_mpi_abi/handles.def"
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  compare_numbers();
  compare_handles();
  if (compared < 300) MPI_Abort(MPI_COMM_WORLD, 4);
  return end("constants");
}
