// SPDX-License-Identifier: Apache-2.0
// Processor time of a rank: of its threads, those that have ended included, since its program began. The
// largest resident set (ru_maxrss) stays the process's.
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "taihu/memory/libc/descriptors.h"
#include "taihu/memory/libc/thread_clock.h"

namespace taihu::memory {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

std::int64_t to_ns(const timespec& time) {
  return time.tv_sec * second_ns + time.tv_nsec;
}
std::int64_t to_ns(const timeval& time) {
  return time.tv_sec * second_ns + time.tv_usec * 1000;
}
timeval to_timeval(std::int64_t ns) {
  return {ns / second_ns, ns % second_ns / 1000};
}

// Time of a living thread of the process.
std::int64_t time_of(pid_t thread) {
  timespec time{};
  return ::clock_gettime(libc::thread_clock(thread), &time) == 0 ? to_ns(time) : 0;
}

void add_counts(rusage& sum, const rusage& more, int sign) {
  for (const auto member : {&rusage::ru_minflt, &rusage::ru_majflt, &rusage::ru_inblock, &rusage::ru_oublock,
                            &rusage::ru_nvcsw, &rusage::ru_nivcsw})
    sum.*member += sign * more.*member;
}

void add_usage(rusage& sum, const rusage& more, int sign = 1) {
  for (const auto member : {&rusage::ru_utime, &rusage::ru_stime})
    sum.*member = to_timeval(to_ns(sum.*member) + sign * to_ns(more.*member));
  add_counts(sum, more, sign);
}

// The resource use of another thread. The system gives its time to the nanosecond through a clock; user time
// and page faults are only in the list of threads.
rusage usage_of(pid_t thread) {
  rusage usage{};
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  long user = 0, system = 0;
  if (std::FILE* file = std::fopen(path, "re")) {
    const int found = std::fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %ld %*d %ld %*d %ld %ld",
                                  &usage.ru_minflt, &usage.ru_majflt, &user, &system);
    if (found != 4) user = system = 0;
    std::fclose(file);
  }
  const std::int64_t time = time_of(thread);
  const std::int64_t of_system = user + system > 0 ? time / (user + system) * system : 0;
  usage.ru_utime = to_timeval(time - of_system);
  usage.ru_stime = to_timeval(of_system);
  return usage;
}

constexpr std::size_t most_leaving = 64;

/// Leaves out threads that have gone. A number that another thread of the process has got since stays until
/// that one has gone too.
void forget_gone(std::vector<pid_t>& threads) {
  std::erase_if(threads, [](pid_t thread) { return syscall(SYS_tgkill, ::getpid(), thread, 0) != 0; });
}

}  // namespace

void RankProcess::begin_thread_variables() const {
  for (const ThreadVariables& variables : thread_variables) variables.begin();
}

void RankProcess::begin_thread() {
  begin_thread_variables();
  const std::lock_guard guard(lock);
  threads.insert(::gettid());
}

void RankProcess::end_thread() {
  const pid_t thread = ::gettid();
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  const std::lock_guard guard(lock);
  ended_threads.ns += time_of(thread);
  add_usage(ended_threads.usage, usage);
  threads.erase(thread);
  if (thread == first_thread_id) return;
  if (leaving_threads.size() >= most_leaving) forget_gone(leaving_threads);
  leaving_threads.push_back(thread);
}

bool RankProcess::has_no_threads() {
  if (live_threads.load() != 0) return false;
  const std::lock_guard guard(lock);
  forget_gone(leaving_threads);
  // In this order: one that left may have started another at the last, which it had counted by then.
  return leaving_threads.empty() && live_threads.load() == 0;
}

void RankProcess::begin_counting() {
  begin_thread();
  const std::lock_guard guard(lock);
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  ended_threads.ns -= time_of(first_thread_id);
  add_usage(ended_threads.usage, usage, -1);
}

std::int64_t RankProcess::processor_time_ns() {
  const std::lock_guard guard(lock);
  std::int64_t sum = ended_threads.ns;
  for (const pid_t thread : threads) sum += time_of(thread);
  return sum;
}

rusage RankProcess::usage() {
  rusage whole{};
  ::getrusage(RUSAGE_SELF, &whole);
  const pid_t caller = ::gettid();
  const std::lock_guard guard(lock);
  rusage sum = ended_threads.usage;
  for (const pid_t thread : threads) {
    rusage own{};
    if (thread == caller)
      ::getrusage(RUSAGE_THREAD, &own);
    else
      own = usage_of(thread);
    add_usage(sum, own);
  }
  sum.ru_maxrss = whole.ru_maxrss;
  return sum;
}

namespace libc {
namespace {

// Null in a child, which is a separate process.
RankProcess* counted_rank() {
  return in_child() ? nullptr : self();
}

int rank_getrusage(__rusage_who_t who, rusage* usage) {
  RankProcess* rank = counted_rank();
  if (!rank || (who != RUSAGE_SELF && who != RUSAGE_CHILDREN)) return ::getrusage(who, usage);
  *usage = who == RUSAGE_SELF ? rank->usage() : rank->children.usage_of_ended();
  return 0;
}

clock_t rank_clock() {
  RankProcess* rank = counted_rank();
  return rank ? static_cast<clock_t>(rank->processor_time_ns() / (second_ns / CLOCKS_PER_SEC)) : ::clock();
}

clock_t rank_times(tms* result) {
  tms whole{};
  const clock_t now = ::times(&whole);
  RankProcess* rank = counted_rank();
  if (rank && result) {
    const std::int64_t tick_ns = second_ns / sysconf(_SC_CLK_TCK);
    const auto ticks = [&](const timeval& time) { return static_cast<clock_t>(to_ns(time) / tick_ns); };
    rusage own{}, children{};
    rank_getrusage(RUSAGE_SELF, &own);
    rank_getrusage(RUSAGE_CHILDREN, &children);
    whole = {ticks(own.ru_utime), ticks(own.ru_stime), ticks(children.ru_utime), ticks(children.ru_stime)};
  }
  if (result) *result = whole;
  return now;
}

int rank_clock_gettime(clockid_t clock, timespec* time) {
  if (clock != CLOCK_PROCESS_CPUTIME_ID) return ::clock_gettime(clock, time);
  RankProcess* rank = counted_rank();
  if (!rank) return ::clock_gettime(clock, time);
  const std::int64_t ns = rank->processor_time_ns();
  *time = {ns / second_ns, ns % second_ns};
  return 0;
}

int rank_clock_getcpuclockid(pid_t process, clockid_t* clock) {
  if (!counted_rank() || (process != 0 && process != ::getpid()))
    return ::clock_getcpuclockid(process, clock);
  *clock = CLOCK_PROCESS_CPUTIME_ID;
  return 0;
}

}  // namespace

std::span<const Replacement> processor_time_calls() {
  static const std::array calls = {replace("getrusage", &rank_getrusage), replace("clock", &rank_clock),
                                   replace("times", &rank_times),
                                   replace("clock_gettime", &rank_clock_gettime),
                                   replace("clock_getcpuclockid", &rank_clock_getcpuclockid)};
  return calls;
}

}  // namespace libc
}  // namespace taihu::memory
