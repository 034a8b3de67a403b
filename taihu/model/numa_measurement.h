// SPDX-License-Identifier: Apache-2.0
// The rates of a NumaMachine measured on the machine that this process runs on, by reading: what the cores of
// one node get from the memory of each, all of them together and one alone. As STREAM does, but without
// writing, since the traffic of the model (numa_time.h) is what threads read.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "taihu/memory/placement/page_system.h"
#include "taihu/model/numa_machine.h"
#include "taihu/topology/machine.h"

namespace taihu::model {

struct NumaMeasurement {
  /// What each thread reads in one pass; caches must not hold it. 0: twice the last level of cache, at
  /// least 64 MB.
  std::size_t bytes_per_thread = 0;
  /// A rate is the best of so many runs, as STREAM's is.
  int runs = 10;
  /// Called before each pair of nodes with what is measured next.
  std::function<void(const std::string&)> progress;
};

/// The nodes of the result are those of `machine` that have cores and memory, in their order; cores_per_node
/// is that of the smallest. A core counts as one thread. With one node there is no link and no remote memory:
/// the local rates stand for them. Starts threads and binds them; those of the caller stay where they are.
/// Throws Error when a node does not give its memory, a thread cannot be bound, or there is not enough
/// memory.
NumaMachine measure_numa_machine(const topology::Machine& machine, const NumaMeasurement& measurement,
                                 memory::PageSystem& pages);

/// JSON text that parse_numa_machine reads, rates with three digits; `source` says where they are from.
std::string json_of(const NumaMachine& machine, const std::string& source);

}  // namespace taihu::model
