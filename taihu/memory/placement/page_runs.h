// SPDX-License-Identifier: Apache-2.0
// From parts of a block to nodes of its pages. A page with several owners goes to the node that owns most of
// its bytes, so parts smaller than a page are packed and no memory is wasted between parts.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace taihu::memory {

/// Consecutive pages on one node: from the end of the run before up to `end_page`, without it.
struct NodeRun {
  std::size_t end_page = 0;
  int node = 0;
  bool operator==(const NodeRun&) const = default;
};

/// The runs of the pages that a block covers; neighbours differ in their node, the last ends at the last
/// page.
/// @param offset_bytes where the block begins inside its first page
/// @param part_end     end of each part in bytes from the begin of the block; never falls
/// @param part_node    node of each part
/// Of nodes that own equally much of a page the one that comes first in the page wins. Cost: linear in the
/// parts.
std::vector<NodeRun> runs_of_parts(std::size_t offset_bytes, std::span<const std::size_t> part_end,
                                   std::span<const int> part_node, std::size_t page_bytes);

/// Node of a page; -1 behind the last run.
int node_of_page(std::span<const NodeRun> runs, std::size_t page) noexcept;

/// Calls use(first_page, end_page, node) for each stretch of pages in [0, pages) on which `wanted` says
/// another node than `present`; pages behind the end of `present` count as different, those behind `wanted`
/// are left out.
template <typename Use>
void for_each_difference(std::span<const NodeRun> present, std::span<const NodeRun> wanted, Use use) {
  std::size_t page = 0, i = 0;
  for (const NodeRun& run : wanted)
    while (page < run.end_page) {
      while (i < present.size() && present[i].end_page <= page) ++i;
      const bool known = i < present.size();
      const std::size_t end =
          known && present[i].end_page < run.end_page ? present[i].end_page : run.end_page;
      if (!known || present[i].node != run.node) use(page, end, run.node);
      page = end;
    }
}

}  // namespace taihu::memory
