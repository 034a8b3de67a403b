// SPDX-License-Identifier: Apache-2.0
// bale's histogram: each rank adds one to UPDATES random places of a table of PLACES numbers per rank, dealt
// in turns. Checked place by place: each rank counts for itself what all ranks' random numbers say of its
// part. Time of all updates.
#include "kernels.h"

int main(int argc, char** argv) {
  const char* usage = "histogram UPDATES PLACES";
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  const long updates = argument(argc, argv, 1, 0, usage), places = argument(argc, argv, 2, 1, usage);
  long* counts = symmetric_memory(places * sizeof *counts);
  long* indices = memory(updates * sizeof *indices);
  unsigned long state = rank;
  for (long i = 0; i < updates; i++) indices[i] = random_below(&state, places * size);

  m_barrier(CCC_ALL);
  const double begin = m_wtime();
  m_aggregator_t aggregator = m_aggregator_open(0);
  for (long i = 0; i < updates; i++)
    m_aggregator_add(aggregator, (int)(indices[i] % size), &counts[indices[i] / size], 1);
  m_aggregator_close(aggregator);
  m_barrier(CCC_ALL);
  const double seconds = m_wtime() - begin;

  for (int from = 0; from < size; from++) {
    state = from;
    for (long i = 0; i < updates; i++) {
      const long place = random_below(&state, places * size);
      if (place % size == rank) counts[place / size]--;
    }
  }
  int right = 1;
  for (long i = 0; i < places; i++) right &= counts[i] == 0;
  free(indices);
  m_free(counts);
  return report("histogram", seconds, 1e-6 * updates * size, "M updates", right);
}
