// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/node/crowd.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "taihu/base/mpi_launcher.h"
#include "taihu/message/node/node_process.h"

namespace taihu::message {

namespace {

/// What the last node process, to which ranks are added, tells the others of its node.
struct Crowd {
  std::uint64_t change;  ///< its number
  std::int64_t ranks;
};

bool are_on_one_node(const launch::Layout& layout, int process, int other) {
  const auto node_of = [&](int p) { return layout.node_of_process[static_cast<unsigned>(p)]; };
  return node_of(other) == node_of(process);
}

/// To give the core away is cheaper than to sleep and be woken as long as few others take their turns first.
std::int16_t yields_when_crowded(int ranks) {
  constexpr int most = 50, few_ranks = 32;
  // Up to some thousands the last one comes within some turns of all, and so does the message of a rank that
  // all others may have talked to before; with more a turn takes longer than to sleep.
  constexpr int least = 12, most_ranks = 3000;
  if (ranks > most_ranks) return 0;
  return static_cast<std::int16_t>(std::clamp(most * few_ranks / ranks, least, most));
}

}  // namespace

int ranks_of(const launch::Layout& layout, int process) {
  return layout.first_rank[static_cast<std::size_t>(process) + 1] -
         layout.first_rank[static_cast<std::size_t>(process)];
}

int first_ranks_of(const launch::Layout& layout, int process) {
  return ranks_of(layout, process) - (process == layout.processes - 1 ? layout.spare_ranks : 0);
}

int usable_cpus() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

Cores cores_for(const launch::Layout& layout, int process, int running, int last, int usable) {
  int on_node = running;
  for (int other = 0; other < layout.processes; ++other) {
    if (other != process && are_on_one_node(layout, process, other))
      on_node += other == layout.processes - 1 ? last : first_ranks_of(layout, other);
  }
  const bool crowded = running > usable || on_node > sysconf(_SC_NPROCESSORS_ONLN);
  return crowded ? Cores::crowded : Cores::enough;
}

bool sleep_in_crowds(int local_ranks, Cores cores) noexcept {
  return cores == Cores::crowded && local_ranks >= many_ranks;
}

threads::WaitPolicy wait_policy_for(int ranks, Cores cores) {
  if (cores == Cores::crowded) return {0, yields_when_crowded(ranks), sleep_in_crowds(ranks, Cores::crowded)};
  // Some 350 us. Spinning must outlast the copy of a few MB by the partner, since to wake a sleeper takes 40
  // us more. And a sleeper learns of messages from other processes through the progress thread, some 100 us
  // later: two ranks that have slept once would keep waking each other that way.
  return {10000, 20};
}

void NodeProcess::change_ranks(int ranks) {
  local_ranks_.store(ranks, std::memory_order_relaxed);
  Crowd crowd{};
  {
    const std::lock_guard hold(crowd_mutex_);
    ranks_of_last_ = ranks;
    crowd = {++crowd_changes_, ranks};
    look_at_crowd();
  }
  for (int other = 0; other < layout_.processes; ++other)
    if (other != process_ && are_on_one_node(layout_, process_, other))
      begin_call(other, Service::crowd, &crowd, sizeof crowd, [](const std::vector<std::byte>&) {});
}

/// Another process of the node has more or fewer ranks now.
void NodeProcess::hear_of_crowd(ServiceCall& call) {
  Crowd crowd{};
  std::memcpy(&crowd, call.arguments().data(), sizeof crowd);
  {
    const std::lock_guard hold(crowd_mutex_);
    if (crowd.change > crowd_changes_) {
      crowd_changes_ = crowd.change;
      ranks_of_last_ = static_cast<int>(crowd.ranks);
      look_at_crowd();
    }
  }
  call.answer(nullptr, 0);
}

/// Holder of crowd_mutex_: sets what depends on how many ranks there are.
void NodeProcess::look_at_crowd() {
  const int running = local_ranks();
  const Cores cores = cores_for(layout_, process_, running, ranks_of_last_, usable_cpus_);
  const Tuning tuning = tuning_for(made_, cores, process_environment);
  auto known = std::ranges::find(tunings_, tuning);
  if (known == tunings_.end()) known = tunings_.insert(tunings_.end(), tuning);
  tuning_.store(&*known, std::memory_order_release);
  cores_.store(cores, std::memory_order_relaxed);
  threads::set_wait_policy(wait_policy_for(running, cores));
}

}  // namespace taihu::message
