// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/tally/shares.h"

#include <algorithm>
#include <utility>

#include "taihu/neutron/source/fission_bank.h"
#include "taihu/parallel/messages.h"

namespace taihu::neutron {
namespace {

TallyPart whole_part(const TallyLayout::CompiledTally& tally) {
  TallyPart part;
  part.inner = tally.width;
  part.outer = tally.combinations;
  if (tally.domain_mesh >= 0) {
    const TallyLayout::CompiledFilter& filter = tally.filters[tally.domain_mesh];
    part.shape = part.high = filter.mesh->shape;
    part.inner *= filter.stride;
    part.outer = tally.combinations / filter.stride / filter.mesh->size();
  }
  return part;
}

/// Mesh cells along one axis that a domain owns and that touch it.
struct Layers {
  int owned_low = 0, owned_high = 0, low = 0, high = 0;
};

/// `middle`: along the axis the domain is the one that owns infinite cells.
Layers layers_of(const Mesh& mesh, int axis, const DomainBox& box, bool middle) {
  Layers result;
  if (axis >= mesh.dimensions) {  // infinite cells: one domain owns them, all touch them
    result.high = 1;
    if (middle) result.owned_high = 1;
    return result;
  }
  const double width = mesh.width[axis],
               slack = 1e-6 * width;  // planes of both grids coincide up to rounding
  bool owned = false, touched = false;
  for (int i = 0; i < mesh.shape[axis]; ++i) {
    const double low = mesh.lower[axis] + i * width, centre = low + 0.5 * width;
    const bool owns = centre >= box.lower[axis] && centre < box.upper[axis];
    if (owns && !owned) result.owned_low = i;
    if (owns) result.owned_high = i + 1;
    owned = owned || owns;
    const bool touches = owns || (low + width > box.lower[axis] + slack && low < box.upper[axis] - slack);
    if (touches && !touched) result.low = i;
    if (touches) result.high = i + 1;
    touched = touched || touches;
  }
  return result;
}

void add_part(TallyParts& parts, TallyPart part) {
  part.first = parts.size;
  parts.size += part.size();
  parts.tallies.push_back(part);
}

/// The first bin of a mesh cell, counted from the part's first bin.
std::int64_t bin_at(const TallyPart& part, std::int64_t outer, int x, int y, int z) {
  const std::int64_t row = std::int64_t{z - part.low[2]} * (part.high[1] - part.low[1]) + (y - part.low[1]);
  return (outer * part.cells() + row * (part.high[0] - part.low[0]) + (x - part.low[0])) * part.inner;
}

/// Where bin `bin` of a part lies in the array of another part's window, which has it too.
std::int64_t place_between(const TallyPart& part, std::int64_t bin, const TallyPart& window) {
  const std::int64_t block = bin / part.inner, cell = block % part.cells();
  const int width = part.high[0] - part.low[0], height = part.high[1] - part.low[1];
  const auto x = static_cast<int>(cell % width), y = static_cast<int>(cell / width % height);
  const auto z = static_cast<int>(cell / width / height);
  return window.first +
         bin_at(window, block / part.cells(), part.low[0] + x, part.low[1] + y, part.low[2] + z) +
         bin % part.inner;
}

/// Calls f(bin of `owned` counted from `begin`, place in the array of `window`'s parts, count) for the runs
/// of bins of `owned` in [begin, end) that `window` has too.
template <typename F>
void for_each_common(const TallyPart& owned, std::int64_t begin, std::int64_t end, const TallyPart& window,
                     const F& f) {
  std::array<int, 3> low, high;
  for (int axis = 0; axis < 3; ++axis) {
    low[axis] = std::max(owned.low[axis], window.low[axis]);
    high[axis] = std::min(owned.high[axis], window.high[axis]);
    if (low[axis] >= high[axis]) return;
  }
  for (std::int64_t outer = 0; outer < owned.outer; ++outer)
    for (int z = low[2]; z < high[2]; ++z)
      for (int y = low[1]; y < high[1]; ++y) {
        const std::int64_t here = bin_at(owned, outer, low[0], y, z);
        const std::int64_t from = std::max(here, begin);
        const std::int64_t to = std::min(here + (high[0] - low[0]) * owned.inner, end);
        if (from >= to) continue;
        f(from - begin, window.first + bin_at(window, outer, low[0], y, z) + (from - here), to - from);
      }
}

}  // namespace

BinShares::BinShares(const TallyLayout& layout, const Domains* domains, int rank, int ranks)
    : layout_(&layout), domains_(domains), rank_(rank), ranks_(ranks) {
  const int count = domains == nullptr ? 1 : domains->count();
  windows_.resize(count);
  owned_.resize(count);
  for (int domain = 0; domain < count; ++domain)
    for (const TallyLayout::CompiledTally& tally : layout.compiled) {
      TallyPart window = whole_part(tally), owned = window;
      if (domains != nullptr && tally.domain_mesh >= 0) {
        const Mesh& mesh = *tally.filters[tally.domain_mesh].mesh;
        const DomainBox box = domains->box(domain);
        for (int axis = 0; axis < 3; ++axis) {
          const bool middle = domains->layers_of(domain)[axis] == domains->shape()[axis] / 2;
          const Layers layers = layers_of(mesh, axis, box, middle);
          window.low[axis] = layers.low, window.high[axis] = layers.high;
          owned.low[axis] = layers.owned_low, owned.high[axis] = layers.owned_high;
        }
      }
      add_part(windows_[domain], window);
      add_part(owned_[domain], owned);
    }
}

OwnedBins BinShares::owned(int rank, std::size_t tally) const {
  const int domain = domain_of(rank);
  OwnedBins bins;
  for (std::size_t t = 0; t <= tally; ++t) {
    const std::int64_t size = owned_[domain].tallies[t].size();
    const bool grouped = by_domain(t);
    const int member = grouped ? rank - domains_->first_rank(domain) : rank;
    const int members = grouped ? domains_->replicas(domain) : ranks_;
    bins.place += bins.end - bins.begin;
    bins.begin = first_history(size, member, members);
    bins.end = first_history(size, member + 1, members);
  }
  return bins;
}

std::int64_t BinShares::owned_count(int rank) const {
  if (layout_->compiled.empty()) return 0;
  const OwnedBins last = owned(rank, layout_->compiled.size() - 1);
  return last.place + last.end - last.begin;
}

void BinShares::for_each_run(int rank, std::size_t tally, const std::function<void(const BinRun&)>& f) const {
  const OwnedBins bins = owned(rank, tally);
  TallyPart whole = whole_part(layout_->compiled[tally]);
  BinRun run;
  for_each_common(owned_[domain_of(rank)].tallies[tally], bins.begin, bins.end, whole,
                  [&](std::int64_t bin, std::int64_t bin_in_tally, std::int64_t count) {
                    if (run.count > 0 && run.bin_in_tally + run.count == bin_in_tally) {
                      run.count += count;
                      return;
                    }
                    if (run.count > 0) f(run);
                    run = {bins.place + bin, bin_in_tally, count};
                  });
  if (run.count > 0) f(run);
}

int BinShares::owner_of(std::int64_t bin) const {
  std::size_t tally = layout_->compiled.size() - 1;
  while (layout_->compiled[tally].first_bin > bin) --tally;
  const std::int64_t bin_in_tally = bin - layout_->compiled[tally].first_bin;
  int first = 0, members = ranks_;
  std::int64_t size = layout_->compiled[tally].bin_count(), place = bin_in_tally;
  if (by_domain(tally)) {
    for (int domain = 0; domain < domains_->count(); ++domain) {
      const TallyPart& part = owned_[domain].tallies[tally];
      place = part.place_of(bin_in_tally);
      if (place < 0) continue;
      place -= part.first;
      size = part.size();
      first = domains_->first_rank(domain);
      members = domains_->replicas(domain);
      break;
    }
  }
  int member = 0;
  while (first_history(size, member + 1, members) <= place) ++member;
  return first + member;
}

std::vector<BinTransfer> BinShares::transfers_to(int owner) const {
  std::vector<BinTransfer> transfers;
  const TallyParts &owned_parts = owned_[domain_of(owner)], &there = windows_[domain_of(owner)];
  for (std::size_t tally = 0; tally < layout_->compiled.size(); ++tally) {
    const OwnedBins bins = owned(owner, tally);
    const TallyPart& part = owned_parts.tallies[tally];
    for_each_common(part, bins.begin, bins.end, window().tallies[tally],
                    [&](std::int64_t bin, std::int64_t here, std::int64_t count) {
                      const std::int64_t to =
                          owner == rank_ ? bins.place + bin
                                         : place_between(part, bins.begin + bin, there.tallies[tally]);
                      if (!transfers.empty()) {
                        BinTransfer& last = transfers.back();
                        if (last.here + last.count == here && last.there + last.count == to) {
                          last.count += count;
                          return;
                        }
                      }
                      transfers.push_back({here, to, count});
                    });
  }
  return transfers;
}

TallyStatistics gather_statistics(parallel::Communicator& ranks, const TallyLayout& layout,
                                  const BinShares& shares, const TallyStatistics& own) {
  TallyStatistics all;
  all.realizations = own.realizations;
  if (!ranks.is_root()) {
    parallel::Bytes bytes;
    parallel::append(bytes, own.sum.data(), own.sum.size());
    parallel::append(bytes, own.sum_sq.data(), own.sum_sq.size());
    parallel::send_to(ranks, 0, std::move(bytes));
    return all;
  }
  all.resize(layout.bin_count);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    TallyStatistics from;
    if (rank != 0) {
      const parallel::Bytes bytes = parallel::receive_from(ranks, rank);
      from.resize(shares.owned_count(rank));
      parallel::Reader reader(bytes);
      reader.read(from.sum.data(), from.sum.size());
      reader.read(from.sum_sq.data(), from.sum_sq.size());
    }
    const TallyStatistics& part = rank == 0 ? own : from;
    for (std::size_t tally = 0; tally < layout.compiled.size(); ++tally)
      shares.for_each_run(rank, tally, [&](const BinRun& run) {
        const std::int64_t to = layout.compiled[tally].first_bin + run.bin_in_tally;
        std::copy_n(part.sum.begin() + run.place, run.count, all.sum.begin() + to);
        std::copy_n(part.sum_sq.begin() + run.place, run.count, all.sum_sq.begin() + to);
      });
  }
  return all;
}

}  // namespace taihu::neutron
