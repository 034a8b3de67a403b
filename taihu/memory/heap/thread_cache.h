// SPDX-License-Identifier: Apache-2.0
// The first level: what one thread has at hand, used without locks.
//
// Small blocks belong to the cache that carved them out of a span, for as long as the span is not given up.
// The owner frees them into its list of their class. Another thread collects them per owner and hands them
// over in batches, by one exchange on the owner's inbox; so a cache line is never shared by two threads' new
// blocks, and no lock is taken. A list that grows too long gives its older half back to the spans; a span
// whose blocks are all back becomes a large block. Large blocks go to the cache of the thread that frees
// them, where they merge with free neighbours.
//
// When its thread ends, a cache gives up all it can and stays dormant until a new thread takes it over.
#pragma once

#include <atomic>

#include "taihu/memory/heap/node_heap.h"
#include "taihu/memory/heap/slice_map.h"

namespace taihu::memory::heap {

enum class CacheState : std::uint32_t {
  dormant,  ///< no thread; whoever sets another state may use it
  active,   ///< belongs to a thread
  tended,   ///< another thread empties its inbox
  lost,     ///< its thread did not come along through fork
};

struct CacheStatistics {
  std::uint64_t refills, releases, handed_over, received, spans, large_reused, large_taken;
};

class alignas(4096) ThreadCache {
 public:
  /// Is `list` one of this cache's? One comparison, because caches are aligned.
  bool owns(const ListHead* list) const {
    return (reinterpret_cast<std::uintptr_t>(list) ^ reinterpret_cast<std::uintptr_t>(this)) < sizeof heads_;
  }
  static ThreadCache* owner_of(ListHead* list) {
    return reinterpret_cast<ThreadCache*>(reinterpret_cast<std::uintptr_t>(list) &
                                          ~(alignof(ThreadCache) - 1));
  }

  /// A block of the class from its list; null when that is empty.
  void* pop(unsigned small) {
    Block* block = heads_[small];
    if (!block) return nullptr;
    heads_[small] = block->next;
    ++rooms_[small];
    return block;
  }
  /// Puts a block into a list of this cache. True when the list is now too long.
  static bool push(ListHead* list, Block* block) {
    block->next = *list;
    *list = block;
    return --reinterpret_cast<std::int64_t*>(list)[small_classes] < 0;
  }

  /// A block of the class, whatever it takes. Null when there is no memory. Owner only, as everything below.
  void* refill(unsigned small);
  void shorten(unsigned small);
  void shorten(ListHead* list) { shorten(static_cast<unsigned>(list - heads_)); }
  /// A block of another cache.
  void free_remote(ListHead* list, Block* block);

  Slice* take_large(std::uint32_t slices);
  void give_large(Slice* block);
  /// Makes a large block longer by free memory behind it. False when it cannot.
  bool extend(Slice* block, std::uint32_t more);
  /// A place for a block that grows.
  Slice* take_growable(std::uint32_t slices, SliceState preferred);

  /// Hands over what was collected for other caches.
  void flush_remote();
  /// Gives up all that is free.
  void empty();
  NodeHeap& node() { return node_heaps[node_]; }

  /// From any thread: a chain of blocks of this cache.
  void hand_over(Block* first, Block* last);

 private:
  friend class Registry;
  static constexpr unsigned remote_buckets = 16;
  static constexpr std::uint32_t most_remote_blocks = 128;
  static constexpr std::size_t most_remote_bytes = 64 << 10;
  struct RemoteBucket {
    ThreadCache* owner;
    Block *first, *last;
    std::uint32_t count;
    std::uint32_t bytes;
  };

  static void flush(RemoteBucket& bucket);
  void take_inbox();
  void release(Block* block);
  void take_partial(unsigned small, Slice* span);
  void carve(unsigned small);
  Slice* new_span(unsigned small);
  void list(Slice* span);
  void unlist(Slice* span);
  void give_up(Slice* span);
  void release_list(unsigned small, Block* block);
  void prepare(unsigned node);
  void stay_on_node();
  std::int64_t least_limit(unsigned small) const;

  ListHead heads_[small_classes]{};       // the free lists; must come first (owns)
  std::int64_t rooms_[small_classes]{};   // blocks that each list may still take; must come second (push)
  std::int64_t limits_[small_classes]{};  // length of list = limit - room
  Slice* partial_[small_classes]{};       // spans that have blocks in no list
  Slice* current_[small_classes]{};       // span that is being carved
  std::uint16_t carve_batch_[small_classes]{};
  bool shortened_[small_classes]{};  // since the last refill
  LargeCache large_;
  RemoteBucket remote_[remote_buckets]{};
  CacheStatistics statistics_{};
  std::uint32_t slow_calls_ = 0;
  std::uint32_t node_ = 0;
  ThreadCache* next_ = nullptr;  // in the registry

  alignas(64) std::atomic<Block*> inbox_{nullptr};
  std::atomic<CacheState> state_{CacheState::dormant};
};

/// The calling thread's cache; a cache with empty lists before the first slow call and after its end.
extern __thread ThreadCache* current_cache __attribute__((tls_model("initial-exec")));

}  // namespace taihu::memory::heap
