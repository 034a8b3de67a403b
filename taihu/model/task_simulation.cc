// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/task_simulation.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <vector>

#include "taihu/base/contract.h"
#include "taihu/base/random.h"
#include "taihu/tasks/task_distributor.h"

namespace taihu::model {

namespace {

std::size_t place(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

/// The time of each task.
class TaskTimes {
 public:
  explicit TaskTimes(const TaskWork& work)
      : work_(work),
        deviation_(std::sqrt(std::log1p(work.variation * work.variation))),
        shift_(std::log(work.mean) - deviation_ * deviation_ / 2) {}
  bool are_equal() const noexcept { return work_.variation == 0; }
  double operator()(std::int64_t task) const {
    if (are_equal()) return work_.mean;
    Random random(work_.seed * 0x9e3779b97f4a7c15ULL ^ static_cast<std::uint64_t>(task));
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    return std::exp(shift_ + deviation_ * radius * std::cos(6.283185307179586 * random.uniform()));
  }

 private:
  const TaskWork& work_;
  double deviation_;
  double shift_;
};

struct Event {
  double time;
  std::uint64_t number;  ///< makes the order of events of one time definite
  int kind;
  std::int64_t who;
  std::int64_t count;
  bool operator<(const Event& other) const {
    return time != other.time ? time > other.time : number > other.number;
  }
};

class Events {
 public:
  bool empty() const { return queue_.empty(); }
  void add(double time, int kind, std::int64_t who, std::int64_t count) {
    queue_.push({time, number_++, kind, who, count});
  }
  Event take() {
    const Event event = queue_.top();
    queue_.pop();
    return event;
  }

 private:
  std::priority_queue<Event> queue_;
  std::uint64_t number_ = 0;
};

/// TaskPool and TaskDistributor in time: the same decisions, without ids.
class PoolSimulation {
 public:
  PoolSimulation(const TaskMachine& machine, const TaskWork& work, const TaskCosts& costs)
      : machine_(machine),
        costs_(costs),
        times_(work),
        tasks_(machine.workers() * work.tasks_per_thread),
        pools_(place(machine.processes)) {
    if (machine.processes_per_region > 0)
      regions_.resize(
          place((machine.processes + machine.processes_per_region - 1) / machine.processes_per_region));
    global_left_ = tasks_;
  }

  TaskTime run() {
    for (int pool = 0; pool < machine_.processes; ++pool)
      events_.add(0, free_threads, pool, machine_.threads);
    while (!events_.empty()) {
      const Event event = events_.take();
      now_ = event.time;
      if (event.kind == free_threads) threads_are_free(event.who, event.count);
      if (event.kind == asks_region) region_is_asked(event.who, event.count);
      if (event.kind == asks_global) global_is_asked(event.who, event.count);
      if (event.kind == region_gets) region_receives(event.who, event.count);
      if (event.kind == pool_gets) pool_receives(event.who, event.count);
    }
    ensure(result_.tasks == tasks_, "every task is done");
    return result_;
  }

 private:
  enum Kind { free_threads, asks_region, asks_global, region_gets, pool_gets };
  struct Pool {
    std::int64_t ready = 0;
    std::int64_t low_water = 0;
    std::int64_t waiting = 0;
    bool asking = false;
    bool last = false;
    double free_at = 0;  ///< tasks are taken one after the other
  };
  struct Wish {
    std::int64_t pool;
    std::int64_t wanted;
  };
  struct Region {
    std::int64_t left = 0;
    std::int64_t last_batch = 0;  ///< beyond what was waited for
    std::int64_t wanted = 0;
    bool asking = false;
    bool last = false;
    double free_at = 0;
    std::vector<Wish> waiting;
  };

  std::int64_t region_of(std::int64_t pool) const { return pool / machine_.processes_per_region; }
  std::int64_t processes_of(std::int64_t region) const {
    return std::min<std::int64_t>(machine_.processes_per_region,
                                  machine_.processes - region * machine_.processes_per_region);
  }

  void threads_are_free(std::int64_t number, std::int64_t count) {
    pools_[place(number)].waiting += count;
    hand_out(number);
  }

  void hand_out(std::int64_t number) {
    Pool& pool = pools_[place(number)];
    const std::int64_t taken = std::min(pool.ready, pool.waiting);
    pool.ready -= taken;
    pool.waiting -= taken;
    pool.free_at = std::max(pool.free_at, now_) + costs_.take * static_cast<double>(taken);
    if (times_.are_equal()) {
      if (taken > 0) begin(number, taken, pool.free_at + times_(0));
    } else {
      for (std::int64_t k = 0; k < taken; ++k) begin(number, 1, pool.free_at + times_(begun_ + k));
    }
    begun_ += taken;
    if (pool.asking || pool.last) return;
    if (pool.waiting > 0 || pool.ready <= pool.low_water) ask(number);
  }
  void begin(std::int64_t pool, std::int64_t count, double end) {
    events_.add(end, free_threads, pool, count);
    result_.seconds = std::max(result_.seconds, end);
    result_.tasks += count;
  }

  void ask(std::int64_t number) {
    Pool& pool = pools_[place(number)];
    pool.asking = true;
    events_.add(now_ + costs_.message, regions_.empty() ? asks_global : asks_region, number, pool.waiting);
  }

  void pool_receives(std::int64_t number, std::int64_t count) {
    Pool& pool = pools_[place(number)];
    pool.asking = false;
    pool.last = count == 0;
    pool.ready += count;
    // Near the end there are no more tasks than threads that wait: there it is better to wait than to hoard
    // one.
    const std::int64_t spare = pool.ready - pool.waiting;
    pool.low_water = spare >= 2 ? spare / 2 : -1;
    hand_out(number);
  }

  void region_is_asked(std::int64_t number, std::int64_t wanted) {
    Region& region = regions_[place(region_of(number))];
    region.waiting.push_back({number, wanted});
    serve_region(region_of(number));
  }

  void serve_region(std::int64_t number) {
    Region& region = regions_[place(number)];
    std::size_t served = 0;
    while (served < region.waiting.size() && (region.left > 0 || region.last)) {
      const Wish wish = region.waiting[served++];
      const std::int64_t batch = std::min(
          region.left, std::max({std::int64_t{1}, wish.wanted, region.last_batch / processes_of(number)}));
      region.left -= batch;
      region.free_at = std::max(region.free_at, now_) + costs_.serve;
      events_.add(region.free_at + costs_.message, pool_gets, wish.pool, batch);
    }
    region.waiting.erase(region.waiting.begin(),
                         region.waiting.begin() + static_cast<std::ptrdiff_t>(served));
    if (region.asking || region.last) return;
    if (region.waiting.empty() && (region.left == 0 || region.left > region.last_batch / 2)) return;
    std::int64_t wanted = 0;
    for (const Wish& wish : region.waiting) wanted += wish.wanted;
    region.asking = true;
    region.wanted = wanted;
    events_.add(now_ + costs_.message, asks_global, number, wanted);
  }

  void region_receives(std::int64_t number, std::int64_t count) {
    Region& region = regions_[place(number)];
    region.asking = false;
    region.left += count;
    region.last_batch = std::max<std::int64_t>(0, count - region.wanted);
    region.last = count == 0;
    serve_region(number);
  }

  void global_is_asked(std::int64_t who, std::int64_t wanted) {
    const std::int64_t processes = regions_.empty() ? 1 : processes_of(who);
    const std::int64_t each = std::clamp<std::int64_t>(global_left_ / (2 * machine_.workers()), 0,
                                                       tasks::TaskDistributor::largest_batch);
    const std::int64_t least = std::max<std::int64_t>(1, wanted);
    const std::int64_t batch =
        machine_.processes == 1 ? global_left_ : std::min(global_left_, std::max(least, each * processes));
    global_left_ -= batch;
    ++result_.master_requests;
    global_free_at_ = std::max(global_free_at_, now_) + costs_.serve;
    events_.add(global_free_at_ + costs_.message, regions_.empty() ? pool_gets : region_gets, who, batch);
  }

  const TaskMachine& machine_;
  const TaskCosts& costs_;
  const TaskTimes times_;
  const std::int64_t tasks_;
  std::vector<Pool> pools_;
  std::vector<Region> regions_;
  std::int64_t global_left_ = 0;
  double global_free_at_ = 0;
  std::int64_t begun_ = 0;
  double now_ = 0;
  Events events_;
  TaskTime result_;
};

}  // namespace

TaskTime simulate_pools(const TaskMachine& machine, const TaskWork& work, const TaskCosts& costs) {
  expect(machine.processes >= 1 && machine.threads >= 1 && work.tasks_per_thread >= 0, "somebody works");
  return PoolSimulation(machine, work, costs).run();
}

TaskTime simulate_static(const TaskMachine& machine, const TaskWork& work) {
  const TaskTimes times(work);
  TaskTime result;
  result.tasks = machine.workers() * work.tasks_per_thread;
  const std::int64_t different = times.are_equal() ? 1 : machine.workers();
  for (std::int64_t worker = 0; worker < different; ++worker) {
    double sum = 0;
    for (std::int64_t k = 0; k < work.tasks_per_thread; ++k) sum += times(worker * work.tasks_per_thread + k);
    result.seconds = std::max(result.seconds, sum);
  }
  return result;
}

TaskTime simulate_single_master(const TaskMachine& machine, const TaskWork& work, const TaskCosts& costs) {
  const TaskTimes times(work);
  const std::int64_t tasks = machine.workers() * work.tasks_per_thread;
  TaskTime result{0, tasks, tasks + machine.workers()};
  double master_free_at = 0;
  const auto begin = [&](double free_at, std::int64_t task) {
    master_free_at = std::max(master_free_at, free_at + costs.message) + costs.serve;
    const double end = master_free_at + costs.message + times(task);
    result.seconds = std::max(result.seconds, end);
    return end;
  };
  if (times.are_equal()) {  // threads come in the same order each time
    std::vector<double> free_at(place(machine.workers()));
    for (std::int64_t task = 0; task < tasks; ++task) {
      double& mine = free_at[place(task % machine.workers())];
      mine = begin(mine, task);
    }
    return result;
  }
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at;
  for (std::int64_t worker = 0; worker < machine.workers(); ++worker) free_at.push(0);
  for (std::int64_t task = 0; task < tasks; ++task) {
    const double first = free_at.top();
    free_at.pop();
    free_at.push(begin(first, task));
  }
  return result;
}

TaskTime simulate_stealing(const TaskMachine& machine, const TaskWork& work, const TaskCosts& costs) {
  const TaskTimes times(work);
  TaskTime result{0, machine.workers() * work.tasks_per_thread, 0};
  if (times.are_equal()) {
    result.seconds = static_cast<double>(work.tasks_per_thread) * (work.mean + costs.take);
    return result;
  }
  std::vector<std::int64_t> queued(place(machine.workers()), work.tasks_per_thread);
  std::int64_t left = result.tasks;
  std::int64_t begun = 0;
  Random random(work.seed);
  Events events;
  for (std::int64_t worker = 0; worker < machine.workers(); ++worker) events.add(0, 0, worker, 0);
  while (!events.empty()) {
    const Event event = events.take();
    std::int64_t& mine = queued[place(event.who)];
    if (left == 0) continue;
    if (mine == 0) {
      std::int64_t& theirs = queued[random.below(queued.size())];
      const std::int64_t stolen = (theirs + 1) / 2;
      theirs -= stolen;
      mine += stolen;
      ++result.master_requests;
      events.add(event.time + 2 * costs.message + costs.serve, 0, event.who, 0);
      continue;
    }
    --mine;
    --left;
    const double end = event.time + costs.take + times(begun++);
    result.seconds = std::max(result.seconds, end);
    events.add(end, 0, event.who, 0);
  }
  return result;
}

double least_seconds(const TaskMachine& machine, const TaskWork& work) {
  const TaskTimes times(work);
  const std::int64_t tasks = machine.workers() * work.tasks_per_thread;
  if (times.are_equal()) return static_cast<double>(work.tasks_per_thread) * work.mean;
  double sum = 0;
  double longest = 0;
  for (std::int64_t task = 0; task < tasks; ++task) {
    const double time = times(task);
    sum += time;
    longest = std::max(longest, time);
  }
  return std::max(longest, sum / static_cast<double>(machine.workers()));
}

}  // namespace taihu::model
