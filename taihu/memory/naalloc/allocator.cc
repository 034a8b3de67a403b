// SPDX-License-Identifier: Apache-2.0
// Calls of the allocator: the books of blocks. How blocks get their pages is in allocator_pages.cc.
#include "taihu/memory/naalloc/allocator.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "taihu/base/contract.h"
#include "taihu/base/page_size.h"
#include "taihu/memory/naalloc/by_owners.h"
#include "taihu/memory/placement/memory_limit.h"

namespace taihu::memory {
namespace {

constexpr int most_threads = 65536;

std::size_t default_window_bytes() {
  const auto pages = static_cast<std::size_t>(std::max(sysconf(_SC_PHYS_PAGES), 1L));
  std::size_t bytes = std::size_t{64} << 30;
  while (bytes < pages * page_bytes() * 16 && bytes < (std::size_t{1} << 45)) bytes *= 2;
  return bytes;
}

std::size_t allowed_mappings(const std::string& root) {
  std::ifstream file(root + "/proc/sys/vm/max_map_count");
  std::size_t count = 0;
  return file >> count ? count : 65530;
}

/// Sets errno for calls that report by it.
std::nullptr_t failed(int error) {
  errno = error;
  return nullptr;
}

}  // namespace

void add_thread_bytes(const Block& block, const Locality& locality, ThreadBytes& sum) {
  for (std::size_t part = 0; part < locality.part_bytes.size(); ++part)
    if (const int thread = block.thread_of(part); thread >= 0)
      for (auto [node, bytes] : locality.part_bytes[part]) sum[thread][node] += bytes;
}

Allocator::Allocator(const NaallocSettings& settings, PageSystem& system)
    : settings_(settings),
      system_(system),
      nodes_(read_node_table(settings.root)),
      watch_(system, nodes_, settings.threads, log_),
      window_(settings.window_bytes != 0 ? settings.window_bytes : default_window_bytes()),
      placer_(system, nodes_, log_) {
  if (settings_.max_mappings == 0) settings_.max_mappings = allowed_mappings(settings.root);
  if (settings_.memory_limit == 0) settings_.memory_limit = memory_limit(settings.root);
}

int Allocator::look_at_threads() {
  const auto map = watch_.look();
  const std::lock_guard guard(mutex_);
  placer_.try_again();
  for (const std::string& note : nodes_.notes) log_.say("%s", note.c_str());
  if (!placer_.placing()) log_.say("pages are not placed: %s", placer_.reason().c_str());
  return map->count();
}

int Allocator::set_thread(int thread) {
  if (thread < 0 || thread >= most_threads) {
    errno = EINVAL;
    return -1;
  }
  return watch_.set_thread(thread).home;
}

int Allocator::threads() {
  return watch_.current()->count();
}

int Allocator::home_of_thread(int thread) {
  const auto map = watch_.current();
  if (thread >= 0 && thread < map->count()) return map->threads[static_cast<std::size_t>(thread)].home;
  errno = EINVAL;
  return -1;
}

void* Allocator::allocate(BlockShape shape, Contents contents) {
  const auto threads = watch_.current();
  if (shape.kind == BlockKind::on_node && nodes_.find(shape.node) == nullptr) return failed(EINVAL);
  Block block;
  block.shape = std::move(shape);
  choose_nodes(block, *threads);
  bool used_before = false;
  {
    const std::lock_guard guard(mutex_);
    const int error = belongs_into_arena(block) ? (used_before = true, place_in_arena(block))
                                                : place_on_pages(block, used_before);
    if (error != 0) {
      log_.say("no memory for %zu bytes: %s", block.bytes(), strerror(error));
      return failed(error);
    }
    blocks_.emplace(block.begin, block);
    live_bytes_ += block.bytes();
    books_changed();
  }
  if (contents == Contents::zeroed && used_before) clear_by_owners(block);
  log_allocation(block);
  return block.begin;
}

/// With contracts, looks at all books now and then.
void Allocator::books_changed() {
  if constexpr (contracts_checked)
    if (++changes_ % 64 == 0) check_locked();
}

void Allocator::log_allocation(const Block& block) {
  if (!log_.on()) return;
  const std::size_t nodes = block.runs.size();
  log_.say("allocate %p: %zu bytes, %s, %zu parts, %zu runs of pages, first on node %d",
           static_cast<void*>(block.begin), block.bytes(), name_of(block.shape.kind),
           block.shape.part_end.size(), nodes, nodes == 0 ? -1 : block.runs.front().node);
}

void Allocator::clear_by_owners(const Block& block) {
  for_each_part(
      block.shape.part_end, threads(),
      [](void* begin, std::size_t first, std::size_t end) {
        std::memset(static_cast<std::byte*>(begin) + first, 0, end - first);
      },
      block.begin);
}

void* Allocator::reallocate(void* old, BlockShape shape) {
  if (old == nullptr) return allocate(std::move(shape), Contents::undefined);
  const std::size_t old_bytes = block_bytes(old);
  if (old_bytes == 0) {
    log_.say("reallocation of %p, which is not a live block", old);
    return failed(EINVAL);
  }
  std::vector<std::size_t> part_end = shape.part_end;
  void* block = allocate(std::move(shape), Contents::undefined);
  if (block == nullptr) return nullptr;
  const std::size_t bytes = std::min(old_bytes, part_end.back());
  for (std::size_t& end : part_end) end = std::min(end, bytes);
  struct Copy {
    std::byte* to;
    const std::byte* from;
  } copy{static_cast<std::byte*>(block), static_cast<const std::byte*>(old)};
  for_each_part(
      part_end, threads(),
      [](void* data, std::size_t begin, std::size_t end) {
        const auto* copy = static_cast<Copy*>(data);
        std::memcpy(copy->to + begin, copy->from + begin, end - begin);
      },
      &copy);
  release(old);
  return block;
}

bool Allocator::release(void* place) {
  if (place == nullptr) return true;
  std::size_t bytes = 0;
  {
    std::unique_lock lock(mutex_);
    const auto found = blocks_.find(static_cast<std::byte*>(place));
    if (found == blocks_.end()) {
      lock.unlock();
      log_.say("release of %p, which is not a live block", place);
      errno = EINVAL;
      return false;
    }
    Block block = std::move(found->second);
    blocks_.erase(found);
    bytes = block.bytes();
    live_bytes_ -= bytes;
    if (counting_freed_) {
      const Locality locality = look_at(system_, block);
      freed_.add(locality);
      add_thread_bytes(block, locality, freed_thread_bytes_);
      ++freed_blocks_;
    }
    give_back(block);
    books_changed();
  }
  log_.say("release %p: %zu bytes", place, bytes);
  return true;
}

void Allocator::trim(std::size_t keep_bytes) {
  const std::lock_guard guard(mutex_);
  for (const MappedPages& pages : pool_.trim(keep_bytes)) drop(pages);
  if constexpr (contracts_checked) check_locked();
}

bool Allocator::label(void* place, const char* text) {
  const std::lock_guard guard(mutex_);
  const auto found = blocks_.find(static_cast<std::byte*>(place));
  if (found == blocks_.end()) return false;
  found->second.label.assign(text, strnlen(text, 63));
  return true;
}

std::size_t Allocator::block_bytes(const void* place) {
  const std::lock_guard guard(mutex_);
  const auto found = blocks_.find(static_cast<const std::byte*>(place));
  // A block of no bytes has one, so that it can be told from none.
  return found == blocks_.end() ? 0 : std::max<std::size_t>(found->second.bytes(), 1);
}

bool Allocator::where(const void* place, Locality& locality) {
  Block block;
  {
    const std::lock_guard guard(mutex_);
    const auto found = blocks_.find(static_cast<const std::byte*>(place));
    if (found == blocks_.end()) {
      errno = EINVAL;
      return false;
    }
    block = found->second;
  }
  locality = look_at(system_, block);
  return true;
}

Locality Allocator::look_at(PageSystem& system, const Block& block) {
  return find_locality(system,
                       {block.begin, block.bytes(), block.runs, block.run_page_bytes, block.shape.part_end});
}

void Allocator::count_freed() {
  const std::lock_guard guard(mutex_);
  counting_freed_ = true;
}

NaallocReport Allocator::report() {
  NaallocReport report;
  report.nodes = nodes_;
  report.threads = *watch_.current();
  {
    const std::lock_guard guard(mutex_);
    report.placing = placer_.placing();
    report.reason = placer_.reason();
    for (const auto& [begin, block] : blocks_) report.blocks.push_back({block, {}});
    report.freed = freed_;
    report.freed_blocks = freed_blocks_;
    report.thread_bytes = freed_thread_bytes_;
    report.live_bytes = live_bytes_;
    report.mapped_bytes = mapped_bytes_;
    report.pooled_bytes = pool_.bytes();
  }
  // A block that is released meanwhile has no pages any more or another's: its numbers are of no use, but no
  // harm.
  for (BlockReport& entry : report.blocks) {
    entry.locality = look_at(system_, entry.block);
    add_thread_bytes(entry.block, entry.locality, report.thread_bytes);
  }
  return report;
}

// The order in which the calls take the locks.
void Allocator::before_fork() {
  mutex_.lock();
  watch_.mutex().lock();
  log_.mutex().lock();
}

void Allocator::after_fork_in_parent() {
  log_.mutex().unlock();
  watch_.mutex().unlock();
  mutex_.unlock();
}

void Allocator::after_fork_in_child() {
  watch_.forked();
  after_fork_in_parent();
}

}  // namespace taihu::memory
