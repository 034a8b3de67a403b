// SPDX-License-Identifier: Apache-2.0
// alarm, setitimer and timer_create: timers of a rank, whose signals go to its first thread. Timers of
// processor time count the time of the rank. In a job of one rank that is the time of the process, else that
// of the rank's first thread, as long as the rank has no other thread. The system has no timer for several
// threads that are not the whole process.
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "taihu/memory/libc/descriptors.h"
#include "taihu/memory/libc/thread_clock.h"
#include "taihu/memory/process_settings.h"

namespace taihu::memory::libc {
namespace {

timespec to_timespec(const timeval& time) {
  return {time.tv_sec, time.tv_usec * 1000};
}
timeval to_timeval(const timespec& time) {
  return {time.tv_sec, time.tv_nsec / 1000};
}

// A job of one rank is the whole process.
bool is_alone() {
  return child_rules().exec;
}

// Whether a timer can count the processor time of the rank; prints why if it cannot.
bool may_count_time(const RankProcess& rank, const char* call) {
  if (is_alone() || rank.live_threads.load() == 0) return true;
  std::fprintf(
      stderr,
      "taihu: rank %d: %s is refused (a timer of processor time cannot count several threads of one of "
      "many ranks); use ITIMER_REAL or CLOCK_MONOTONIC, set it before starting threads, or run one rank\n",
      rank.identity.rank, call);
  errno = EINVAL;
  return false;
}

clockid_t clock_of(const RankProcess& rank, __itimer_which_t which) {
  if (which == ITIMER_REAL) return CLOCK_REALTIME;
  return thread_clock(rank.first_thread_id,
                      which == ITIMER_VIRTUAL ? ThreadTime::user_ticks : ThreadTime::all_ticks);
}

bool make_timer(RankProcess& rank, __itimer_which_t which) {
  static constexpr std::array signals = {SIGALRM, SIGVTALRM, SIGPROF};
  auto& timer = rank.interval_timers[which];
  if (timer) return true;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signals[which];
  event._sigev_un._tid = rank.first_thread_id;
  timer_t made{};
  if (::timer_create(clock_of(rank, which), &event, &made) != 0) return false;
  timer = made;
  return true;
}

// The rank whose own timer takes the place of the process's; null where the timer of libc is used.
RankProcess* rank_with_timer(__itimer_which_t which) {
  RankProcess* rank = in_child() ? nullptr : self();
  const bool known = which == ITIMER_REAL || which == ITIMER_VIRTUAL || which == ITIMER_PROF;
  return rank && known && (which == ITIMER_REAL || !is_alone()) ? rank : nullptr;
}

int rank_setitimer(__itimer_which_t which, const itimerval* wanted, itimerval* before) {
  RankProcess* rank = rank_with_timer(which);
  if (!rank) return ::setitimer(which, wanted, before);
  const bool stops = !wanted || !timerisset(&wanted->it_value);
  if (which != ITIMER_REAL && !stops && !may_count_time(*rank, "setitimer")) return -1;
  const std::lock_guard guard(rank->lock);
  if (!make_timer(*rank, which)) return -1;
  itimerspec next{}, last{};
  if (wanted) next = {to_timespec(wanted->it_interval), to_timespec(wanted->it_value)};
  if (timer_settime(*rank->interval_timers[which], 0, &next, &last) != 0) return -1;
  if (before) *before = {to_timeval(last.it_interval), to_timeval(last.it_value)};
  return 0;
}

int rank_getitimer(__itimer_which_t which, itimerval* now) {
  RankProcess* rank = rank_with_timer(which);
  if (!rank) return ::getitimer(which, now);
  itimerspec left{};
  const std::lock_guard guard(rank->lock);
  const auto& timer = rank->interval_timers[which];
  if (timer && timer_gettime(*timer, &left) != 0) return -1;
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

useconds_t rank_ualarm(useconds_t value, useconds_t interval) {
  if (!self()) return ::ualarm(value, interval);
  const auto time = [](useconds_t us) { return timeval{us / 1'000'000, us % 1'000'000}; };
  const itimerval wanted{time(interval), time(value)};
  itimerval before{};
  if (rank_setitimer(ITIMER_REAL, &wanted, &before) != 0) return static_cast<useconds_t>(-1);
  return static_cast<useconds_t>(before.it_value.tv_sec * 1'000'000 + before.it_value.tv_usec);
}

/// What a timer calls on a thread that libc makes.
struct TimerCall {
  RankIdentity* rank;
  void (*function)(sigval);
  sigval value;
};

void run_timer_call(sigval place) {
  const auto& call = *static_cast<const TimerCall*>(place.sival_ptr);
  set_current_rank(call.rank);
  if (call.rank->process != nullptr) call.rank->process->begin_thread_variables();
  call.function(call.value);
}

/// Stays for ever, because libc may begin a thread after timer_delete. Null: no memory.
const TimerCall* keep_timer_call(RankProcess& rank, const sigevent& event) {
  return new (std::nothrow) TimerCall{&rank.identity, event.sigev_notify_function, event.sigev_value};
}

// A timer's signal goes to the rank that made it, and its function is called as the rank's.
int rank_timer_create(clockid_t clock, sigevent* event, timer_t* timer) {
  RankProcess* rank = in_child() ? nullptr : self();
  if (!rank) return ::timer_create(clock, event, timer);
  if (clock == CLOCK_PROCESS_CPUTIME_ID && !is_alone()) {
    if (!may_count_time(*rank, "timer_create")) return -1;
    clock = thread_clock(rank->first_thread_id);
  }
  sigevent directed{};
  directed.sigev_signo = SIGALRM;
  if (event) directed = *event;
  if (event && event->sigev_notify == SIGEV_THREAD) {
    const TimerCall* const call = keep_timer_call(*rank, *event);
    if (call == nullptr) {
      errno = EAGAIN;
      return -1;
    }
    directed.sigev_notify_function = &run_timer_call;
    directed.sigev_value.sival_ptr = const_cast<TimerCall*>(call);
    return ::timer_create(clock, &directed, timer);
  }
  if (event && event->sigev_notify != SIGEV_SIGNAL) return ::timer_create(clock, event, timer);
  directed.sigev_notify = SIGEV_THREAD_ID;
  directed._sigev_un._tid = rank->first_thread_id;
  return ::timer_create(clock, &directed, timer);
}

int rank_setrlimit(__rlimit_resource_t resource, const rlimit* limit) {
  RankProcess* rank = in_child() ? nullptr : self();
  if (!rank || resource != RLIMIT_CPU || is_alone()) return ::setrlimit(resource, limit);
  std::fprintf(
      stderr,
      "taihu: rank %d: setrlimit of RLIMIT_CPU is refused (it would count the processor time of all ranks "
      "of this node process); use setitimer, or run one rank\n",
      rank->identity.rank);
  errno = EPERM;
  return -1;
}

}  // namespace

std::span<const Replacement> timer_calls() {
  static const std::array calls = {replace("alarm", &rank_alarm),
                                   replace("ualarm", &rank_ualarm),
                                   replace("setitimer", &rank_setitimer),
                                   replace("getitimer", &rank_getitimer),
                                   replace("timer_create", &rank_timer_create),
                                   replace("setrlimit", &rank_setrlimit),
                                   replace("setrlimit64", &rank_setrlimit)};
  return calls;
}

}  // namespace taihu::memory::libc
