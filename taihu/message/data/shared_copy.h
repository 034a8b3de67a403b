// SPDX-License-Identifier: Apache-2.0
// One copy done by two threads: who needs the data offers it, and a thread that waits anyway helps: one of
// the rank that sends a long message, or the root of a long bcast. Who offers copies chunks from the front,
// helpers from the back, so that each of them reads and writes one stream, until they meet.
#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "taihu/message/data/copy.h"
#include "taihu/threads/waiting.h"

namespace taihu::message {

/// Invariant: chunks taken from the front and from the back number `chunks_` at most; who takes one copies
/// it.
class SharedCopy {
 public:
  SharedCopy(void* target, const void* source, std::size_t bytes) noexcept
      : target_(static_cast<std::byte*>(target)),
        source_(static_cast<const std::byte*>(source)),
        bytes_(bytes),
        chunk_bytes_(std::clamp<std::size_t>(bytes / 8 & ~std::size_t{4095}, 8192, 128 * 1024)),
        chunks_((bytes + chunk_bytes_ - 1) / chunk_bytes_) {}

  /// Copies chunks until all are taken; those of others may still be under way then.
  void copy_from_front() noexcept {
    for (;;) {
      const Taken taken = take(std::uint64_t{1});
      if (taken.front + taken.back >= chunks_) return;
      copy(taken.front);
    }
  }
  void copy_from_back() noexcept {
    for (;;) {
      const Taken taken = take(std::uint64_t{1} << 32);
      if (taken.front + taken.back >= chunks_) return;
      copy(chunks_ - 1 - taken.back);
    }
  }

 private:
  struct Taken {
    std::uint64_t front, back;
  };
  Taken take(std::uint64_t one) noexcept {
    const std::uint64_t before = taken_.fetch_add(one, std::memory_order_relaxed);
    return {before & 0xffffffffU, before >> 32};
  }
  void copy(std::uint64_t chunk) noexcept {
    const std::size_t first = chunk * chunk_bytes_;
    copy_bytes(target_ + first, source_ + first, std::min(chunk_bytes_, bytes_ - first));
  }

  std::byte* const target_;
  const std::byte* const source_;
  const std::size_t bytes_;
  const std::size_t chunk_bytes_;
  const std::size_t chunks_;
  std::atomic<std::uint64_t> taken_{0};  // from the front; from the back in the upper half
};

/// Where copies are offered to threads that wait, one at a time. A copy lives on the stack of the
/// thread that offers it, which does not leave before the helpers have: a helper counts itself first and then
/// looks for the offer, the other takes the offer back first and then looks at the count.
class alignas(64) HelpWanted {
 public:
  /// Any thread: does the copy, with help if it comes.
  void copy(SharedCopy& copy) noexcept {
    SharedCopy* none = nullptr;
    const bool is_offered = offered_.compare_exchange_strong(none, &copy, std::memory_order_seq_cst);
    copy.copy_from_front();
    if (!is_offered) return;
    offered_.store(nullptr, std::memory_order_seq_cst);
    for (int i = 0; helpers_.load(std::memory_order_seq_cst) != 0; ++i) {
      if (i < 1000) {
        threads::spin_pause();
      } else {
        sched_yield();  // a helper may have lost its core
      }
    }
  }

  /// A thread that waits: helps if help is wanted. Costs one load otherwise.
  void help() noexcept {
    if (offered_.load(std::memory_order_relaxed) == nullptr) return;
    helpers_.fetch_add(1, std::memory_order_seq_cst);
    SharedCopy* copy = offered_.load(std::memory_order_seq_cst);
    if (copy != nullptr) copy->copy_from_back();
    helpers_.fetch_sub(1, std::memory_order_seq_cst);
  }

 private:
  std::atomic<SharedCopy*> offered_{nullptr};
  std::atomic<int> helpers_{0};
};

}  // namespace taihu::message
