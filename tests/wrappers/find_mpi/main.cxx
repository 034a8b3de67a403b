// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C"
#endif
    int part(void);

int main(int count, char **words) {
  int size;
  MPI_Init(&count, &words);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("part %d of %d\n", part(), size);
  MPI_Finalize();
  return 0;
}
