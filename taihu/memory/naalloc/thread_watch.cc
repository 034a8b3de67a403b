// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/thread_watch.h"

#include <unistd.h>

#include <algorithm>

#include "taihu/base/clock.h"
#include "taihu/memory/naalloc/openmp.h"

namespace taihu::memory {
namespace {

constexpr std::int64_t look_again_ns = 1'000'000'000;

}  // namespace

ThreadWatch::ThreadWatch(PageSystem& system, const NodeTable& nodes, int configured_threads, Log& log)
    : system_(system),
      nodes_(nodes),
      configured_threads_(configured_threads),
      log_(log),
      asking_thread_(getpid()) {}

bool ThreadWatch::may_run_team() const noexcept {
  return !asking() && !forked_ && gettid() == asking_thread_ && openmp::available() &&
         !openmp::in_parallel() && (configured_threads_ == 0 || configured_threads_ == openmp::max_threads());
}

ThreadWatch::Map ThreadWatch::look() {
  if (!openmp::in_parallel()) {
    asking_thread_ = gettid();
    forked_ = false;  // who asks in a child knows that its runtime works there
  }
  return look_somehow(true);
}

ThreadWatch::Map ThreadWatch::current() {
  Map map;
  {
    const std::lock_guard guard(mutex_);
    map = map_;
  }
  if (!map) return look_somehow(false);
  if (asking()) return map;
  if (may_run_team()) {
    const bool current =
        !map->provisional && openmp::max_threads() == map->count() && now_ns() - looked_ns_ < look_again_ns;
    return current ? map : look_somehow(false);
  }
  // A thread that stands for itself may have gone to another node; a team that cannot be asked now is taken
  // as it was.
  return map->count() == 1 && map->provisional ? look_somehow(false) : map;
}

ThreadWatch::Map ThreadWatch::look_somehow(bool asked) {
  {
    const std::lock_guard guard(mutex_);
    if (!pool_.empty()) {
      ThreadMap map{pool_, "threads of a pool", false};
      return map_ = std::make_shared<const ThreadMap>(std::move(map));
    }
  }
  looked_ns_ = now_ns();
  if (may_run_team()) {
    asked_by_ = gettid();
    ThreadMap map = map_of_openmp_team(system_, nodes_);
    asked_by_ = 0;
    return publish(std::move(map));
  }
  const bool hidden_team = openmp::available() && !forked_ && configured_threads_ == 0;
  if (hidden_team && openmp::in_parallel())
    if (auto map = map_of_started_threads(nodes_, openmp::max_threads())) return publish(std::move(*map));
  // Without OpenMP one thread may go from node to node, so it is asked each time.
  const int threads = configured_threads_ > 0 ? configured_threads_ : hidden_team ? openmp::max_threads() : 1;
  ThreadMap map = map_over_allowed_cpus(system_, nodes_, threads);
  map.provisional = threads == 1 || (hidden_team && !asked);
  return publish(std::move(map));
}

ThreadWatch::Map ThreadWatch::publish(ThreadMap map) {
  const std::lock_guard guard(mutex_);
  if (map_ && map_->same_places(map) && map_->provisional == map.provisional) return map_;
  if (log_.on()) {
    const auto free =
        std::count_if(map.threads.begin(), map.threads.end(), [](const auto& place) { return !place.bound; });
    log_.say("threads: %d (%s), first on node %d, last on node %d", map.count(), map.source.c_str(),
             map.threads.front().node, map.threads.back().node);
    if (free > 0 && map.count() > 1)
      log_.say(
          "%d of %d threads are not bound to one node: their pages may end up remote; OMP_PROC_BIND=true "
          "binds",
          static_cast<int>(free), map.count());
  }
  return map_ = std::make_shared<const ThreadMap>(std::move(map));
}

ThreadPlace ThreadWatch::set_thread(int thread) {
  const ThreadPlace place = place_of_this_thread(system_, nodes_);
  const std::lock_guard guard(mutex_);
  const auto number = static_cast<std::size_t>(thread);
  // A thread that has not been seen yet is assumed to run on the memory node of the thread before it.
  while (pool_.size() <= number) pool_.push_back(pool_.empty() ? place : pool_.back());
  pool_[number] = place;
  map_ = std::make_shared<const ThreadMap>(ThreadMap{pool_, "threads of a pool", false});
  return place;
}

void ThreadWatch::forked() {
  forked_ = true;
  asked_by_ = 0;
  asking_thread_ = getpid();
  map_.reset();
  pool_.clear();
}

}  // namespace taihu::memory
