// SPDX-License-Identifier: Apache-2.0
// alarm and setitimer: a timer per rank whose signal goes to the rank's first thread.
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {
namespace {

bool make_timer(RankProcess& rank) {
  if (rank.has_alarm_timer) return true;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGALRM;
  event._sigev_un._tid = rank.first_thread_id;
  rank.has_alarm_timer = timer_create(CLOCK_REALTIME, &event, &rank.alarm_timer) == 0;
  return rank.has_alarm_timer;
}

timespec to_timespec(const timeval& time) {
  return {time.tv_sec, time.tv_usec * 1000};
}
timeval to_timeval(const timespec& time) {
  return {time.tv_sec, time.tv_nsec / 1000};
}

int rank_setitimer(__itimer_which_t which, const itimerval* wanted, itimerval* before) {
  RankProcess* rank = self();
  if (!rank || rank->in_child_process()) return ::setitimer(which, wanted, before);
  if (which != ITIMER_REAL) {
    std::fprintf(
        rank->errors(),
        "taihu: setitimer refused (timers of processor time count for all ranks of the process); use "
        "ITIMER_REAL\n");
    errno = EINVAL;
    return -1;
  }
  const std::lock_guard guard(rank->lock);
  if (!make_timer(*rank)) return -1;
  itimerspec next{to_timespec(wanted->it_interval), to_timespec(wanted->it_value)}, last{};
  if (timer_settime(rank->alarm_timer, 0, &next, &last) != 0) return -1;
  if (before) *before = {to_timeval(last.it_interval), to_timeval(last.it_value)};
  return 0;
}

int rank_getitimer(__itimer_which_t which, itimerval* now) {
  RankProcess* rank = self();
  if (!rank || which != ITIMER_REAL) return ::getitimer(which, now);
  itimerspec left{};
  if (rank->has_alarm_timer && timer_gettime(rank->alarm_timer, &left) != 0) return -1;
  *now = {to_timeval(left.it_interval), to_timeval(left.it_value)};
  return 0;
}

unsigned rank_alarm(unsigned seconds) {
  if (!self()) return ::alarm(seconds);
  const itimerval wanted{{0, 0}, {static_cast<time_t>(seconds), 0}};
  itimerval before{};
  if (rank_setitimer(ITIMER_REAL, &wanted, &before) != 0) return 0;
  return static_cast<unsigned>(before.it_value.tv_sec + (before.it_value.tv_usec > 0 ? 1 : 0));
}

// A timer's signal goes to the rank that made it.
int rank_timer_create(clockid_t clock, sigevent* event, timer_t* timer) {
  RankProcess* rank = self();
  sigevent directed{};
  directed.sigev_signo = SIGALRM;
  if (event) directed = *event;
  if (!rank || (event && event->sigev_notify != SIGEV_SIGNAL)) return ::timer_create(clock, event, timer);
  directed.sigev_notify = SIGEV_THREAD_ID;
  directed._sigev_un._tid = rank->first_thread_id;
  return ::timer_create(clock, &directed, timer);
}

}  // namespace

std::span<const Replacement> timer_calls() {
  static const std::array calls = {replace("alarm", &rank_alarm), replace("setitimer", &rank_setitimer),
                                   replace("getitimer", &rank_getitimer),
                                   replace("timer_create", &rank_timer_create)};
  return calls;
}

}  // namespace taihu::memory::libc
