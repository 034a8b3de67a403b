// SPDX-License-Identifier: Apache-2.0
// The first level: the free blocks that one thread caches, used without locks.
//
// Small blocks belong to the cache that carved them out of a span, for as long as the span is not given up.
// The owner frees them into its list of their class. Another thread collects them per owner and hands them
// over in batches, by one exchange on the owner's inbox; so a cache line is never shared by two threads' new
// blocks, and no lock is taken. A list that grows too long gives blocks back to the spans: the first time its
// older half, then, until it has been empty, its newest 64. A span whose blocks are all back becomes a large
// block. Large blocks go to the cache of the thread that frees them, where they merge with free neighbours.
//
// When its thread ends, a cache gives up all it can and stays dormant until a new thread takes it over.
#pragma once

#include <atomic>

#include "taihu/memory/heap/guards.h"
#include "taihu/memory/heap/node_heap.h"
#include "taihu/memory/heap/slice_map.h"

namespace taihu::memory::heap {

enum class CacheState : std::uint32_t {
  dormant,  ///< no thread; whoever sets another state may use it
  active,   ///< belongs to a thread
  tended,   ///< another thread empties its inbox
  lost,     ///< its thread does not exist in the forked child
};

struct CacheStatistics {
  std::uint64_t refills, releases, handed_over, received, spans, large_reused, large_taken;
};

class alignas(4096) ThreadCache {
 public:
  bool owns(const FreeList* list) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(lists_);
    return reinterpret_cast<std::uintptr_t>(list) - begin < sizeof lists_;
  }
  static ThreadCache* owner_of(FreeList* list) {
    return reinterpret_cast<ThreadCache*>(reinterpret_cast<std::uintptr_t>(list) &
                                          ~(alignof(ThreadCache) - 1));
  }

  /// Whose list it is, and what it takes.
  static const ListRule& rule_of(const FreeList* list) {
    return reinterpret_cast<const ListRule*>(list)[-static_cast<std::ptrdiff_t>(small_classes)];
  }
  static unsigned class_of(FreeList* list) { return static_cast<unsigned>(list - owner_of(list)->lists_); }
  /// From now on free() in the thread of this thread pointer pushes onto the lists without further tests; 0:
  /// in none.
  void belong_to(std::uintptr_t thread);

  /// Do its blocks end with a word (guards.h)? Those of caches made before the setting was read do not.
  bool has_words() const { return words_; }
  /// Bytes that a program may use of a block of the class.
  std::size_t usable_bytes(unsigned small) const {
    return class_bytes(small) - (words_ ? sizeof(std::uint64_t) : 0);
  }

  /// A block of the class from its list; null when that is empty, or its first block was written to.
  void* pop(std::size_t small) { return lists_[small].pop(); }

  /// A block of the class, or of a little longer one that has the alignment too, whatever it takes. Null when
  /// there is no memory. Owner only, as everything below.
  void* refill(unsigned small, std::size_t alignment = 16);
  void shorten(unsigned small);
  void shorten(FreeList* list) { shorten(class_of(list)); }
  /// A block of another cache.
  void free_remote(FreeList* list, Block* block);
  Slice* take_large(std::uint32_t slices);
  void give_large(Slice* block);
  /// Of a secure heap: a block with its guard page, if one is kept; and a freed one, kept or given.
  Slice* take_guarded(std::uint32_t slices);
  void give_guarded(Slice* block);
  /// Makes a large block longer by free memory behind it. False when it cannot.
  bool extend(Slice* block, std::uint32_t more);
  /// A place for a block that grows.
  Slice* take_growable(std::uint32_t slices, SliceState preferred);

  /// Hands over what was collected for other caches.
  void flush_remote();
  /// Gives up all that is free in units of slices.
  void empty();
  /// Gives pages of spans that hold nothing back to the system, unless there are huge ones.
  void trim();
  /// Where memory goes back soon, now and then: gives up what has been free since the last time.
  void give_up_idle();
  void check_invariants() const;
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

  /// What tells whether a class has been used in between. A class that is used in pairs of malloc and free
  /// shows the same first block, room and carved at each look, so it may look unused: that costs a refill.
  struct Use {
    const Block* first;
    std::int64_t room;
    std::uint32_t carved;
    bool operator==(const Use&) const = default;
  };
  Use use_of(unsigned small) const;

  static void flush(RemoteBucket& bucket);
  void take_inbox();
  bool release(Slice* span, Block* block);
  void take_partial(unsigned small, Slice* span);
  void* borrow(unsigned small, std::size_t alignment);
  void carve(unsigned small);
  Slice* new_span(unsigned small);
  void list(Slice* span);
  void unlist(Slice* span);
  void give_up(Slice* span);
  void release_blocks(unsigned small, Block*& first, std::int64_t most);
  void give_up_class(unsigned small);
  void trim(unsigned small);
  void trim_soon(Slice* span);
  void prepare(unsigned node);
  void stay_on_node();
  std::int64_t least_limit(unsigned small) const;
  void drop_guarded(std::size_t most_slices);

  ListRule rules_[small_classes]{};       // directly before the lists (rule_of)
  FreeList lists_[small_classes];         // in the first page (owner_of)
  std::int64_t limits_[small_classes]{};  // length of list = limit - room
  Slice* partial_[small_classes]{};       // spans that have blocks in no list
  Slice* current_[small_classes]{};       // span that is being carved
  bool shortened_[small_classes]{};       // since the last refill
  bool words_ = false;                    // never changes after it is made
  LargeCache large_;
  guards::GuardedBlocks guarded_;
  RemoteBucket remote_[remote_buckets]{};
  CacheStatistics statistics_{};
  std::uint32_t slow_calls_ = 0, last_idle_ = 0, last_trim_ = 0;
  Use last_use_[small_classes]{};  // when what is idle was given up
  std::uint32_t node_ = 0;
  ThreadCache* next_ = nullptr;  // in the registry

  alignas(64) std::atomic<Block*> inbox_{&last_block};
  std::atomic<CacheState> state_{CacheState::dormant};
};

/// The calling thread's cache; a cache with empty lists before the first slow call and after its end.
extern __thread ThreadCache* current_cache __attribute__((tls_model("initial-exec")));
/// The same; but where blocks have words, current_cache keeps its empty lists, so that every call takes the
/// path that writes and checks them.
extern __thread ThreadCache* own_cache __attribute__((tls_model("initial-exec")));

}  // namespace taihu::memory::heap
