// SPDX-License-Identifier: Apache-2.0
// A shared library of the program call_sites.c that calls MPI itself.
int sum_in_library(int number);
