// SPDX-License-Identifier: Apache-2.0
// Memory for intermediate results that stays with a rank, so that frequent short collectives do not allocate.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace taihu::collective {

class Scratch {
 public:
  /// At least `bytes` bytes, 64-byte aligned, contents undefined; valid until the next call. Null when memory
  /// is short.
  std::byte* get(std::size_t bytes) noexcept {
    if (bytes <= capacity_ && memory_) return memory_.get();
    const std::size_t rounded = (bytes + 4095) / 4096 * 4096 + 4096;
    if (rounded < bytes) return nullptr;
    memory_.reset();
    capacity_ = 0;
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(64, rounded)));
    if (memory_) capacity_ = rounded;
    return memory_.get();
  }

  /// Gives memory of more than 4 MiB back.
  void trim() noexcept {
    if (capacity_ <= kept_bytes) return;
    memory_.reset();
    capacity_ = 0;
  }

 private:
  static constexpr std::size_t kept_bytes = (std::size_t{4} << 20) + 4096;

  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t capacity_ = 0;
};

}  // namespace taihu::collective
