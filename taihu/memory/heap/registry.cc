// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/heap/registry.h"

#include <pthread.h>

#include <algorithm>
#include <new>

#include "taihu/memory/heap/background.h"
#include "taihu/memory/heap/metadata.h"
#include "taihu/memory/heap/settings.h"

namespace taihu::memory::heap {
namespace {

/// Stand-ins with empty lists: every call on them takes the slow path.
constinit ThreadCache no_cache_yet{};
constinit ThreadCache no_cache_any_more{};

constinit std::atomic<ThreadCache*> newest_cache{nullptr};
constinit std::atomic<std::uint32_t> dormant_caches{0}, all_caches{0}, acquired_caches{0};
constinit std::atomic<bool> tables_ready{false};
pthread_key_t thread_end_key;

void thread_ends(void* cache) {
  own_cache = current_cache = &no_cache_any_more;
  static_cast<ThreadCache*>(cache)->belong_to(0);
  Registry::release(static_cast<ThreadCache*>(cache));
}

}  // namespace

__thread ThreadCache* current_cache __attribute__((tls_model("initial-exec"))) = &no_cache_yet;
__thread ThreadCache* own_cache __attribute__((tls_model("initial-exec"))) = &no_cache_yet;

bool Registry::start_tables() {
  if (tables_ready.load(std::memory_order_acquire)) return true;
  {
    LockGuard guard(growth_lock);
    if (tables_ready.load(std::memory_order_relaxed)) return true;
    if (!slice_map.start() || pthread_key_create(&thread_end_key, thread_ends) != 0) return false;
    node_total = std::min(os::node_count(), most_nodes);
    free_key = key_of(os::random_number());
    tables_ready.store(true, std::memory_order_release);
  }
  // As early as this: the handlers registered first take their locks last. May allocate.
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  return true;
}

void Registry::start() {
  read_settings();
  if (settings.secure && own_cache != &no_cache_yet) {  // from now on one whose blocks have words
    ThreadCache* early = own_cache;
    own_cache = current_cache = &no_cache_yet;
    early->belong_to(0);
    pthread_setspecific(thread_end_key, nullptr);
    release(early);
  }
  if (settings.central_bytes > 0 || settings.per_thread_bytes > 0) {
    OwnCache cache;
    if (!cache) return;
    cache->node().prepare(settings.central_bytes / node_total);
    if (settings.prepared_threads > 0 &&
        cache->large_.runs.free_slices() < slices_for(settings.per_thread_bytes))
      cache->node().prepare_cache(cache->large_, settings.per_thread_bytes);
  }
}

ThreadCache* Registry::new_cache() {
  LockGuard guard(growth_lock);
  void* memory = metadata.allocate(sizeof(ThreadCache));
  if (!memory) return nullptr;
  auto* cache = new (memory) ThreadCache;
  cache->words_ = settings.secure;
  cache->state_.store(CacheState::active, std::memory_order_relaxed);
  cache->large_.runs.become(
      static_cast<std::uint16_t>(1 + all_caches.fetch_add(1, std::memory_order_relaxed)));
  cache->next_ = newest_cache.load(std::memory_order_relaxed);
  newest_cache.store(cache, std::memory_order_release);
  return cache;
}

ThreadCache* Registry::acquire() {
  if (!start_tables()) return nullptr;
  ThreadCache* cache = nullptr;
  if (dormant_caches.load(std::memory_order_relaxed) > 0) {
    for (cache = first_cache(); cache; cache = cache->next_) {
      CacheState expected = CacheState::dormant;
      if (cache->words_ == settings.secure &&
          cache->state_.load(std::memory_order_relaxed) == CacheState::dormant &&
          cache->state_.compare_exchange_strong(expected, CacheState::active, std::memory_order_acquire)) {
        dormant_caches.fetch_sub(1, std::memory_order_relaxed);
        break;
      }
    }
  }
  if (!cache) cache = new_cache();
  if (!cache) return nullptr;
  active_caches.fetch_add(1, std::memory_order_relaxed);
  const unsigned number = acquired_caches.fetch_add(1, std::memory_order_relaxed);
  cache->prepare(node_total > 1 ? std::min(os::current_node(), node_total - 1) : 0);
  if (settings.central_bytes > 0) cache->node().prepare(settings.central_bytes / node_total);
  if (number < settings.prepared_threads)
    cache->node().prepare_cache(cache->large_, settings.per_thread_bytes);
  return cache;
}

void Registry::release(ThreadCache* cache) {
  cache->empty();
  active_caches.fetch_sub(1, std::memory_order_relaxed);
  dormant_caches.fetch_add(1, std::memory_order_relaxed);
  // Sequentially consistent on both sides: who hands over after the inbox was emptied either sees the new
  // state or is seen.
  cache->state_.store(CacheState::dormant, std::memory_order_seq_cst);
  tend_dormant(cache);
}

void Registry::tend_dormant(ThreadCache* cache) {
  while (cache->inbox_.load(std::memory_order_seq_cst) != &last_block) {
    CacheState expected = CacheState::dormant;
    if (!cache->state_.compare_exchange_strong(expected, CacheState::tended, std::memory_order_seq_cst))
      return;
    cache->empty();
    cache->state_.store(CacheState::dormant, std::memory_order_seq_cst);
  }
}

ThreadCache* Registry::first_cache() {
  return newest_cache.load(std::memory_order_acquire);
}

CacheStatistics Registry::statistics() {
  CacheStatistics sum{};
  for (ThreadCache* cache = first_cache(); cache; cache = cache->next_) {
    const CacheStatistics& one = cache->statistics_;
    sum.refills += one.refills;
    sum.releases += one.releases;
    sum.handed_over += one.handed_over;
    sum.received += one.received;
    sum.spans += one.spans;
    sum.large_reused += one.large_reused;
    sum.large_taken += one.large_taken;
  }
  return sum;
}

unsigned Registry::cache_count() {
  return active_caches.load(std::memory_order_relaxed) + dormant_caches.load(std::memory_order_relaxed);
}

void Registry::before_fork() {
  // The thread that forks may never have used the heap: now it sees how many nodes there are.
  static_cast<void>(tables_ready.load(std::memory_order_acquire));
  for (unsigned node = 0; node < node_total; ++node) node_heaps[node].lock().lock();
  growth_lock.lock();
}

void Registry::after_fork_in_parent() {
  growth_lock.unlock();
  for (unsigned node = node_total; node-- > 0;) node_heaps[node].lock().unlock();
}

/// The other threads are gone, perhaps in the middle of a list: their caches stay as they are, for good.
void Registry::after_fork_in_child() {
  background::after_fork_in_child();
  growth_lock.reset();
  for (unsigned node = 0; node < node_total; ++node) node_heaps[node].lock().reset();
  for (ThreadCache* cache = newest_cache.load(std::memory_order_relaxed); cache; cache = cache->next_) {
    const CacheState state = cache->state_.load(std::memory_order_relaxed);
    if (cache == own_cache || state == CacheState::dormant) continue;
    cache->state_.store(CacheState::lost, std::memory_order_relaxed);
    cache->belong_to(0);  // a new thread may get the thread pointer of the lost one
    if (state == CacheState::active) active_caches.fetch_sub(1, std::memory_order_relaxed);
  }
}

OwnCache::OwnCache() : cache_(own_cache) {
  if (cache_ != &no_cache_yet && cache_ != &no_cache_any_more) return;
  borrowed_ = cache_ == &no_cache_any_more;
  cache_ = Registry::acquire();
  if (!cache_) {
    borrowed_ = false;
    return;
  }
  if (borrowed_) return;
  own_cache = cache_;
  const auto thread = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
  cache_->belong_to(cache_->has_words() ? thread + 1 : thread);
  if (!cache_->has_words()) current_cache = cache_;
  pthread_setspecific(thread_end_key, cache_);
}

}  // namespace taihu::memory::heap
