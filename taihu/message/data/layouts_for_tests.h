// SPDX-License-Identifier: Apache-2.0
// Layouts for tests: blocks with gaps, and one that only counts, for messages larger than memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "taihu/message/data/layout.h"

namespace taihu::message {

/// Blocks of `block` bytes, each `stride` bytes after the one before, walked byte by byte: the slow, obvious
/// form.
class StridedLayout final : public Layout {
 public:
  StridedLayout(std::size_t block, std::size_t stride) : block_(block), stride_(stride) {}

  std::size_t place(std::size_t byte) const { return byte / block_ * stride_ + byte % block_; }
  std::size_t extent(std::size_t bytes) const { return bytes == 0 ? 0 : place(bytes - 1) + 1; }

  void pack(std::byte* target, const void* base, std::size_t first, std::size_t bytes) const override {
    for (std::size_t i = 0; i < bytes; ++i) target[i] = static_cast<const std::byte*>(base)[place(first + i)];
  }
  void unpack(void* base, const std::byte* source, std::size_t first, std::size_t bytes) const override {
    for (std::size_t i = 0; i < bytes; ++i) static_cast<std::byte*>(base)[place(first + i)] = source[i];
  }
  void copy(void* target, const Layout& from, const void* source, std::size_t bytes) const override {
    std::vector<std::byte> packed(bytes);
    from.pack(packed.data(), source, 0, bytes);
    unpack(target, packed.data(), 0, bytes);
  }

 private:
  const std::size_t block_;
  const std::size_t stride_;
};

/// Has no memory: counts the bytes that were asked of it.
class CountingLayout final : public Layout {
 public:
  void pack(std::byte*, const void*, std::size_t first, std::size_t bytes) const override {
    count(first, bytes);
  }
  void unpack(void*, const std::byte*, std::size_t first, std::size_t bytes) const override {
    count(first, bytes);
  }
  void copy(void*, const Layout&, const void*, std::size_t bytes) const override { count(0, bytes); }

  std::size_t bytes() const { return bytes_.load(); }
  std::size_t end() const { return end_.load(); }  ///< of the furthest piece

 private:
  void count(std::size_t first, std::size_t bytes) const {
    bytes_ += bytes;
    end_ = std::max(end_.load(), first + bytes);
  }

  mutable std::atomic<std::size_t> bytes_{0};
  mutable std::atomic<std::size_t> end_{0};
};

}  // namespace taihu::message
