// SPDX-License-Identifier: Apache-2.0
// A message is runs of bins: a word with their place in the receiver's window and their number, then the
// sums.
#include "taihu/neutron/tally/batch_collector.h"

#include "taihu/parallel/exchange_in_steps.h"

namespace taihu::neutron {
namespace {

constexpr parallel::Tag bins_tag{3};
constexpr int count_bits = 16;
constexpr std::uint64_t most_in_run = (1 << count_bits) - 1;

/// Packs the sums for one rank and clears them.
class SumPacker {
 public:
  SumPacker(const std::vector<BinTransfer>& transfers, std::span<ExactSum> sums, const BinMarks& marks)
      : transfers_(transfers), sums_(sums), marks_(marks) {}

  bool more() const noexcept { return transfer_ < transfers_.size(); }
  /// What was scored in the next bins of a transfer.
  void pack(parallel::Bytes& bytes) {
    constexpr std::int64_t piece = 1 << 14;
    const BinTransfer& transfer = transfers_[transfer_];
    const std::int64_t begin = transfer.here + done_,
                       end = transfer.here + std::min(done_ + piece, transfer.count);
    std::uint64_t in_run = 0;
    std::int64_t next = -1;  // bin behind the run
    std::size_t head = 0;    // where the run begins
    const auto pack_range = [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t bin = first; bin < last; ++bin) {
        if (sums_[bin] == ExactSum()) continue;
        if (bin != next || in_run == most_in_run) {
          in_run = 0;
          head = bytes.size();
          parallel::append(bytes, std::uint64_t{0});
        }
        ++in_run;
        const auto there = static_cast<std::uint64_t>(transfer.there + bin - transfer.here) + 1 - in_run;
        const std::uint64_t word = there << count_bits | in_run;
        std::memcpy(bytes.data() + head, &word, sizeof word);
        parallel::append(bytes, sums_[bin]);
        sums_[bin].clear();
        next = bin + 1;
      }
    };
    marks_.for_each_range(begin, end, pack_range,
                          [&](std::int64_t first, std::int64_t) { __builtin_prefetch(&sums_[first], 1); });
    done_ = end - transfer.here;
    if (done_ == transfer.count) ++transfer_, done_ = 0;
  }

 private:
  const std::vector<BinTransfer>& transfers_;
  std::span<ExactSum> sums_;
  const BinMarks& marks_;
  std::size_t transfer_ = 0;
  std::int64_t done_ = 0;  ///< bins of the transfer
};

struct PackedRun {
  std::int64_t place, count;
};

PackedRun read_packed_run(parallel::Reader& reader) {
  const auto word = reader.read<std::uint64_t>();
  return {static_cast<std::int64_t>(word >> count_bits), static_cast<std::int64_t>(word & most_in_run)};
}

/// Prefetches where a message's next run begins, and leaves it behind.
void prefetch_run(parallel::Reader& reader, std::span<ExactSum> sums) {
  if (reader.empty()) return;
  const auto [place, count] = read_packed_run(reader);
  __builtin_prefetch(&sums[place], 1);
  for (std::int64_t bin = 0; bin < count; ++bin) reader.read<ExactSum>();
}

/// Adds a message's sums to the window. Its runs are mostly single bins anywhere in a large array.
void add_message(parallel::Reader reader, std::span<ExactSum> sums, BinMarks& marks) {
  constexpr int runs_ahead = 24;
  parallel::Reader ahead = reader;
  for (int run = 0; run < runs_ahead; ++run) prefetch_run(ahead, sums);
  while (!reader.empty()) {
    prefetch_run(ahead, sums);
    const auto [place, count] = read_packed_run(reader);
    for (std::int64_t bin = place; bin < place + count; ++bin) sums[bin] += reader.read<ExactSum>();
    marks.mark(place, count);
  }
}

}  // namespace

BatchCollector::BatchCollector(const BinShares& shares, parallel::Communicator& ranks,
                               const parallel::Team& team)
    : ranks_(&ranks), team_(&team), rank_(ranks.rank()) {
  for (int owner = 0; owner < ranks.size(); ++owner) transfers_.push_back(shares.transfers_to(owner));
  for (const BinTransfer& own : transfers_[rank_]) owned_ += own.count;
}

void BatchCollector::collect(std::span<ExactSum> sums, BinMarks& marks, double factor,
                             TallyStatistics& statistics) {
  exchange(sums, marks);
  team_->run([&](int thread) {
    const auto part = [&](int t) { return owned_ * t / team_->size(); };
    add(sums, marks, part(thread), part(thread + 1), factor, statistics);
  });
  marks.clear();
  ++statistics.realizations;
}

void BatchCollector::exchange(std::span<ExactSum> sums, BinMarks& marks) const {
  parallel::exchange_in_steps(
      *ranks_, bins_tag, [&](int to) { return SumPacker(transfers_[to], sums, marks); },
      [&](int, parallel::Reader message) { add_message(message, sums, marks); });
}

/// Adds own bins begin .. end - 1, counted through the transfers.
void BatchCollector::add(std::span<ExactSum> sums, const BinMarks& marks, std::int64_t begin,
                         std::int64_t end, double factor, TallyStatistics& statistics) const {
  std::int64_t before = 0;
  for (const auto& [here, there, count] : transfers_[rank_]) {
    const std::int64_t first = std::max(begin - before, std::int64_t{0}),
                       last = std::min(end - before, count);
    const std::int64_t shift = there - here;
    before += count;
    if (first >= last) continue;
    marks.for_each_range(
        here + first, here + last,
        [&, shift = shift](std::int64_t low, std::int64_t high) {
          for (std::int64_t bin = low; bin < high; ++bin) {
            if (sums[bin] == ExactSum()) continue;
            statistics.add(bin + shift, sums[bin].value() * factor);
            sums[bin].clear();
          }
        },
        [&, shift = shift](std::int64_t low, std::int64_t) {
          __builtin_prefetch(&sums[low], 1);
          __builtin_prefetch(&statistics.sum[low + shift], 1);
          __builtin_prefetch(&statistics.sum_sq[low + shift], 1);
        });
  }
}

}  // namespace taihu::neutron
