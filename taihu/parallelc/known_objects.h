// SPDX-License-Identifier: Apache-2.0
// Where the variables of all loaded files that parcc --auto-dma compiled lie, and the blocks of m_malloc:
// what a pointer of another file names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <span>
#include <utility>

#include "taihu/abi/staging.h"

namespace taihu::parallelc {

/// Used by all threads of a node process.
class KnownObjects {
 public:
  void add(std::span<const taihu_object> objects);
  /// Those that add got: their file goes, and their memory may become something else. Their bytes are not
  /// looked at.
  void remove(std::span<const taihu_object> objects);

  /// First address and bytes of the object in which `address` lies.
  std::optional<std::pair<std::uintptr_t, std::size_t>> find(std::uintptr_t address) const;
  /// The same, of objects that are not constant.
  std::optional<std::pair<std::uintptr_t, std::size_t>> find_writable(std::uintptr_t address) const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, std::uint64_t> bytes_;  ///< as taihu_object has them, by first address
};

/// Of this node process.
KnownObjects& known_objects();

}  // namespace taihu::parallelc
