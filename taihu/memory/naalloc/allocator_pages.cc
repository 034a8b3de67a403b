// SPDX-License-Identifier: Apache-2.0
// How blocks get their pages: nodes of the parts, arena or pages of their own, new or reused, and moving them
// later. Everything that changes the books runs under the allocator's lock.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "taihu/base/page_size.h"
#include "taihu/memory/naalloc/allocator.h"

namespace taihu::memory {
namespace {

constexpr std::size_t least_pool_bytes = std::size_t{64} << 20;
/// Blocks of one node up to this size are packed; above, at most a sixteenth is lost to whole pages.
constexpr std::size_t packed_bytes = std::size_t{64} << 10;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// The node that owns most bytes of a block; 0 when it has none.
int main_node(const Block& block) {
  std::map<int, std::size_t> bytes;
  std::size_t begin = 0;
  for (std::size_t part = 0; part < block.part_node.size(); ++part) {
    bytes[block.part_node[part]] += block.shape.part_end[part] - begin;
    begin = block.shape.part_end[part];
  }
  const auto most = std::max_element(bytes.begin(), bytes.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == bytes.end() ? 0 : most->first;
}

std::size_t pages_of(const std::vector<NodeRun>& runs) {
  return runs.empty() ? 0 : runs.back().end_page;
}

}  // namespace

void Allocator::choose_nodes(Block& block, const ThreadMap& threads) const {
  const int parts = static_cast<int>(block.shape.part_end.size());
  block.part_node.clear();
  block.part_thread.clear();
  block.threads = threads.count();
  for (int part = 0; part < parts; ++part)
    block.part_node.push_back(block.shape.kind == BlockKind::on_node ? nodes_.home_of(block.shape.node)
                                                                     : threads.home_of_part(part, parts));
}

/// Small blocks are packed, so that each takes no mapping of its own; those over several nodes only as long
/// as most of their pages would be shared anyway.
bool Allocator::belongs_into_arena(const Block& block) const {
  if (block.shape.kind == BlockKind::interleaved || block.shape.kind == BlockKind::first_touch) return false;
  const std::set<int> nodes(block.part_node.begin(), block.part_node.end());
  const std::size_t limit = nodes.size() <= 1 ? packed_bytes : 2 * nodes.size() * page_bytes();
  return block.bytes() <= std::min(limit, NodeArena::largest_block_bytes);
}

int Allocator::place_in_arena(Block& block) {
  block.arena_node = main_node(block);
  NodeArena& arena = arenas_[block.arena_node];
  block.begin = arena.allocate(block.bytes());
  if (block.begin == nullptr) {
    int error = 0;
    PageKind kind = PageKind::small;
    std::byte* chunk = new_pages(NodeArena::chunk_bytes, kind, error);
    if (chunk == nullptr) return error;
    placer_.place(chunk, NodeArena::chunk_bytes, block.arena_node);
    ++mappings_;
    arena.add_chunk(chunk);
    block.begin = arena.allocate(block.bytes());
  }
  block.run_page_bytes = page_bytes();
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(block.begin) % page_bytes();
  block.runs = runs_of_parts(offset, block.shape.part_end, block.part_node, page_bytes());
  return 0;
}

/// Runs of the whole pages of a block, whose begin is aligned to them; one run when mappings are scarce.
void Allocator::describe_runs(Block& block) {
  block.runs = runs_of_parts(0, block.shape.part_end, block.part_node, block.run_page_bytes);
  if (block.runs.size() <= 1 || mappings_ + block.runs.size() <= settings_.max_mappings / 2) return;
  block.runs = {{pages_of(block.runs), main_node(block)}};
  if (!std::exchange(mappings_scarce_, true))
    log_.say("blocks go to one node each from now on: %zu of %zu mappings are in use (vm.max_map_count)",
             mappings_, settings_.max_mappings);
}

int Allocator::place_on_pages(Block& block, bool& used_before) {
  const bool huge = settings_.pages == PageKind::huge && !huge_refused_ && block.bytes() >= huge_page_bytes;
  block.pages = settings_.pages == PageKind::huge && !huge ? PageKind::transparent : settings_.pages;
  block.run_page_bytes = huge ? huge_page_bytes : page_bytes();
  const std::size_t bytes = round_up(std::max<std::size_t>(block.bytes(), 1), block.run_page_bytes);
  describe_runs(block);
  block.begin = reuse_pages(block, bytes);
  used_before = block.begin != nullptr;
  if (used_before) return 0;
  int error = 0;
  block.begin = new_pages(bytes, block.pages, error);
  if (block.begin == nullptr) return error;
  block.mapped_bytes = bytes;
  if (huge && block.pages != PageKind::huge) {  // there were none: boundaries can be finer
    block.run_page_bytes = page_bytes();
    describe_runs(block);
  }
  place_new_pages(block);
  return 0;
}

void Allocator::place_new_pages(Block& block) {
  if (block.shape.kind == BlockKind::interleaved) {
    block.runs.clear();
    block.part_node.clear();
    placer_.interleave(block.begin, block.mapped_bytes);
  } else if (block.shape.kind != BlockKind::first_touch) {
    placer_.place(block.begin, block.runs, block.run_page_bytes);
  }
  mappings_ += std::max<std::size_t>(block.runs.size(), 1);
}

/// Fresh zeroed pages; when there is no room, after all kept pages were given up. Without huge pages `kind`
/// falls back.
std::byte* Allocator::new_pages(std::size_t bytes, PageKind& kind, int& error) {
  // Beyond the limit of a control group there is no failure, but the end.
  if (mapped_bytes_ + bytes > settings_.memory_limit)
    for (const MappedPages& pages : pool_.trim(0)) drop(pages);
  for (bool last_try = false;; last_try = true) {
    std::byte* begin = window_.allocate(bytes, bytes >= huge_page_bytes ? huge_page_bytes : page_bytes());
    error = begin == nullptr ? ENOMEM : map_pages(begin, bytes, kind);
    if (error != 0 && begin != nullptr && kind == PageKind::huge) {
      huge_refused_ = true;
      log_.say("no huge pages are set aside for this (vm.nr_hugepages): transparent ones are used");
      kind = PageKind::transparent;
      error = map_pages(begin, bytes, kind);
    }
    if (error == 0) {
      mapped_bytes_ += bytes;
      return begin;
    }
    if (begin != nullptr) window_.release(begin, bytes);
    if (last_try || pool_.bytes() == 0) return nullptr;
    for (const MappedPages& pages : pool_.trim(0)) drop(pages);
  }
}

/// Kept pages of the right size, of which those that belong elsewhere now are replaced; null when there are
/// none.
std::byte* Allocator::reuse_pages(Block& block, std::size_t bytes) {
  if (block.shape.kind == BlockKind::interleaved || block.shape.kind == BlockKind::first_touch)
    return nullptr;
  auto pages = pool_.take(bytes, block.pages, block.runs);
  if (!pages) return nullptr;
  const std::size_t unit = block.run_page_bytes;
  for_each_difference(pages->runs, block.runs, [&](std::size_t first, std::size_t end, int node) {
    drop_contents(pages->begin + first * unit, (end - first) * unit);
    placer_.place(pages->begin + first * unit, (end - first) * unit, node);
  });
  mappings_ -= std::min(mappings_, pages->runs.size());
  // What lies behind the block's last page keeps its node.
  std::size_t page = pages_of(block.runs);
  for (const NodeRun& run : pages->runs)
    if (run.end_page > page) {
      if (!block.runs.empty() && block.runs.back().node == run.node)
        block.runs.back().end_page = run.end_page;
      else
        block.runs.push_back(run);
      page = run.end_page;
    }
  mappings_ += block.runs.size();
  block.mapped_bytes = pages->bytes;
  return pages->begin;
}

void Allocator::drop(const MappedPages& pages) {
  window_.release(pages.begin, pages.bytes);
  mapped_bytes_ -= pages.bytes;
  mappings_ -= std::min(mappings_, std::max<std::size_t>(pages.runs.size(), 1));
}

std::size_t Allocator::pool_limit() const {
  if (settings_.pool_bytes) return *settings_.pool_bytes;
  return std::min(std::max(least_pool_bytes, live_bytes_ / 4), settings_.memory_limit / 8);
}

void Allocator::give_back(Block& block) {
  if (block.mapped_bytes == 0) {
    if (std::byte* chunk = arenas_[block.arena_node].release(block.begin))
      drop({chunk, NodeArena::chunk_bytes, PageKind::small, {}});
    return;
  }
  MappedPages pages{block.begin, block.mapped_bytes, block.pages, std::move(block.runs)};
  if (block.shape.kind == BlockKind::interleaved || block.shape.kind == BlockKind::first_touch)
    return drop(pages);
  pool_.put(std::move(pages));
  for (const MappedPages& old : pool_.trim(pool_limit())) drop(old);
}

long Allocator::rebind(void* existing, std::size_t bytes, const BlockShape& shape) {
  if (existing == nullptr || shape.bytes() > bytes) {
    errno = EINVAL;
    return -1;
  }
  const auto threads = watch_.current();
  Block moved;
  moved.shape = shape;
  {
    const std::lock_guard guard(mutex_);
    const auto found = blocks_.find(static_cast<std::byte*>(existing));
    if (found != blocks_.end() && found->second.mapped_bytes > 0 && shape.bytes() <= found->second.bytes()) {
      Block& block = found->second;
      const std::size_t end = block.bytes();
      block.shape = shape;
      block.shape.part_end.back() = end;
      set_owners(block, *threads);
      moved = block;
    }
  }
  if (moved.begin == nullptr) return move_foreign(static_cast<std::byte*>(existing), moved, *threads);
  return static_cast<long>(move_block(moved));
}

/// Gives a block with pages of its own the nodes of its threads anew; pages not touched yet will come from
/// there.
void Allocator::set_owners(Block& block, const ThreadMap& threads) {
  block.shape.kind = BlockKind::partitioned;
  choose_nodes(block, threads);
  place_whole_block(block);
}

/// The runs of a block that has parts and nodes, and what is behind its last page.
void Allocator::place_whole_block(Block& block) {
  mappings_ -= std::min(mappings_, std::max<std::size_t>(block.runs.size(), 1));
  describe_runs(block);
  const std::size_t mapped_pages = block.mapped_bytes / block.run_page_bytes;
  if (!block.runs.empty()) block.runs.back().end_page = mapped_pages;
  mappings_ += std::max<std::size_t>(block.runs.size(), 1);
  placer_.place(block.begin, block.runs, block.run_page_bytes);
}

std::size_t Allocator::move_block(const Block& block) {
  const std::size_t left =
      placer_.placing() ? move_to_runs(system_, block.begin, block.runs, block.run_page_bytes) : 0;
  if (log_.on()) {
    const Locality now = look_at(system_, block);
    log_.say("rebind %p: %zu bytes, %zu pages local, %zu remote, %zu unknown, %zu untouched",
             static_cast<void*>(block.begin), block.bytes(), now.local, now.remote, now.unknown,
             now.untouched);
  }
  return left;
}

/// Whole pages inside of the parts only, and no policy: on memory of others it would outlive the memory.
long Allocator::move_foreign(std::byte* begin, Block& range, const ThreadMap& threads) {
  choose_nodes(range, threads);
  const std::size_t unit = page_bytes(), offset = reinterpret_cast<std::uintptr_t>(begin) % unit;
  range.runs = runs_of_parts(offset, range.shape.part_end, range.part_node, unit);
  const std::size_t end_page = (offset + range.bytes()) / unit, first_page = offset > 0 ? 1 : 0;
  if (!placer_.placing() || end_page <= first_page) return 0;
  std::vector<NodeRun> inner;
  for (const NodeRun& run : range.runs) {
    const std::size_t end = std::min(run.end_page, end_page);
    if (end > first_page && (inner.empty() || end - first_page > inner.back().end_page))
      inner.push_back({end - first_page, run.node});
  }
  std::byte* first = begin - offset + first_page * unit;
  const std::size_t left = move_to_runs(system_, first, inner, unit);
  const Locality now = find_locality(system_, {first, (end_page - first_page) * unit, inner, unit, {}});
  log_.say("rebind %p: %zu bytes of others, %zu pages local, %zu remote, %zu unknown, %zu untouched",
           static_cast<void*>(begin), range.bytes(), now.local, now.remote, now.unknown, now.untouched);
  return static_cast<long>(left + now.untouched);
}

std::size_t Allocator::adopt_uses(std::span<const ObservedUse> uses) {
  const std::lock_guard guard(mutex_);
  std::size_t adopted = 0;
  for (auto& [begin, block] : blocks_) {
    if (block.mapped_bytes == 0) continue;
    if (block.shape.kind != BlockKind::partitioned && block.shape.kind != BlockKind::first_touch) continue;
    const auto by_place = [](const ObservedUse& use, const std::byte* place) { return use.place < place; };
    const auto first = std::lower_bound(uses.begin(), uses.end(), begin, by_place);
    const auto end = std::lower_bound(first, uses.end(), begin + block.bytes(), by_place);
    UsedParts parts = parts_of_use(begin, block.bytes(), {first, end});
    if (parts.part_end.empty()) continue;
    block.shape.kind = BlockKind::partitioned;
    block.shape.part_end = std::move(parts.part_end);
    block.part_node = std::move(parts.node);
    for (int& node : block.part_node) node = nodes_.home_of(node);
    block.part_thread = std::move(parts.thread);
    place_whole_block(block);
    ++adopted;
  }
  return adopted;
}

std::size_t Allocator::move_to_users() {
  std::vector<Block> moved;
  {
    const std::lock_guard guard(mutex_);
    for (const auto& [begin, block] : blocks_)
      if (!block.part_thread.empty()) moved.push_back(block);
  }
  std::size_t left = 0;
  for (const Block& block : moved) left += move_block(block);
  return left;
}

std::size_t Allocator::rebind_all() {
  const auto threads = watch_.current();
  std::vector<Block> moved;
  {
    const std::lock_guard guard(mutex_);
    for (auto& [begin, block] : blocks_) {
      if (block.mapped_bytes == 0) continue;
      if (block.shape.kind != BlockKind::partitioned && block.shape.kind != BlockKind::first_touch) continue;
      set_owners(block, *threads);
      moved.push_back(block);
    }
  }
  std::size_t left = 0;
  for (const Block& block : moved) left += move_block(block);
  return left;
}

}  // namespace taihu::memory
