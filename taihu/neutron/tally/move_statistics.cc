// SPDX-License-Identifier: Apache-2.0
// A message is runs of bins: their place in the receiver's array, their number, their sums and their sums of
// squares.
#include "taihu/neutron/tally/move_statistics.h"

#include <algorithm>

#include "taihu/parallel/exchange_in_steps.h"

namespace taihu::neutron {
namespace {

constexpr parallel::Tag moved_tag{4};
constexpr std::int64_t moved_piece = 1 << 14;  // bins

std::vector<BinRun> runs_of(const BinShares& shares, int rank, std::size_t tally) {
  std::vector<BinRun> runs;
  shares.for_each_run(rank, tally, [&](const BinRun& run) { runs.push_back(run); });
  return runs;
}

/// Bins of this rank's array before, and where they lie in the array of `to` after.
std::vector<BinTransfer> transfers_between(const TallyLayout& layout, const BinShares& before, int from,
                                           const BinShares& after, int to) {
  std::vector<BinTransfer> transfers;
  for (std::size_t tally = 0; tally < layout.compiled.size(); ++tally) {
    const std::vector<BinRun> here = runs_of(before, from, tally), there = runs_of(after, to, tally);
    for (auto a = here.begin(), b = there.begin(); a != here.end() && b != there.end();) {
      const std::int64_t first = std::max(a->bin_in_tally, b->bin_in_tally);
      const std::int64_t end_a = a->bin_in_tally + a->count, end_b = b->bin_in_tally + b->count;
      if (const std::int64_t count = std::min(end_a, end_b) - first; count > 0)
        transfers.push_back({a->place + first - a->bin_in_tally, b->place + first - b->bin_in_tally, count});
      if (end_a <= end_b) ++a;
      if (end_b <= end_a) ++b;
    }
  }
  return transfers;
}

/// Packs the statistics for one rank.
class StatisticsPacker {
 public:
  StatisticsPacker(std::vector<BinTransfer> transfers, const TallyStatistics& own)
      : transfers_(std::move(transfers)), own_(own) {}

  bool more() const noexcept { return transfer_ < transfers_.size(); }
  void pack(parallel::Bytes& bytes) {
    const BinTransfer& transfer = transfers_[transfer_];
    const std::int64_t count = std::min(moved_piece, transfer.count - done_);
    parallel::append(bytes, transfer.there + done_);
    parallel::append(bytes, count);
    parallel::append(bytes, own_.sum.data() + transfer.here + done_, static_cast<std::size_t>(count));
    parallel::append(bytes, own_.sum_sq.data() + transfer.here + done_, static_cast<std::size_t>(count));
    done_ += count;
    if (done_ == transfer.count) ++transfer_, done_ = 0;
  }

 private:
  std::vector<BinTransfer> transfers_;
  const TallyStatistics& own_;
  std::size_t transfer_ = 0;
  std::int64_t done_ = 0;  ///< bins of the transfer
};

void take_statistics(parallel::Reader reader, TallyStatistics& statistics) {
  while (!reader.empty()) {
    const auto place = reader.read<std::int64_t>(), count = reader.read<std::int64_t>();
    reader.read(statistics.sum.data() + place, static_cast<std::size_t>(count));
    reader.read(statistics.sum_sq.data() + place, static_cast<std::size_t>(count));
  }
}

}  // namespace

TallyStatistics move_statistics(parallel::Communicator& ranks, const TallyLayout& layout,
                                const BinShares& before, const BinShares& after, const TallyStatistics& own) {
  const int rank = ranks.rank();
  TallyStatistics result;
  result.realizations = own.realizations;
  result.resize(after.owned_count());
  for (const auto& [here, there, count] : transfers_between(layout, before, rank, after, rank)) {
    std::copy_n(own.sum.begin() + here, count, result.sum.begin() + there);
    std::copy_n(own.sum_sq.begin() + here, count, result.sum_sq.begin() + there);
  }
  parallel::exchange_in_steps(
      ranks, moved_tag,
      [&](int to) { return StatisticsPacker(transfers_between(layout, before, rank, after, to), own); },
      [&](int, parallel::Reader message) { take_statistics(message, result); });
  return result;
}

}  // namespace taihu::neutron
