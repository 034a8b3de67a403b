// SPDX-License-Identifier: Apache-2.0
// Memory of objects that come and go in great numbers: each thread keeps what it has freed for its next ones,
// so that neither takes a lock. Objects may be freed by another thread than made them.
#pragma once

#include <cstddef>
#include <new>

namespace taihu::mpi::messages {

/// Blocks of `bytes` bytes that begin a cache line; memory of the standard allocator behind a list of this
/// thread.
template <std::size_t bytes>
class SpareBlocks {
 public:
  /// Throws std::bad_alloc.
  static void* take() {
    Block* const block = first_;
    if (block == nullptr) return ::operator new(bytes, alignment);
    first_ = block->next;
    --kept_;
    return block;
  }

  static void give(void* memory) noexcept {
    if (kept_ == most_kept || (!gives_up_at_end_ && !prepare())) {
      ::operator delete(memory, alignment);
      return;
    }
    auto* const block = static_cast<Block*>(memory);
    block->next = first_;
    first_ = block;
    ++kept_;
  }

  /// Of the calling thread.
  static std::size_t kept() noexcept { return kept_; }

 private:
  struct Block {
    Block* next;
  };
  static_assert(bytes >= sizeof(Block));
  static constexpr std::size_t most_kept = 1024;
  static constexpr std::align_val_t alignment{64};

  /// Frees what the thread has kept when it ends.
  struct AtEnd {
    bool begun = false;
    ~AtEnd() {
      kept_ = most_kept;  // what is freed from now on is not kept
      while (first_ != nullptr) {
        Block* const block = first_;
        first_ = block->next;
        ::operator delete(block, alignment);
      }
    }
  };

  static bool prepare() noexcept {
    at_end_.begun = true;
    return gives_up_at_end_ = true;
  }

  // Without a destructor, so that looking at them takes no call.
  static inline __attribute__((tls_model("initial-exec"))) thread_local Block* first_ = nullptr;
  static inline __attribute__((tls_model("initial-exec"))) thread_local std::size_t kept_ = 0;
  static inline __attribute__((tls_model("initial-exec"))) thread_local bool gives_up_at_end_ = false;
  static inline thread_local AtEnd at_end_;
};

}  // namespace taihu::mpi::messages
