// SPDX-License-Identifier: Apache-2.0
// Which thread runs on which cpu and memory node. Found at run time by asking each thread with getcpu, not
// from lists of cpus: with emulated nodes (numa=fake) every node lists every cpu.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taihu/memory/placement/node_table.h"
#include "taihu/memory/placement/page_system.h"

namespace taihu::memory {

struct ThreadPlace {
  int cpu = -1;        ///< where it ran when asked; -1 when unknown
  int node = 0;        ///< of that cpu
  int home = 0;        ///< where its pages go: `node`, or the nearest usable one
  bool bound = false;  ///< it may only run on cpus of one node
  bool operator==(const ThreadPlace&) const = default;
};

/// Invariant: at least one thread, except before the first look.
struct ThreadMap {
  std::vector<ThreadPlace> threads;
  std::string source;        ///< how it was found, for people
  bool provisional = false;  ///< the threads could not be asked themselves: ask again next time

  int count() const noexcept { return static_cast<int>(threads.size()); }
  /// The node of part `part` of `parts`: of thread part * count() / parts.
  int home_of_part(int part, int parts) const noexcept;
  /// Whether all pages have the same home.
  bool one_home() const noexcept;
  bool same_places(const ThreadMap& other) const noexcept { return threads == other.threads; }
};

/// The place of the calling thread.
ThreadPlace place_of_this_thread(PageSystem& system, const NodeTable& nodes) noexcept;

/// Asks every thread of an OpenMP team. Only when openmp::available() and the caller is not in a parallel
/// region.
ThreadMap map_of_openmp_team(PageSystem& system, const NodeTable& nodes);

/// Supposes `threads` threads spread evenly over the cpus of this process in the order of their nodes: the
/// caller visits each cpu for a moment and runs where it ran before afterwards.
ThreadMap map_over_allowed_cpus(PageSystem& system, const NodeTable& nodes, int threads);

/// Numbers of this process's threads in the order of their start, which is the order of OpenMP's numbers.
std::vector<int> started_threads();

/// The first `threads` threads of the process in the order in which they were started, which is the order of
/// OpenMP's numbers: for a team that cannot be asked because it is at work. Nothing when there are less.
std::optional<ThreadMap> map_of_started_threads(const NodeTable& nodes, int threads);

}  // namespace taihu::memory
