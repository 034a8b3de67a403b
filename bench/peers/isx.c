// SPDX-License-Identifier: Apache-2.0
// ISx, weak scaling with buckets of one width (WEAK_ISOBUCKET): each rank makes KEYS random keys, counts them
// by bucket, sorts them by bucket and sends each rank its bucket, whose keys are then counted value by value.
// Checked: each rank has keys of its bucket only, and all ranks together as many as were made, with the same
// sum. Time of one iteration.
#include <string.h>

#include "kernels.h"

enum { width = 8192 };  // values of a bucket

typedef struct {
  long *sent, *sent_from, *received, *received_from;  // for each rank: keys, and where they begin
} places;

static long sum_up(const long* counts, long* from, int size) {
  long sum = 0;
  for (int rank = 0; rank < size; rank++) from[rank] = sum, sum += counts[rank];
  return sum;
}

static long sum_of_keys(const int* keys, long count) {
  long sum = 0;
  for (long i = 0; i < count; i++) sum += keys[i];
  return sum;
}

static int* by_bucket(const int* keys, long count, const places* p, int size) {
  int* sorted = memory(count * sizeof *sorted);
  long* next = memory(size * sizeof *next);
  memcpy(next, p->sent_from, size * sizeof *next);
  for (long i = 0; i < count; i++) sorted[next[keys[i] / width]++] = keys[i];
  free(next);
  return sorted;
}

// Sorts new keys into `counts` of this rank's values; whether the result is right.
static int sort(long count, unsigned long* state, places* p, int* counts) {
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  int* keys = memory(count * sizeof *keys);
  for (long i = 0; i < count; i++) keys[i] = (int)random_below(state, (long)width * size);
  memset(p->sent, 0, size * sizeof *p->sent);
  for (long i = 0; i < count; i++) p->sent[keys[i] / width]++;
  sum_up(p->sent, p->sent_from, size);
  int* sorted = by_bucket(keys, count, p, size);
  m_alltoall(CCC_ALL, p->sent, p->received, 1, M_LONG);
  const long mine = sum_up(p->received, p->received_from, size);
  int* bucket = memory(mine * sizeof *bucket);
  m_alltoallv(CCC_ALL, sorted, p->sent, p->sent_from, bucket, p->received, p->received_from, M_INT);
  memset(counts, 0, width * sizeof *counts);
  int right = 1;
  for (long i = 0; i < mine; i++) {
    const unsigned value = (unsigned)(bucket[i] - rank * width);
    if (value < width)
      counts[value]++;
    else
      right = 0;
  }
  long change[2] = {mine - count, sum_of_keys(bucket, mine) - sum_of_keys(keys, count)};
  m_allreduce(CCC_ALL, change, change, 2, M_LONG, M_SUM);
  free(keys), free(sorted), free(bucket);
  return right && change[0] == 0 && change[1] == 0;
}

int main(int argc, char** argv) {
  const char* usage = "isx KEYS ITERATIONS";
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  const long count = argument(argc, argv, 1, 0, usage), iterations = argument(argc, argv, 2, 1, usage);
  if (size > 1 << 17) refuse("isx: %d ranks have values beyond an int", size);
  long* words = memory(4 * size * sizeof *words);
  places p = {words, words + size, words + 2 * size, words + 3 * size};
  int* counts = memory(width * sizeof *counts);
  unsigned long state = rank;
  int right = 1;
  double begin = 0;
  for (long iteration = 0; iteration <= iterations; iteration++) {
    if (iteration == 1) {  // the first one warms up
      m_barrier(CCC_ALL);
      begin = m_wtime();
    }
    right &= sort(count, &state, &p, counts);
    m_barrier(CCC_ALL);
  }
  const double seconds = (m_wtime() - begin) / iterations;
  long counted = 0;
  for (int value = 0; value < width; value++) counted += counts[value];
  m_allreduce(CCC_ALL, &counted, &counted, 1, M_LONG, M_SUM);
  free(words), free(counts);
  return report("isx", seconds, 1e-6 * count * size, "M keys", right && counted == count * size);
}
