// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/placement/page_runs.h"

#include <algorithm>

namespace taihu::memory {
namespace {

/// Collects runs while walking over the parts in order, with a ballot for the page that is not complete yet.
class RunBuilder {
 public:
  RunBuilder(std::size_t offset_bytes, std::size_t page_bytes)
      : page_bytes_(page_bytes), place_(offset_bytes) {}

  /// The next `bytes` belong to `node`.
  void add(std::size_t bytes, int node) {
    const std::size_t end = place_ + bytes;
    const std::size_t page_end = (place_ / page_bytes_ + 1) * page_bytes_;
    vote(node, std::min(end, page_end) - place_);
    if (end >= page_end) {
      close_page(page_end / page_bytes_);
      if (const std::size_t full = end / page_bytes_; full * page_bytes_ > page_end) append(full, node);
      if (end % page_bytes_ != 0 && end > page_end) vote(node, end % page_bytes_);
    }
    place_ = end;
  }

  std::vector<NodeRun> finish() {
    if (!ballot_.empty()) close_page(place_ / page_bytes_ + 1);
    return std::move(runs_);
  }

 private:
  struct Votes {
    int node;
    std::size_t bytes;
  };

  void vote(int node, std::size_t bytes) {
    if (bytes == 0) return;
    for (Votes& votes : ballot_)
      if (votes.node == node) {
        votes.bytes += bytes;
        return;
      }
    ballot_.push_back({node, bytes});
  }

  void close_page(std::size_t end_page) {
    if (ballot_.empty()) return;
    const auto winner = std::max_element(ballot_.begin(), ballot_.end(),
                                         [](const Votes& a, const Votes& b) { return a.bytes < b.bytes; });
    append(end_page, winner->node);
    ballot_.clear();
  }

  void append(std::size_t end_page, int node) {
    if (!runs_.empty() && runs_.back().node == node)
      runs_.back().end_page = end_page;
    else
      runs_.push_back({end_page, node});
  }

  std::size_t page_bytes_, place_;
  std::vector<Votes> ballot_;
  std::vector<NodeRun> runs_;
};

}  // namespace

std::vector<NodeRun> runs_of_parts(std::size_t offset_bytes, std::span<const std::size_t> part_end,
                                   std::span<const int> part_node, std::size_t page_bytes) {
  RunBuilder builder(offset_bytes, page_bytes);
  std::size_t begin = 0;
  for (std::size_t part = 0; part < part_end.size(); ++part) {
    if (part_end[part] > begin) builder.add(part_end[part] - begin, part_node[part]);
    begin = part_end[part];
  }
  return builder.finish();
}

int node_of_page(std::span<const NodeRun> runs, std::size_t page) noexcept {
  const auto run = std::upper_bound(runs.begin(), runs.end(), page,
                                    [](std::size_t wanted, const NodeRun& r) { return wanted < r.end_page; });
  return run == runs.end() ? -1 : run->node;
}

}  // namespace taihu::memory
