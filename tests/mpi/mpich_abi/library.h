/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_MPI_MPICH_ABI_LIBRARY_H
#define TESTS_MPI_MPICH_ABI_LIBRARY_H

int sum_over_ranks(int value);
int calls_so_far(void);
/* Calls of MPI_Send, by any part of the program. */
int sends_so_far(void);

#endif
