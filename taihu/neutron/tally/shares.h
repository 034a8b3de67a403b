// SPDX-License-Identifier: Apache-2.0
// Which bins of the tallies a rank holds.
//
// Each rank has a *window*: the bins that its own particles score in. Without domains that is all bins; with
// domains it is the mesh cells that touch the rank's domain, and all bins of tallies without a mesh. At the
// end of a batch the windows' sums go to the bins' *owners*: every bin has exactly one, which keeps its
// statistics and writes them to files. A mesh cell is owned by the domain that holds its centre, and the bins
// of a domain are shared out over its ranks; all ranks share the bins of tallies without a mesh, and all bins
// without domains.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "taihu/neutron/tally/domains.h"
#include "taihu/neutron/tally/tally.h"
#include "taihu/parallel/communicator.h"

namespace taihu::neutron {

/// All bins of one tally whose mesh cells are in the box [low, high). Tallies without a regular mesh count as
/// having one cell. Bins are stored densely in the order that they have in the whole tally.
struct TallyPart {
  std::array<int, 3> shape{1, 1, 1};  ///< of the whole mesh
  std::array<int, 3> low{}, high{1, 1, 1};
  std::int64_t outer = 1;  ///< combinations of the filters before the mesh
  std::int64_t inner = 1;  ///< bins of one mesh cell: combinations of the filters behind it, times columns
  std::int64_t first = 0;  ///< place of its first bin in the array of all parts

  std::int64_t cells() const noexcept {
    return std::int64_t{high[0] - low[0]} * (high[1] - low[1]) * (high[2] - low[2]);
  }
  std::int64_t size() const noexcept { return outer * cells() * inner; }

  /// Place of a combination's first bin in the array of all parts, or -1: the part does not have it.
  std::int64_t place_of(std::int64_t bin_in_tally) const noexcept {
    const std::int64_t block = bin_in_tally / inner, mesh = std::int64_t{shape[0]} * shape[1] * shape[2];
    const auto cell = static_cast<int>(block % mesh);
    const int x = cell % shape[0], row = cell / shape[0], y = row % shape[1], z = row / shape[1];
    if (x < low[0] || x >= high[0] || y < low[1] || y >= high[1] || z < low[2] || z >= high[2]) return -1;
    const std::int64_t here =
        (std::int64_t{z - low[2]} * (high[1] - low[1]) + (y - low[1])) * (high[0] - low[0]) + (x - low[0]);
    return first + (block / mesh * cells() + here) * inner + bin_in_tally % inner;
  }
};

/// One part of each tally, laid one behind the other.
struct TallyParts {
  std::vector<TallyPart> tallies;
  std::int64_t size = 0;
};

/// Bins [begin, end) of a part, in its own order, and where they lie in the owner's array.
struct OwnedBins {
  std::int64_t begin = 0, end = 0, place = 0;
};

/// Bins of a window whose sums go to their owner at the end of a batch: they follow one another in this
/// rank's window and where they go.
struct BinTransfer {
  std::int64_t here = 0;   ///< in this rank's window
  std::int64_t there = 0;  ///< in the owner's window; of own bins: in the array of owned bins
  std::int64_t count = 0;
};

/// Bins that follow one another both in a rank's own array and in the whole tally.
struct BinRun {
  std::int64_t place = 0;         ///< in the array of owned bins
  std::int64_t bin_in_tally = 0;  ///< in the tally's bins
  std::int64_t count = 0;
};

class BinShares {
 public:
  /// `domains`: null without any.
  BinShares(const TallyLayout& layout, const Domains* domains, int rank, int ranks);

  int ranks() const noexcept { return ranks_; }
  const TallyParts& window() const noexcept { return windows_[domain_of(rank_)]; }
  std::int64_t owned_count(int rank) const;
  std::int64_t owned_count() const { return owned_count(rank_); }

  /// Calls f for the bins of a tally that a rank owns, with rising `bin_in_tally`.
  void for_each_run(int rank, std::size_t tally, const std::function<void(const BinRun&)>& f) const;

  /// The rank that owns a bin, numbered as in the layout.
  int owner_of(std::int64_t bin) const;

  /// The bins of this rank's window that `owner` owns; each bin of the window is in one transfer of one
  /// owner. `owner` is another rank, or this one.
  std::vector<BinTransfer> transfers_to(int owner) const;

 private:
  int domain_of(int rank) const noexcept { return domains_ == nullptr ? 0 : domains_->domain_of_rank(rank); }
  OwnedBins owned(int rank, std::size_t tally) const;
  bool by_domain(std::size_t tally) const noexcept {
    return domains_ != nullptr && layout_->compiled[tally].domain_mesh >= 0;
  }

  const TallyLayout* layout_;
  const Domains* domains_;
  int rank_, ranks_;
  std::vector<TallyParts> windows_, owned_;  ///< by domain
};

/// Statistics of all bins on the root, of those of the ranks; empty elsewhere. Collective.
TallyStatistics gather_statistics(parallel::Communicator& ranks, const TallyLayout& layout,
                                  const BinShares& shares, const TallyStatistics& own);

}  // namespace taihu::neutron
