// SPDX-License-Identifier: Apache-2.0
// An OpenMP program whose threads allocate, resize and free vectors, also those of others; prints a checksum.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { vectors = 400 };

int main(void) {
  static double* vector[vectors];
  static size_t length[vectors];
  double sum = 0;
  for (int round = 0; round < 20; round++) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(8) reduction(+ : sum)
    for (int at = 0; at < vectors; at++) {
      int own = (at * 7 + round * 13) % vectors;
      size_t wanted = (size_t)(own * 37 + round * 101) % 20000 + 1;
      vector[own] = realloc(vector[own], wanted * sizeof(double));
      for (size_t i = length[own]; i < wanted; i++) vector[own][i] = own;
      length[own] = wanted;
      sum += vector[own][0] + vector[own][wanted - 1];
      if (own % 5 == round % 5) {
        free(vector[own]);
        vector[own] = NULL;
        length[own] = 0;
      }
    }
  }
  for (int at = 0; at < vectors; at++) free(vector[at]);
  printf("checksum %.0f\n", sum);
  return 0;
}
