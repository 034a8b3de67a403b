// SPDX-License-Identifier: Apache-2.0
// Where the pages of a range are, compared with where they should be, per page and per part.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "taihu/memory/placement/page_runs.h"
#include "taihu/memory/placement/page_system.h"

namespace taihu::memory {

/// Keys other than nodes in maps from nodes to amounts.
inline constexpr int unknown_node = -1;    ///< has memory, but the kernel does not say where
inline constexpr int untouched_node = -2;  ///< has no memory

/// Amounts in ordinary pages. Invariant: local + remote + unknown + untouched is the number of pages of the
/// range, and the sum of `on_node`.
struct Locality {
  std::size_t local = 0, remote = 0, unknown = 0, untouched = 0;
  std::map<int, std::size_t> on_node;                  ///< pages on each node
  std::vector<std::map<int, std::size_t>> part_bytes;  ///< for each part: bytes on each node

  void add(const Locality& other);
  /// Share of the pages with a known place that are where they should be; 1 when there are none.
  double local_share() const noexcept;
};

/// What is looked at. The page that holds `begin` is page 0 of `runs`; their pages have `run_page_bytes`.
struct LocalityQuestion {
  const std::byte* begin = nullptr;  ///< need not begin a page
  std::size_t bytes = 0;
  std::span<const NodeRun> runs;  ///< empty: every place is as good
  std::size_t run_page_bytes = 0;
  std::span<const std::size_t> part_end;  ///< bytes from `begin`; may be empty
};

/// Asks the kernel about each page, in groups. When it does not answer at all, every page is unknown.
Locality find_locality(PageSystem& system, const LocalityQuestion& question);

}  // namespace taihu::memory
