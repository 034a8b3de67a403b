// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/parallel/loop.h"

#include <omp.h>

#include <atomic>
#include <charconv>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

struct Job {
  const std::function<void(int, std::int64_t)>* body;
  std::atomic<int> started{0}, ended{0};
};

// The two orderings that OpenMP's own fork and join give are repeated with atomics here, because the thread
// sanitizer does not see those inside the OpenMP library.
[[gnu::noinline]] void enter(Job& job) {
  (void)job.started.load(std::memory_order_acquire);
}
[[gnu::noinline]] void leave(Job& job) {
  job.ended.fetch_add(1, std::memory_order_release);
}
[[gnu::noinline]] void call(const Job& job, int thread, std::int64_t i) {
  (*job.body)(thread, i);
}

[[gnu::no_sanitize("thread")]] void run_team(int threads, std::int64_t count, Job* job) {
#pragma omp parallel num_threads(threads) default(none) shared(count, job)
  {
    enter(*job);
    const int thread = omp_get_thread_num();
#pragma omp for schedule(runtime) nowait
    for (std::int64_t i = 0; i < count; ++i) call(*job, thread, i);
    leave(*job);
  }
}

}  // namespace

Schedule parse_schedule(const std::string& text) {
  const std::size_t comma = text.find(',');
  const std::string kind = text.substr(0, comma);
  Schedule schedule;
  if (kind == "static")
    schedule.kind = Schedule::Kind::fixed;
  else if (kind == "dynamic")
    schedule.kind = Schedule::Kind::dynamic;
  else if (kind == "guided")
    schedule.kind = Schedule::Kind::guided;
  else
    throw UsageError("schedule \"" + text + "\" is not one; write static, dynamic,N or guided,N");
  schedule.chunk = 0;
  if (comma == std::string::npos) return schedule;
  const char *first = text.data() + comma + 1, *last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, schedule.chunk);
  if (error != std::errc() || end != last || schedule.chunk <= 0)
    throw UsageError("schedule \"" + text + "\": the chunk is a number from 1 on");
  return schedule;
}

void parallel_for(int threads, const Schedule& schedule, std::int64_t count,
                  const std::function<void(int thread, std::int64_t i)>& body) {
  if (threads == 1) {
    for (std::int64_t i = 0; i < count; ++i) body(0, i);
    return;
  }
  const omp_sched_t kind = schedule.kind == Schedule::Kind::fixed     ? omp_sched_static
                           : schedule.kind == Schedule::Kind::dynamic ? omp_sched_dynamic
                                                                      : omp_sched_guided;
  omp_set_schedule(kind, schedule.chunk);
  Job job{&body};
  job.started.store(1, std::memory_order_release);
  run_team(threads, count, &job);
  (void)job.ended.load(std::memory_order_acquire);
}

int default_threads() {
  return omp_get_max_threads();
}

}  // namespace taihu::neutron
