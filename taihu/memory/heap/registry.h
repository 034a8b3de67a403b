// SPDX-License-Identifier: Apache-2.0
// All thread caches: made for new threads, dormant after their end, taken over by later threads; and fork.
#pragma once

#include "taihu/memory/heap/thread_cache.h"

namespace taihu::memory::heap {

class Registry {
 public:
  /// Settings, preallocation, what must happen at fork and exit. Once, before main; the heap works before,
  /// too.
  static void start();

  /// A cache for the calling thread; null when there is no memory for one.
  static ThreadCache* acquire();
  /// Makes it dormant.
  static void release(ThreadCache* cache);
  /// Empties the inbox of a cache that no thread has.
  static void tend_dormant(ThreadCache* cache);

  static CacheStatistics statistics();
  /// Of all caches. Their threads must rest.
  static void check_invariants();
  /// The newest; null before the first one.
  static ThreadCache* first_cache();
  static unsigned cache_count();

  static void before_fork();
  static void after_fork_in_parent();
  static void after_fork_in_child();

 private:
  static bool start_tables();
  static ThreadCache* new_cache();
};

/// The calling thread's cache while it lives. A thread whose cache is already given up (it ends) gets one for
/// this one use.
class OwnCache {
 public:
  OwnCache();
  ~OwnCache() {
    if (borrowed_) Registry::release(cache_);
  }
  OwnCache(const OwnCache&) = delete;
  ThreadCache* operator->() const { return cache_; }
  ThreadCache* get() const { return cache_; }
  explicit operator bool() const { return cache_ != nullptr; }

 private:
  ThreadCache* cache_;
  bool borrowed_ = false;
};

}  // namespace taihu::memory::heap
