// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/placer.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "taihu/base/page_size.h"
#include "taihu/memory/naalloc/locality.h"

namespace taihu::memory {
namespace {

/// Pages to move, handed to the kernel in groups.
class PageMover {
 public:
  explicit PageMover(PageSystem& system) : system_(system) {}
  void add(std::byte* page, int node) {
    pages_.push_back(page);
    nodes_.push_back(node);
    if (pages_.size() == pages_of_one_call) flush();
  }
  void flush() {
    std::vector<int> status(pages_.size());
    if (!pages_.empty()) system_.move(pages_, nodes_, status.data());
    pages_.clear();
    nodes_.clear();
  }

 private:
  PageSystem& system_;
  std::vector<void*> pages_;
  std::vector<int> nodes_;
};

/// Nodes of all ordinary pages, group by group: use(page number, node or error).
template <typename Use>
void for_each_page(PageSystem& system, std::byte* begin, std::size_t pages, Use use) {
  void* places[pages_of_one_call];
  int status[pages_of_one_call];
  for (std::size_t first = 0; first < pages; first += pages_of_one_call) {
    const std::size_t count = std::min(pages_of_one_call, pages - first);
    for (std::size_t i = 0; i < count; ++i) places[i] = begin + (first + i) * page_bytes();
    const int failure = system.locate({places, count}, status);
    for (std::size_t i = 0; i < count; ++i) use(first + i, failure == 0 ? status[i] : -failure);
  }
}

/// After every page was asked to move, the last mover of a huge page has it. Give it to whom it should
/// belong.
void settle_huge_pages(PageSystem& system, std::byte* begin, std::size_t pages, std::span<const NodeRun> runs,
                       std::size_t small_per_run_page) {
  struct Region {
    struct Share {
      std::size_t pages = 0;
      std::byte* first = nullptr;
    };
    std::map<int, Share> wanted;
    int now = -1;
    bool wrong = false, one_node = true;
  };
  std::map<std::uintptr_t, Region> regions;
  for_each_page(system, begin, pages, [&](std::size_t page, int node) {
    if (node < 0) return;
    std::byte* place = begin + page * page_bytes();
    Region& region = regions[reinterpret_cast<std::uintptr_t>(place) / huge_page_bytes];
    const int wanted = node_of_page(runs, page / small_per_run_page);
    Region::Share& share = region.wanted[wanted];
    if (share.pages++ == 0) share.first = place;
    region.one_node = region.one_node && (region.now == -1 || region.now == node);
    region.now = node;
    region.wrong = region.wrong || node != wanted;
  });
  PageMover mover(system);
  for (const auto& [number, region] : regions) {
    if (!region.wrong || !region.one_node) continue;
    const auto most =
        std::max_element(region.wanted.begin(), region.wanted.end(),
                         [](const auto& a, const auto& b) { return a.second.pages < b.second.pages; });
    if (most->first != region.now) mover.add(most->second.first, most->first);
  }
  mover.flush();
}

}  // namespace

Placer::Placer(PageSystem& system, const NodeTable& nodes, Log& log)
    : system_(system), nodes_(nodes), log_(log), placing_(nodes.usable().size() > 1) {
  if (!placing_) reason_ = "there is one usable memory node";
}

void Placer::try_again() {
  if (nodes_.usable().size() == 1) return;
  reason_.clear();
  placing_ = true;
}

void Placer::refused(int node, int error) {
  reason_ =
      "the kernel refuses to place pages on node " + std::to_string(node) + " (" + strerror(error) + ")";
  placing_ = false;
  log_.say("pages are not placed from now on: %s", reason_.c_str());
}

void Placer::place(std::byte* begin, std::span<const NodeRun> runs, std::size_t run_page_bytes) {
  std::size_t page = 0;
  for (const NodeRun& run : runs) {
    place(begin + page * run_page_bytes, (run.end_page - page) * run_page_bytes, run.node);
    page = run.end_page;
  }
}

void Placer::place(std::byte* begin, std::size_t bytes, int node) {
  if (!placing()) return;
  if (const int error = system_.prefer(begin, bytes, node)) refused(node, error);
}

void Placer::interleave(std::byte* begin, std::size_t bytes) {
  if (!placing()) return;
  const std::vector<int> nodes = nodes_.usable();
  if (const int error = system_.interleave(begin, bytes, nodes)) refused(nodes.front(), error);
}

std::size_t move_to_runs(PageSystem& system, std::byte* begin, std::span<const NodeRun> runs,
                         std::size_t run_page_bytes) {
  if (runs.empty()) return 0;
  const std::size_t small_per_run_page = run_page_bytes / page_bytes();
  const std::size_t pages = runs.back().end_page * small_per_run_page;
  PageMover mover(system);
  for_each_page(system, begin, pages, [&](std::size_t page, int node) {
    const int wanted = node_of_page(runs, page / small_per_run_page);
    if (node >= 0 && node != wanted) mover.add(begin + page * page_bytes(), wanted);
  });
  mover.flush();
  settle_huge_pages(system, begin, pages, runs, small_per_run_page);
  const Locality left = find_locality(system, {begin, pages * page_bytes(), runs, run_page_bytes, {}});
  return left.remote + left.unknown;
}

}  // namespace taihu::memory
