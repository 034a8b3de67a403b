// SPDX-License-Identifier: Apache-2.0
// RandomAccess of the HPC Challenge: a table of 2^LOGARITHM words, word i holding i, dealt in blocks; 4
// updates per word, table[a mod size] ^= a for a stream of numbers a, of which each rank makes its part. A
// rank holds back at most 1024 updates, the benchmark's limit: it sorts 1024 by owner, puts each owner's with
// a reply word, and makes those that the others have put. There are two sets of places to put them: others
// are at most one round ahead. Time of all updates. The benchmark tolerates 1% wrong words, here none may be
// wrong.
#include <limits.h>

#include "kernels.h"

enum { held_back = 1024 };

// Updates of one rank for another.
typedef struct {
  long count;
  unsigned long values[held_back];
} packet;

static int arrived[2];

// The stream: powers of x modulo x^64 + x^2 + x + 1 over GF(2), bit i for x^i.
static unsigned long next_of(unsigned long a) {
  return a << 1 ^ ((long)a < 0 ? 7 : 0);
}

static unsigned long product(unsigned long a, unsigned long b) {
  unsigned long sum = 0;
  for (; b != 0; b >>= 1, a = next_of(a))
    if (b & 1) sum ^= a;
  return sum;
}

static unsigned long power_of_x(unsigned long exponent) {
  unsigned long result = 1, square = 2;
  for (; exponent != 0; exponent >>= 1, square = product(square, square))
    if (exponent & 1) result = product(result, square);
  return result;
}

static void apply(unsigned long* table, long first, long words, const packet* updates) {
  for (long i = 0; i < updates->count; i++)
    table[(updates->values[i] & (words - 1)) - first] ^= updates->values[i];
}

// `out`: one packet for each rank; `in`: two sets of them, symmetric, in which packet r is from rank r.
static void update(unsigned long* table, long words, packet* out, packet* in) {
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  const long first = first_of(words, rank, size);
  const long updates = 4 * words, begin = first_of(updates, rank, size), most = (updates + size - 1) / size;
  long left = first_of(updates, rank + 1, size) - begin;
  unsigned long a = power_of_x(begin);
  handle_t* handles = memory(size * sizeof(handle_t));
  for (long round = 0; round * held_back < most; round++) {
    for (int to = 0; to < size; to++) out[to].count = 0;
    for (int i = 0; i < held_back && left > 0; i++, left--) {
      a = next_of(a);
      packet* p = &out[owner_of(a & (words - 1), words, size)];
      p->values[p->count++] = a;
    }
    packet* set = in + round % 2 * size;
    for (int to = 0; to < size; to++) {
      if (to == rank) continue;
      handles[to] =
          m_msg_put(to, &out[to], &set[rank], sizeof(long) * (1 + out[to].count), &arrived[round % 2]);
    }
    apply(table, first, words, &out[rank]);
    m_wait_reply(&arrived[round % 2], (int)(round / 2 + 1) * (size - 1));
    for (int from = 0; from < size; from++)
      if (from != rank) apply(table, first, words, &set[from]);
    for (int to = 0; to < size; to++)
      if (to != rank) m_wait_msg(handles[to]);
  }
  free(handles);
}

// Makes those updates of the whole stream that are for this rank's words once more, which undoes them.
static int is_right(unsigned long* table, long words) {
  const long first = first_of(words, m_rank(CCC_ALL), m_size(CCC_ALL));
  const long count = first_of(words, m_rank(CCC_ALL) + 1, m_size(CCC_ALL)) - first;
  unsigned long a = 1;
  for (long i = 0; i < 4 * words; i++) {
    a = next_of(a);
    const long place = (long)(a & (words - 1)) - first;
    if (place >= 0 && place < count) table[place] ^= a;
  }
  int right = 1;
  for (long i = 0; i < count; i++) right &= table[i] == (unsigned long)(first + i);
  return right;
}

int main(int argc, char** argv) {
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  const long logarithm = argument(argc, argv, 1, 0, "random_access LOGARITHM"),
             words = 1L << (logarithm & 63);
  if (logarithm > 40 || words < size || 4 * words / held_back >= INT_MAX)
    refuse("random_access: 2^%ld words are fewer than %d ranks or beyond 2^38", logarithm, size);
  const long first = first_of(words, rank, size), count = first_of(words, rank + 1, size) - first;
  unsigned long* table = memory(count * sizeof *table);
  for (long i = 0; i < count; i++) table[i] = first + i;
  packet *out = memory(size * sizeof *out), *in = symmetric_memory(2 * size * sizeof *in);
  m_barrier(CCC_ALL);
  const double begin = m_wtime();
  update(table, words, out, in);
  m_barrier(CCC_ALL);
  const double seconds = m_wtime() - begin;
  const int right = is_right(table, words);
  free(table), free(out);
  m_free(in);
  return report("random_access", seconds, 4e-9 * words, "G updates", right);
}
