// SPDX-License-Identifier: Apache-2.0
// Asks the kernel to put pages on nodes, as long as that makes sense: on a machine with one node, or after
// the kernel has refused, partitions are only kept in the books (analytic mode), and the reason is known.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <string>

#include "taihu/memory/naalloc/log.h"
#include "taihu/memory/placement/node_table.h"
#include "taihu/memory/placement/page_runs.h"
#include "taihu/memory/placement/page_system.h"

namespace taihu::memory {

/// Its owner has the lock.
class Placer {
 public:
  Placer(PageSystem& system, const NodeTable& nodes, Log& log);

  bool placing() const noexcept { return placing_; }  // any thread, without the lock
  /// Why pages are not placed; empty when they are.
  const std::string& reason() const noexcept { return reason_; }

  /// Pages of each run shall come from its node. A refusal ends placing.
  void place(std::byte* begin, std::span<const NodeRun> runs, std::size_t run_page_bytes);
  /// The same for one stretch of bytes.
  void place(std::byte* begin, std::size_t bytes, int node);
  void interleave(std::byte* begin, std::size_t bytes);
  /// Tries again after a refusal: the map of threads was asked for anew.
  void try_again();

 private:
  void refused(int node, int error);

  PageSystem& system_;
  const NodeTable& nodes_;
  Log& log_;
  std::string reason_;
  std::atomic<bool> placing_;
};

/// Moves the pages of a range to the nodes of `runs` without leaving a policy behind; pages may be in use.
/// Page 0 of `runs` begins at `begin`. Huge pages move as a whole: to the node that owns most of them.
/// Returns the number of ordinary pages that are known to be elsewhere, or that the kernel says nothing
/// about.
std::size_t move_to_runs(PageSystem& system, std::byte* begin, std::span<const NodeRun> runs,
                         std::size_t run_page_bytes);

}  // namespace taihu::memory
