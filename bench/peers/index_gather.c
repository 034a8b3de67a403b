// SPDX-License-Identifier: Apache-2.0
// bale's index gather: each rank gets REQUESTS numbers at random places of a table of PLACES per rank, dealt
// in turns; place i has
// -(i + 1). Time of all requests.
#include "kernels.h"

int main(int argc, char** argv) {
  const char* usage = "index_gather REQUESTS PLACES";
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  const long requests = argument(argc, argv, 1, 0, usage), places = argument(argc, argv, 2, 1, usage);
  long* table = symmetric_memory(places * sizeof *table);
  long *indices = memory(requests * sizeof *indices), *results = memory(requests * sizeof *results);
  for (long i = 0; i < places; i++) table[i] = -(i * size + rank + 1);
  unsigned long state = rank;
  for (long i = 0; i < requests; i++) indices[i] = random_below(&state, places * size), results[i] = 0;

  m_barrier(CCC_ALL);
  const double begin = m_wtime();
  m_aggregator_t aggregator = m_aggregator_open(0);
  for (long i = 0; i < requests; i++)
    m_aggregator_get(aggregator, (int)(indices[i] % size), &table[indices[i] / size], &results[i],
                     sizeof(long));
  m_aggregator_close(aggregator);
  m_barrier(CCC_ALL);
  const double seconds = m_wtime() - begin;

  int right = 1;
  for (long i = 0; i < requests; i++) right &= results[i] == -(indices[i] + 1);
  free(indices), free(results);
  m_free(table);
  return report("index_gather", seconds, 1e-6 * requests * size, "M requests", right);
}
