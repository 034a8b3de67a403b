// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/reuse_pool.h"

namespace taihu::memory {

std::optional<MappedPages> ReusePool::take(std::size_t bytes, PageKind kind,
                                           const std::vector<NodeRun>& runs) {
  auto best = entries_.end();
  for (auto found = by_bytes_.lower_bound(bytes);
       found != by_bytes_.end() && found->first <= bytes + bytes / 8; ++found) {
    const Entries::iterator entry = found->second;
    if (entry->kind != kind) continue;
    if (best == entries_.end()) best = entry;
    if (entry->runs == runs) {
      best = entry;
      break;
    }
  }
  if (best == entries_.end()) return std::nullopt;
  MappedPages pages = std::move(*best);
  forget(best);
  return pages;
}

void ReusePool::put(MappedPages pages) {
  const std::size_t bytes = pages.bytes;
  const auto entry = entries_.insert(entries_.end(), std::move(pages));
  by_bytes_.emplace(bytes, entry);
  bytes_ += bytes;
}

std::vector<MappedPages> ReusePool::trim(std::size_t keep_bytes) {
  std::vector<MappedPages> trimmed;
  while (bytes_ > keep_bytes && !entries_.empty()) {
    trimmed.push_back(entries_.front());
    forget(entries_.begin());
  }
  return trimmed;
}

void ReusePool::forget(Entries::iterator entry) {
  // The entry itself may have been moved from: its size is still that under which it is listed.
  for (auto [found, end] = by_bytes_.equal_range(entry->bytes); found != end; ++found)
    if (found->second == entry) {
      by_bytes_.erase(found);
      break;
    }
  bytes_ -= entry->bytes;
  entries_.erase(entry);
}

}  // namespace taihu::memory
