// SPDX-License-Identifier: Apache-2.0
// One reserved range of addresses in which all blocks lie: whether a pointer is ours costs two compares, and
// pages get memory, policy and kind before anyone can touch them. Not safe for several threads: its owner has
// the lock.
#pragma once

#include <cstddef>
#include <map>

namespace taihu::memory {

enum class PageKind {
  small,        ///< ordinary pages only
  transparent,  ///< huge pages where the kernel can make them
  huge          ///< from the pool of huge pages that the administrator set aside
};

class AddressWindow {
 public:
  /// Reserves `bytes` of addresses, no memory; half as much and so on when the system does not give that. May
  /// end with nothing, then every allocate fails.
  explicit AddressWindow(std::size_t bytes);
  ~AddressWindow();
  AddressWindow(const AddressWindow&) = delete;
  AddressWindow& operator=(const AddressWindow&) = delete;

  /// Addresses without memory; null when no gap is large enough. Both are multiples of the page size,
  /// `alignment` a power of two.
  std::byte* allocate(std::size_t bytes, std::size_t alignment);
  /// Takes addresses back; what memory they had is gone.
  void release(std::byte* begin, std::size_t bytes);

  bool contains(const void* place) const noexcept {
    return static_cast<std::size_t>(static_cast<const std::byte*>(place) - base_) < bytes_;
  }
  std::size_t capacity_bytes() const noexcept { return bytes_; }
  /// Bytes that can still be allocated, in one gap or several.
  std::size_t gap_bytes() const;
  void check_invariants() const;

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::map<std::size_t, std::size_t> gaps_;  ///< offset -> bytes; never touch each other
};

/// Gives allocated addresses zeroed pages that have no memory yet. 0 or an errno value.
int map_pages(std::byte* begin, std::size_t bytes, PageKind kind) noexcept;

/// Forgets contents and memory of the pages, which are zero again; their policy stays.
void drop_contents(std::byte* begin, std::size_t bytes) noexcept;

}  // namespace taihu::memory
