// SPDX-License-Identifier: Apache-2.0
// Which thread reads how many bytes from the memory of which node in one sweep over its data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taihu::model {

/// Invariants: home and bytes have one entry for each thread, at least one; every row of bytes has one for
/// each node.
struct NumaTraffic {
  std::vector<int> home;                   ///< node whose cores the thread runs on
  std::vector<std::vector<double>> bytes;  ///< [thread][node]

  double total() const noexcept;
};

/// Every byte in the memory of the node that `thread 0` runs on: what a serial set-up leaves behind.
NumaTraffic touched_by_first_thread(const NumaTraffic& traffic);

/// Every byte in the memory of its thread's node: what naalloc aims at.
NumaTraffic all_local(const NumaTraffic& traffic);

/// The same with `share` of every thread's bytes where thread 0 runs: data that naalloc was not used for. 0
/// to 1.
NumaTraffic partly_unplaced(const NumaTraffic& traffic, double share);

/// `bytes` in equal parts for `threads` threads on `nodes` nodes of `cores_per_node` cores, which fill one
/// node after the other, everything local. Throws Error when there are more threads than cores.
NumaTraffic even_traffic(double bytes, int threads, int nodes, int cores_per_node);

/// The traffic that a report of naalloc (JSON text) tells: "threads" and "thread_bytes". Bytes with an
/// unknown place count as spread like the thread's known ones; those that nobody has touched do not count.
/// Throws Error when `text` is no such report, tells of no bytes, or names a node that a machine of `nodes`
/// nodes does not have.
NumaTraffic traffic_of_report(std::string_view text, const std::string& file, int nodes);

}  // namespace taihu::model
