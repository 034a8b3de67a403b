// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/locality.h"
#include "taihu/base/page_size.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace taihu::memory {
namespace {

/// Node, unknown_node or untouched_node of `count` pages from `first`.
void locate_group(PageSystem& system, std::uintptr_t first, std::size_t count, int* nodes) {
  void* pages[pages_of_one_call];
  for (std::size_t i = 0; i < count; ++i) pages[i] = reinterpret_cast<void*>(first + i * page_bytes());
  const bool answered = system.locate({pages, count}, nodes) == 0;
  bool doubtful = !answered;
  for (std::size_t i = 0; i < count; ++i) doubtful = doubtful || nodes[i] == -ENOENT;
  // A page that automatic balancing has hidden for a while looks like one that does not exist.
  bool present[pages_of_one_call];
  const bool told = doubtful && system.present(pages[0], count, present) == 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (answered && nodes[i] >= 0) continue;
    const bool absent = told ? !present[i] : answered && nodes[i] == -ENOENT;
    nodes[i] = absent ? untouched_node : unknown_node;
  }
}

/// Deals the bytes [begin, end) of the range, which lie on `node`, to the parts that own them.
class PartWalker {
 public:
  PartWalker(std::span<const std::size_t> part_end, Locality& result) : part_end_(part_end), result_(result) {
    result.part_bytes.resize(part_end.size());
  }
  void add(std::size_t begin, std::size_t end, int node) {
    while (part_ < part_end_.size() && begin < end) {
      const std::size_t stop = std::min(part_end_[part_], end);
      if (stop > begin) {
        result_.part_bytes[part_][node] += stop - begin;
        begin = stop;
      }
      if (part_end_[part_] <= begin) ++part_;
    }
  }

 private:
  std::span<const std::size_t> part_end_;
  Locality& result_;
  std::size_t part_ = 0;
};

}  // namespace

void Locality::add(const Locality& other) {
  local += other.local;
  remote += other.remote;
  unknown += other.unknown;
  untouched += other.untouched;
  for (auto [node, pages] : other.on_node) on_node[node] += pages;
}

double Locality::local_share() const noexcept {
  return local + remote == 0 ? 1.0 : static_cast<double>(local) / static_cast<double>(local + remote);
}

Locality find_locality(PageSystem& system, const LocalityQuestion& question) {
  Locality result;
  PartWalker walker(question.part_end, result);
  if (question.bytes == 0) return result;
  const auto begin = reinterpret_cast<std::uintptr_t>(question.begin);
  const std::uintptr_t first = begin / page_bytes() * page_bytes();
  const std::size_t pages = (begin + question.bytes - first + page_bytes() - 1) / page_bytes();
  // Runs may have larger pages: the one that holds `begin` begins here.
  const std::uintptr_t runs_begin =
      question.run_page_bytes == 0 ? first : begin / question.run_page_bytes * question.run_page_bytes;
  int nodes[pages_of_one_call];
  for (std::size_t page = 0; page < pages; ++page) {
    const std::size_t i = page % pages_of_one_call;
    const std::uintptr_t place = first + page * page_bytes();
    if (i == 0) locate_group(system, place, std::min(pages_of_one_call, pages - page), nodes);
    const int node = nodes[i];
    ++result.on_node[node];
    const int wanted = question.runs.empty()
                           ? node
                           : node_of_page(question.runs, (place - runs_begin) / question.run_page_bytes);
    if (node == unknown_node)
      ++result.unknown;
    else if (node == untouched_node)
      ++result.untouched;
    else
      ++(node == wanted ? result.local : result.remote);
    const std::size_t from = place > begin ? place - begin : 0;
    walker.add(from, std::min(place + page_bytes() - begin, question.bytes), node);
  }
  return result;
}

}  // namespace taihu::memory
