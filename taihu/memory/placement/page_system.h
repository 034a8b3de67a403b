// SPDX-License-Identifier: Apache-2.0
// What the kernel does about pages and memory nodes, as an interface: tests put a machine of their own behind
// it. Everything in taihu/memory that decides on which node a page lies goes through here.
#pragma once

#include <cstddef>
#include <span>

#include "taihu/base/page_size.h"

namespace taihu::memory {

/// Callers hand pages over in groups of this many: their lists fit on a stack of any thread.
inline constexpr std::size_t pages_of_one_call = 1024;

/// All calls return 0 or an errno value and never throw; any thread may call them.
class PageSystem {
 public:
  virtual ~PageSystem() = default;

  /// Pages of the range that are touched from now on come from `node` while it has room, else from its
  /// neighbours: a full node must not kill the program. `begin` is a multiple of the page size.
  virtual int prefer(void* begin, std::size_t bytes, int node) noexcept = 0;
  /// Pages of the range that are touched from now on take turns over `nodes`.
  virtual int interleave(void* begin, std::size_t bytes, std::span<const int> nodes) noexcept = 0;
  /// status[i] = node of the page at pages[i], or a negative errno: -ENOENT when there is none or none to be
  /// seen.
  virtual int locate(std::span<void* const> pages, int* status) noexcept = 0;
  /// Moves each page to its node; status as of locate, after the move.
  virtual int move(std::span<void* const> pages, std::span<const int> nodes, int* status) noexcept = 0;
  /// present[i] tells whether page i of the range has memory (or lies in swap), whatever locate says.
  virtual int present(const void* begin, std::size_t pages, bool* present) noexcept = 0;
  /// The node of the cpu that the caller runs on now; -1 when the kernel does not say.
  virtual int node_here() noexcept = 0;
};

/// The kernel that this process runs on.
PageSystem& live_page_system() noexcept;

/// Bytes of a large page of the processor, in which transparent huge pages come.
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// Pages of the range that are not touched yet shall come from the node of the calling thread, whoever
/// touches them first; also those of memory that several mappings share. False, and nothing happens, when the
/// machine has one node or the kernel refuses: placement is a matter of speed only. `begin` is a multiple of
/// the page size.
bool prefer_node_of_this_thread(void* begin, std::size_t bytes) noexcept;

}  // namespace taihu::memory
