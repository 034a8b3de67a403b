/* SPDX-License-Identifier: Apache-2.0
 * That taihu/mpi/bindings/mpich_abi/constants.def has the values of the mpi.h that this is compiled with.
 * Also run without Taihu. */
#include <stdint.h>

#include "../programs/check.h"

/* What an older MPICH does not have yet. */
#ifndef MPI_T_ERR_NOT_ACCESSIBLE
#define MPI_T_ERR_NOT_ACCESSIBLE 79
#endif
#ifndef MPI_ERR_ERRHANDLER
#define MPI_ERR_ERRHANDLER 80
#endif

static int compared;

static void compare(const char* name, intptr_t here, unsigned expected) {
  ++compared;
  if ((unsigned)here == expected) return;
  fprintf(stderr, "%s is 0x%lx in mpi.h and 0x%x in constants.def\n", name, (long)here, expected);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

#define COMPARE(name, value) compare(#name, (intptr_t)(name), (unsigned)(value));
#define TAIHU_COMMUNICATOR COMPARE
#define TAIHU_GROUP COMPARE
#define TAIHU_WINDOW COMPARE
#define TAIHU_FILE COMPARE
#define TAIHU_MESSAGE COMPARE
#define TAIHU_INFO COMPARE
/* Of MPICH 4 and later. */
#ifndef MPI_SESSION_NULL
#define MPI_SESSION_NULL 0x38000000
#endif
#define TAIHU_SESSION COMPARE
#define TAIHU_ERROR_HANDLER COMPARE
#define TAIHU_REQUEST COMPARE
#define TAIHU_OPERATION COMPARE
#define TAIHU_DATATYPE COMPARE
#define TAIHU_ERROR COMPARE
#define TAIHU_KEYVAL COMPARE
#define TAIHU_THREAD_LEVEL COMPARE
#define TAIHU_COMPARISON COMPARE
#define TAIHU_TOPOLOGY COMPARE
#define TAIHU_SPLIT COMPARE
/* Of MPICH 4.2 and later. */
#ifndef MPI_COMM_TYPE_RESOURCE_GUIDED
#define MPI_COMM_TYPE_RESOURCE_GUIDED 4
#endif
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

int main(int argc, char** argv) {
  begin(&argc, &argv);
#include "../../../taihu/mpi/bindings/mpich_abi/constants.def"
  CHECK(compared > 300);
  CHECK(sizeof(MPI_Status) == 20 && sizeof(MPI_Comm) == 4 && sizeof(MPI_File) == 8 && sizeof(MPI_Aint) == 8);
  CHECK((intptr_t)MPI_COMM_DUP_FN == (intptr_t)MPI_TYPE_DUP_FN);
  return end("constants");
}
