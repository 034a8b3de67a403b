// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/thread_map.h"

#include <dirent.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "taihu/memory/naalloc/openmp.h"

namespace taihu::memory {
namespace {

constexpr int max_cpus = 8192;  // what the kernel can be built for

/// A set of cpus large enough for every machine; released at the end.
class CpuMask {
 public:
  CpuMask() : set_(CPU_ALLOC(max_cpus)) { CPU_ZERO_S(bytes(), set_); }
  ~CpuMask() { CPU_FREE(set_); }
  CpuMask(const CpuMask&) = delete;
  CpuMask& operator=(const CpuMask&) = delete;

  /// Of a thread of this process; 0: the caller.
  bool read(int thread = 0) noexcept { return sched_getaffinity(thread, bytes(), set_) == 0; }
  bool apply() const noexcept { return sched_setaffinity(0, bytes(), set_) == 0; }
  void add(int cpu) noexcept { CPU_SET_S(cpu, bytes(), set_); }
  std::vector<int> cpus() const {
    std::vector<int> cpus;
    for (int cpu = 0; cpu < max_cpus; ++cpu)
      if (CPU_ISSET_S(cpu, bytes(), set_)) cpus.push_back(cpu);
    return cpus;
  }

 private:
  static std::size_t bytes() { return CPU_ALLOC_SIZE(max_cpus); }
  cpu_set_t* set_;
};

/// Whether one node lists all of `cpus`; machines that list none have one node.
bool within_one_node(const NodeTable& nodes, const std::vector<int>& cpus) {
  if (nodes.nodes.size() == 1) return true;
  return std::any_of(nodes.nodes.begin(), nodes.nodes.end(), [&](const MemoryNode& node) {
    return std::all_of(cpus.begin(), cpus.end(), [&](int cpu) {
      return std::find(node.cpus.begin(), node.cpus.end(), cpu) != node.cpus.end();
    });
  });
}

/// The cpu that a thread of this process ran on last; -1 when the kernel does not say.
int last_cpu_of(int thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return -1;
  // Behind the name come the fields from the third on; the cpu is the 39th.
  std::istringstream fields(line.substr(name_end + 1));
  std::string field;
  for (int number = 3; number <= 39; ++number)
    if (!(fields >> field)) return -1;
  return atoi(field.c_str());
}

struct Team {
  PageSystem& system;
  const NodeTable& nodes;
  std::vector<ThreadPlace> places;
};

}  // namespace

std::vector<int> started_threads() {
  std::vector<int> threads;
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return threads;
  while (const dirent* entry = readdir(folder))
    if (const int thread = atoi(entry->d_name); thread > 0) threads.push_back(thread);
  closedir(folder);
  std::sort(threads.begin(), threads.end());
  return threads;
}

int ThreadMap::home_of_part(int part, int parts) const noexcept {
  if (threads.empty()) return -1;
  return threads[static_cast<std::size_t>(part) * threads.size() / static_cast<std::size_t>(parts)].home;
}

bool ThreadMap::one_home() const noexcept {
  return std::all_of(threads.begin(), threads.end(),
                     [&](const ThreadPlace& place) { return place.home == threads.front().home; });
}

ThreadPlace place_of_this_thread(PageSystem& system, const NodeTable& nodes) noexcept {
  ThreadPlace place;
  place.cpu = sched_getcpu();
  place.node = std::max(system.node_here(), 0);
  place.home = nodes.home_of(place.node);
  CpuMask mask;
  place.bound = mask.read() && within_one_node(nodes, mask.cpus());
  return place;
}

ThreadMap map_of_openmp_team(PageSystem& system, const NodeTable& nodes) {
  Team team{system, nodes, std::vector<ThreadPlace>(static_cast<std::size_t>(openmp::max_threads()))};
  int found = 0;
  struct Context {
    Team& team;
    int& found;
  } context{team, found};
  openmp::run(
      [](void* data, int thread, int threads) {
        auto& [team, found] = *static_cast<Context*>(data);
        if (thread == 0) found = threads;
        if (static_cast<std::size_t>(thread) < team.places.size())
          team.places[static_cast<std::size_t>(thread)] = place_of_this_thread(team.system, team.nodes);
      },
      &context);
  // A runtime may give less threads than it could (dynamic adjustment, thread limit).
  team.places.resize(std::clamp<std::size_t>(static_cast<std::size_t>(found), 1, team.places.size()));
  return {std::move(team.places), "OpenMP team", false};
}

ThreadMap map_over_allowed_cpus(PageSystem& system, const NodeTable& nodes, int threads) {
  ThreadMap map{{}, threads == 1 ? "calling thread" : "spread over the cpus of this process", false};
  if (threads == 1) {
    map.threads.push_back(place_of_this_thread(system, nodes));
    return map;
  }
  CpuMask before;
  std::vector<ThreadPlace> places;
  for (int cpu : before.read() ? before.cpus() : std::vector<int>{}) {
    CpuMask one;
    one.add(cpu);
    if (one.apply()) places.push_back(place_of_this_thread(system, nodes));
  }
  if (!places.empty()) before.apply();
  if (places.empty()) places.push_back(place_of_this_thread(system, nodes));
  std::stable_sort(places.begin(), places.end(),
                   [](const ThreadPlace& a, const ThreadPlace& b) { return a.node < b.node; });
  for (int thread = 0; thread < threads; ++thread)
    map.threads.push_back(
        places[static_cast<std::size_t>(thread) * places.size() / static_cast<std::size_t>(threads)]);
  return map;
}

std::optional<ThreadMap> map_of_started_threads(const NodeTable& nodes, int threads) {
  const std::vector<int> started = started_threads();
  if (static_cast<int>(started.size()) < threads) return std::nullopt;
  ThreadMap map{{}, "threads in the order of their start", true};
  for (int number = 0; number < threads; ++number) {
    ThreadPlace place;
    place.cpu = last_cpu_of(started[static_cast<std::size_t>(number)]);
    for (const MemoryNode& node : nodes.nodes)
      if (std::find(node.cpus.begin(), node.cpus.end(), place.cpu) != node.cpus.end())
        place.node = node.number;
    place.home = nodes.home_of(place.node);
    CpuMask mask;
    place.bound = mask.read(started[static_cast<std::size_t>(number)]) && within_one_node(nodes, mask.cpus());
    map.threads.push_back(place);
  }
  return map;
}

}  // namespace taihu::memory
