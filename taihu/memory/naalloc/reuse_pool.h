// SPDX-License-Identifier: Apache-2.0
// Pages of freed blocks, kept with their memory and their nodes: new pages cost more than anything else in
// setup phases that allocate and free. The pool holds at most `limit` bytes; what was freed longest ago goes
// first. Its owner has the lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "taihu/memory/naalloc/address_window.h"
#include "taihu/memory/placement/page_runs.h"

namespace taihu::memory {

/// Mapped pages and where they lie.
struct MappedPages {
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
  PageKind kind = PageKind::small;
  std::vector<NodeRun> runs;
};

class ReusePool {
 public:
  /// Pages of this kind, at least `bytes` and at most an eighth more; with the same runs if there are such,
  /// else the fewest pages that fit. Nothing when there are none.
  std::optional<MappedPages> take(std::size_t bytes, PageKind kind, const std::vector<NodeRun>& runs);
  void put(MappedPages pages);
  /// Takes out what was put in longest ago until at most `keep_bytes` are left.
  std::vector<MappedPages> trim(std::size_t keep_bytes);

  std::size_t bytes() const noexcept { return bytes_; }
  void check_invariants() const;

 private:
  using Entries = std::list<MappedPages>;
  void forget(Entries::iterator entry);

  Entries entries_;  ///< oldest first
  std::multimap<std::size_t, Entries::iterator> by_bytes_;
  std::size_t bytes_ = 0;
};

}  // namespace taihu::memory
