// SPDX-License-Identifier: Apache-2.0
// Zeroed memory for the heap's own records. Never given back. Callers hold the growth lock (page_heap.h) or
// run alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taihu/memory/heap/os.h"

namespace taihu::memory::heap {

class Metadata {
 public:
  /// Aligned to 4096 bytes; null when the system has none.
  void* allocate(std::size_t bytes) {
    bytes = (bytes + 4095) & ~std::size_t{4095};
    if (bytes > left_) {
      char* memory = bytes < chunk_bytes ? static_cast<char*>(os::map(chunk_bytes, nullptr)) : nullptr;
      if (!memory) {
        total_ += bytes;
        return os::map(bytes, nullptr);
      }
      next_ = memory;
      left_ = chunk_bytes;
    }
    void* result = next_;
    next_ += bytes;
    left_ -= bytes;
    total_ += bytes;
    return result;
  }
  std::size_t total_bytes() const { return total_; }

 private:
  static constexpr std::size_t chunk_bytes = 512 << 10;
  char* next_ = nullptr;
  std::size_t left_ = 0, total_ = 0;
};

extern Metadata metadata;

}  // namespace taihu::memory::heap
