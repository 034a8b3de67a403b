// SPDX-License-Identifier: Apache-2.0
// The allocator behind <naalloc.h>: blocks in one address window, large ones with pages of their own, small
// ones in arenas of a node, freed ones kept for reuse. One lock guards the books; memory is cleared, copied
// and looked at without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "taihu/memory/naalloc/address_window.h"
#include "taihu/memory/naalloc/block.h"
#include "taihu/memory/naalloc/locality.h"
#include "taihu/memory/naalloc/log.h"
#include "taihu/memory/naalloc/node_arena.h"
#include "taihu/memory/naalloc/observed_use.h"
#include "taihu/memory/naalloc/placer.h"
#include "taihu/memory/naalloc/reuse_pool.h"
#include "taihu/memory/naalloc/thread_watch.h"
#include "taihu/memory/placement/node_table.h"

namespace taihu::memory {

struct NaallocSettings {
  std::size_t window_bytes = 0;           ///< addresses to reserve; 0: 16 times the memory of the machine
  std::optional<std::size_t> pool_bytes;  ///< freed memory to keep; nothing: a quarter of the live blocks, at
                                          ///< least 64 MiB; not above an eighth of memory_limit
  PageKind pages = PageKind::transparent;
  int threads = 0;               ///< to suppose; 0: OpenMP's, else the caller alone
  std::string root;              ///< below which /sys and /proc are read
  std::size_t memory_limit = 0;  ///< of the process; 0: what its control groups allow
  std::size_t max_mappings = 0;  ///< of the process; 0: what the kernel allows
};

enum class Contents { undefined, zeroed };

/// What a report tells of one block.
struct BlockReport {
  Block block;
  Locality locality;
};

/// Bytes that each thread owns, by the node that they lie on (keys as in Locality).
using ThreadBytes = std::map<int, std::map<int, std::size_t>>;

/// Adds what the parts of a block are to their threads.
void add_thread_bytes(const Block& block, const Locality& locality, ThreadBytes& sum);

struct NaallocReport {
  bool placing = false;
  std::string reason;  ///< why pages are not placed
  NodeTable nodes;
  ThreadMap threads;
  std::vector<BlockReport> blocks;  ///< live ones, by address
  Locality freed;                   ///< of blocks that were released while counting was on
  std::size_t freed_blocks = 0;
  ThreadBytes thread_bytes;  ///< of live blocks, and of freed ones as in `freed`
  std::size_t live_bytes = 0, mapped_bytes = 0, pooled_bytes = 0;
};

class Allocator {
 public:
  Allocator(const NaallocSettings& settings, PageSystem& system);

  /// As in naalloc.h, errors included: null with errno, -1 with errno.
  int look_at_threads();
  int set_thread(int thread);
  int threads();
  int home_of_thread(int thread);
  void* allocate(BlockShape shape, Contents contents);
  void* reallocate(void* block, BlockShape shape);
  bool release(void* block);
  void trim(std::size_t keep_bytes);
  long rebind(void* existing, std::size_t bytes, const BlockShape& shape);
  bool label(void* block, const char* text);
  bool where(const void* block, Locality& locality);

  /// Moves the pages of every partitioned or first-touch block to where they belong; returns how many stayed
  /// away.
  std::size_t rebind_all();
  /// Every partitioned or first-touch block of which enough accesses were seen gets parts as they were used;
  /// `uses` are sorted by place. Returns the number of such blocks. Pages stay until move_to_users.
  std::size_t adopt_uses(std::span<const ObservedUse> uses);
  /// Moves the pages of the blocks of adopt_uses to their users; returns how many stayed away.
  std::size_t move_to_users();
  /// Whether the address lies in the window: no lock, no look.
  bool owns(const void* place) const noexcept { return window_.contains(place); }
  /// Bytes that a block may use; 0 when it is not one.
  std::size_t block_bytes(const void* block);
  /// From now on released blocks add to the report's `freed`, which costs a look at their pages.
  void count_freed();

  NaallocReport report();
  void check_invariants();
  Log& log() noexcept { return log_; }

  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

 private:
  using Blocks = std::map<const std::byte*, Block>;

  void check_locked() const;
  void books_changed();
  void choose_nodes(Block& block, const ThreadMap& threads) const;
  bool belongs_into_arena(const Block& block) const;
  int place_in_arena(Block& block);
  int place_on_pages(Block& block, bool& used_before);
  void place_new_pages(Block& block);
  std::byte* new_pages(std::size_t bytes, PageKind& kind, int& error);
  std::byte* reuse_pages(Block& block, std::size_t bytes);
  void give_back(Block& block);
  void drop(const MappedPages& pages);
  std::size_t pool_limit() const;
  void describe_runs(Block& block);
  void set_owners(Block& block, const ThreadMap& threads);
  void place_whole_block(Block& block);
  std::size_t move_block(const Block& block);
  long move_foreign(std::byte* begin, Block& range, const ThreadMap& threads);
  void log_allocation(const Block& block);
  void clear_by_owners(const Block& block);
  static Locality look_at(PageSystem& system, const Block& block);

  NaallocSettings settings_;
  PageSystem& system_;
  Log log_;
  NodeTable nodes_;
  ThreadWatch watch_;
  AddressWindow window_;

  std::mutex mutex_;  ///< guards all below
  Placer placer_;
  Blocks blocks_;
  ReusePool pool_;
  std::map<int, NodeArena> arenas_;
  std::size_t live_bytes_ = 0, mapped_bytes_ = 0, mappings_ = 0;
  std::size_t changes_ = 0;  ///< counted with contracts only
  bool huge_refused_ = false, mappings_scarce_ = false, counting_freed_ = false;
  Locality freed_;
  std::size_t freed_blocks_ = 0;
  ThreadBytes freed_thread_bytes_;
};

/// The one of this process, made at the first use from the environment (settings.h) and never destroyed.
Allocator& process_allocator();

}  // namespace taihu::memory
