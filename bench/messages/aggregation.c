// SPDX-License-Identifier: Apache-2.0
// Fine-grained updates of tables on other ranks, in millions of updates per second and rank: 8-byte puts to
// random places by m_msg_put with 64 handles under way, the same by an aggregator, and a histogram by
// aggregated additions. Results are checked. Argument: updates per rank (default 100000).
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { places = 1 << 16, window = 64 };
static long table[places], histogram[places];

// Global place i goes to i * 40503 mod their number, which is a power of two times the ranks: each one once.
static long place_of(long i, long all) {
  return (long)((unsigned long)i * 40503UL % (unsigned long)all);
}

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "aggregation: wrong result of %s on rank %d\n", what, m_rank(CCC_ALL));
  m_abort(1);
}

static double longest(double seconds) {
  m_allreduce(CCC_ALL, &seconds, &seconds, 1, M_DOUBLE, M_MAX);
  return seconds;
}

static void check_table(long updates, const char* what) {
  m_barrier(CCC_ALL);
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  const long all = (long)places * size;
  long found = 0;
  for (long p = 0; p < places; p++) {
    if (table[p] == 0) continue;
    found++;
    check(place_of(table[p] - 1, all) == rank * (long)places + p, what);
  }
  m_allreduce(CCC_ALL, &found, &found, 1, M_LONG, M_SUM);
  const long expected = updates < places ? updates : places;
  check(found == expected * size, what);
  memset(table, 0, sizeof table);
  m_barrier(CCC_ALL);
}

int main(int argc, char** argv) {
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  const long updates = argc > 1 ? atol(argv[1]) : 100000, all = (long)places * size;
  if (all % 40503 == 0) return fprintf(stderr, "aggregation: choose another number of ranks\n"), 2;

  m_barrier(CCC_ALL);
  double begin = m_wtime();
  handle_t handles[window] = {0};
  long values[window];
  for (long i = 0; i < updates; i++) {
    const long from = (rank + i * size) % all, to = place_of(from, all);
    m_wait_msg(handles[i % window]);
    values[i % window] = from + 1;
    handles[i % window] =
        m_msg_put((int)(to / places), &values[i % window], &table[to % places], sizeof(long), NULL);
  }
  for (int i = 0; i < window; i++) m_wait_msg(handles[i]);
  const double plain = longest(m_wtime() - begin);
  check_table(updates, "plain puts");

  m_aggregator_t aggregator = m_aggregator_open(0);
  begin = m_wtime();
  for (long i = 0; i < updates; i++) {
    const long from = (rank + i * size) % all, to = place_of(from, all), value = from + 1;
    m_aggregator_put(aggregator, (int)(to / places), &value, &table[to % places], sizeof value);
  }
  m_aggregator_flush(aggregator);
  const double aggregated = longest(m_wtime() - begin);
  check_table(updates, "aggregated puts");

  begin = m_wtime();
  for (long i = 0; i < updates; i++) {
    const long to = place_of((rank + i * size) % all, all);
    m_aggregator_add(aggregator, (int)(to / places), &histogram[to % places], 1);
  }
  m_aggregator_flush(aggregator);
  const double additions = longest(m_wtime() - begin);
  m_barrier(CCC_ALL);
  long sum = 0;
  for (long p = 0; p < places; p++) sum += histogram[p];
  m_allreduce(CCC_ALL, &sum, &sum, 1, M_LONG, M_SUM);
  check(sum == updates * size, "the histogram");
  m_aggregator_close(aggregator);

  if (rank == 0) {
    printf("%d ranks, %ld updates each; millions per second and rank\n", size, updates);
    printf("%-28s %10.3f\n%-28s %10.3f   %.1f times as fast\n%-28s %10.3f\n", "m_msg_put",
           updates / plain / 1e6, "m_aggregator_put", updates / aggregated / 1e6, plain / aggregated,
           "m_aggregator_add", updates / additions / 1e6);
  }
  return 0;
}
