// SPDX-License-Identifier: Apache-2.0
// Stands for another implementation of MPI's standard binary interface when a program is linked: the names of
// the calls that collectives.c makes, none of which does anything.
#include <stdlib.h>

#define STUB(name)  \
  void name(void);  \
  void name(void) { \
    abort();        \
  }

STUB(MPI_Abort)
STUB(MPI_Allreduce)
STUB(MPI_Alltoall)
STUB(MPI_Bcast)
STUB(MPI_Comm_free)
STUB(MPI_Comm_rank)
STUB(MPI_Comm_remote_size)
STUB(MPI_Comm_size)
STUB(MPI_Comm_split)
STUB(MPI_Finalize)
STUB(MPI_Gather)
STUB(MPI_Iallgather)
STUB(MPI_Iallreduce)
STUB(MPI_Ibarrier)
STUB(MPI_Init)
STUB(MPI_Intercomm_create)
STUB(MPI_Intercomm_merge)
STUB(MPI_Op_create)
STUB(MPI_Op_free)
STUB(MPI_Reduce)
STUB(MPI_Scan)
STUB(MPI_Type_commit)
STUB(MPI_Type_contiguous)
STUB(MPI_Type_free)
STUB(MPI_Waitall)
