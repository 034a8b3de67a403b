// SPDX-License-Identifier: Apache-2.0
// What get_task_id costs. In each repetition: tasks without work, tasks with work, and the same work divided
// beforehand by forall, in turns. Rank 0 prints three times of each in ns per task; the sum of all ids is
// checked. usage: tasks processes|threads EMPTY-TASKS WORKING-TASKS REPETITIONS [checkpoint file]
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { work_steps = 10000 };  // the page says how long they took

static const char* file;
static long total;
static int with_work, divided;
static long sum;
static volatile unsigned long sink;

static void work(long id) {
  unsigned long state = (unsigned long)id;
  for (int i = 0; i < work_steps; i++) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    state ^= state >> 29;  // compilers join several steps of the first line alone
  }
  sink = state;
}

static long take_all(void) {
  long own = 0, id;
  while ((id = get_task_id(total, file, CCC_ALL)) >= 0) {
    own += id + 1;
    if (with_work) work(id);
  }
  return own;
}

__kernel void kernel(void* unused) {
  (void)unused;
  long own = 0;
  if (divided) {
    forall(long id = 0; id < total; id++; BLOCK; CCC_ARRAY) {
      own += id + 1;
      work(id);
    }
  } else {
    own = take_all();
  }
  __atomic_fetch_add(&sum, own, __ATOMIC_RELAXED);
}

static long in_process(void) {
  long own = 0;
  if (!divided) return take_all();
  forall(long id = 0; id < total; id++; BLOCK; CCC_ALL) {
    own += id + 1;
    work(id);
  }
  return own;
}

/* Nanoseconds per task of one round; -1: not every task was done once. */
static double run(int threads) {
  if (m_rank(CCC_ALL) == 0 && file != NULL) unlink(file);
  sum = 0;
  m_barrier(CCC_ALL);
  double start = m_wtime();  // the first process that goes on begins the round
  if (threads)
    m_run(kernel, NULL);
  else
    sum = in_process();
  m_barrier(CCC_ALL);
  const double end = m_wtime();
  m_allreduce(CCC_ALL, &start, &start, 1, M_DOUBLE, M_MIN);
  const double seconds = end - start;
  long all = 0;
  m_allreduce(CCC_ALL, &sum, &all, 1, M_LONG, M_SUM);
  return all == total * (total + 1) / 2 ? 1e9 * seconds / (double)total : -1;
}

static int by_value(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const int threads = strcmp(argv[1], "threads") == 0, repetitions = atoi(argv[4]);
  const long empty_tasks = atol(argv[2]), working_tasks = atol(argv[3]);
  if (repetitions < 1 || repetitions > 100 || (threads && m_size(CCC_ALL) > 1)) return 2;
  double times[3][100];
  for (int i = 0; i < repetitions; i++) {
    for (int kind = 0; kind < 3; kind++) {
      with_work = kind > 0;
      divided = kind == 2;
      total = with_work ? working_tasks : empty_tasks;
      file = argc > 5 && !divided ? argv[5] : NULL;
      times[kind][i] = run(threads);
      if (times[kind][i] < 0) return 1;
    }
  }
  for (int kind = 0; kind < 3; kind++) qsort(times[kind], (size_t)repetitions, sizeof times[0][0], by_value);
  if (m_rank(CCC_ALL) == 0)
    printf("%.1f %.1f %.1f\n", times[0][repetitions / 2], times[1][repetitions / 2],
           times[2][repetitions / 2]);
  return 0;
}
