// SPDX-License-Identifier: Apache-2.0
// How soon a rank that only computes answers: rank 0 puts a number there, with reply word, and gets it back,
// after a pause of another length each time; rank 1 calls nothing meanwhile. Lines "call microseconds
// microseconds": the median and the 99th percentile. Data are checked each time.
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 100000 };
static long number;
static int reply;
static volatile int is_over;
static double put_times[most], get_times[most];

static void compute_until_over(void) {
  double x = 1;
  while (!is_over) {
    for (int i = 0; i < 1000000; i++) {
      x = x * 0.999999 + 1e-6;
      __asm__ volatile("" : "+x"(x));
    }
  }
}

static void pause_for(double seconds) {
  const double end = m_wtime() + seconds;
  while (m_wtime() < end) {
  }
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void report(const char* call, double* times, int count) {
  qsort(times, (size_t)count, sizeof *times, by_size);
  printf("%s %.2f %.2f\n", call, times[count / 2] * 1e6, times[count * 99L / 100] * 1e6);
}

static void ask(int count) {
  for (int i = 0; i < count; i++) {
    long sent = i + 1, answer = 0;
    pause_for(20e-6 * (i % 50));
    const double begin = m_wtime();
    m_msg_put_wait(1, &sent, &number, sizeof sent, &reply);
    const double told = m_wtime();
    m_msg_get_wait(1, &number, &answer, sizeof answer);
    put_times[i] = told - begin;
    get_times[i] = m_wtime() - told;
    if (answer != sent) {
      fprintf(stderr, "computing: got %ld after a put of %ld\n", answer, sent);
      m_abort(1);
    }
  }
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 1000;
  if (m_size(CCC_ALL) != 2) return fprintf(stderr, "computing: start it with -n 2\n"), 2;
  if (count < 1 || count > most) return fprintf(stderr, "computing: 1 to %d times\n", most), 2;
  m_barrier(CCC_ALL);
  if (m_rank(CCC_ALL) == 1) {
    compute_until_over();
  } else {
    ask(count);
    int over = 1;
    m_msg_put_wait(1, &over, (void*)&is_over, sizeof over, NULL);
    report("put", put_times, count);
    report("get", get_times, count);
  }
  m_barrier(CCC_ALL);
  if (m_rank(CCC_ALL) == 1 && reply != count) return fprintf(stderr, "computing: %d replies\n", reply), 1;
  return 0;
}
