// SPDX-License-Identifier: Apache-2.0
// Processor time of a rank is that of its own threads: even ranks work, odd ones sleep. Timers of it, too.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"

static double thread_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void work(double seconds) {
  volatile double sum = 0;
  for (const double end = thread_seconds() + seconds; thread_seconds() < end;)
    for (int i = 0; i < 1000; ++i) sum += i;
}

static void* work_on_thread(void* none) {
  work(0.1);
  return none;
}

static double seconds_of(struct timeval time) {
  return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static void expect(const char* what, double got, double least, double most) {
  if (got < least || got > most)
    fprintf(stderr, "rank %d: %s: %.3f s, not %.3f to %.3f s\n", my_rank(), what, got, least, most);
  CHECK(got >= least && got <= most);
}

static void expect_all(double least, double most) {
  struct rusage usage;
  CHECK(getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_maxrss > 0);
  expect("getrusage", seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), least, most);
  expect("clock", (double)clock() / CLOCKS_PER_SEC, least, most);
  struct tms ticks;
  CHECK(times(&ticks) != (clock_t)-1);
  expect("times", (double)(ticks.tms_utime + ticks.tms_stime) / (double)sysconf(_SC_CLK_TCK), least - 0.02,
         most);
  clockid_t id;
  struct timespec time;
  CHECK(clock_getcpuclockid(0, &id) == 0 && clock_gettime(id, &time) == 0);
  expect("clock_gettime", (double)time.tv_sec + 1e-9 * (double)time.tv_nsec, least, most);
}

static volatile sig_atomic_t caught;
static void catch (int signal) {
  caught = signal;
}

static void check_timer(int kind, int signal_number) {
  signal(signal_number, catch);
  caught = 0;
  const struct itimerval soon = {{0, 0}, {0, 30000}};
  CHECK(setitimer(kind, &soon, NULL) == 0);
  usleep(100000);  // the others work, this rank does not
  CHECK(!caught);
  struct itimerval left;
  CHECK(getitimer(kind, &left) == 0 && timerisset(&left.it_value));
  const double begin = thread_seconds();
  while (!caught && thread_seconds() < begin + 2) work(0.002);
  CHECK(caught == signal_number);
}

static void check_timer_of_clock(void) {
  caught = 0;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  const struct itimerspec soon = {{0, 0}, {0, 20000000}};
  timer_t timer;
  signal(SIGUSR1, catch);
  CHECK(timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0 &&
        timer_settime(timer, 0, &soon, NULL) == 0);
  usleep(60000);
  CHECK(!caught);
  const double begin = thread_seconds();
  while (!caught && thread_seconds() < begin + 2) work(0.002);
  CHECK(caught == SIGUSR1 && timer_delete(timer) == 0);
}

static volatile int stop;
static void* sleep_on_thread(void* none) {
  while (!stop) usleep(1000);
  return none;
}

int main(void) {
  const int rank = my_rank(), works = rank % 2 == 0;
  pthread_t thread;
  if (works) {
    work(0.2);
    CHECK(pthread_create(&thread, NULL, work_on_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
    work(0.1);
    expect_all(0.39, 0.6);
  } else {
    usleep(400000);
    expect_all(0, 0.1);
  }
  // Time of children is that of the rank's own.
  struct rusage usage;
  CHECK(getrusage(RUSAGE_CHILDREN, &usage) == 0 && seconds_of(usage.ru_utime) == 0);
  const pid_t child = fork();
  if (child == 0) {
    work(works ? 0.1 : 0);
    _exit(0);
  }
  CHECK(waitpid(child, NULL, 0) == child && getrusage(RUSAGE_CHILDREN, &usage) == 0);
  expect("children", seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), works ? 0.09 : 0,
         works ? 0.3 : 0.08);
  check_timer(ITIMER_PROF, SIGPROF);
  check_timer(ITIMER_VIRTUAL, SIGVTALRM);
  check_timer_of_clock();
  // Several threads of one of many ranks cannot be counted.
  CHECK(pthread_create(&thread, NULL, sleep_on_thread, NULL) == 0);
  const struct itimerval soon = {{0, 0}, {5, 0}};
  const int alone = atoi(getenv("RANKS")) == 1;
  CHECK(setitimer(ITIMER_PROF, &soon, NULL) == (alone ? 0 : -1) && (alone || errno == EINVAL));
  stop = 1;
  CHECK(pthread_join(thread, NULL) == 0);
  const struct rlimit limit = {1000, 1000};
  CHECK(setrlimit(RLIMIT_CPU, &limit) == (alone ? 0 : -1));
  printf("rank %d: its own time\n", rank);
  return 0;
}
