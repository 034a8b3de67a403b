// SPDX-License-Identifier: Apache-2.0
// What a batch leaves in the statistics, compared with plain sums over all ranks.
#include "taihu/neutron/tally/batch_collector.h"

#include <gtest/gtest.h>

#include <mutex>

#include "taihu/neutron/test_models.h"
#include "taihu/neutron/transport/simulation.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

/// Meshes that fit the domains, do not, and have no third axis; filters in front and behind; no mesh at all.
const char* const collected_tallies =
    "<mesh id=\"1\"><dimension>6 5 2</dimension><lower_left>-3 -3 -3</lower_left><upper_right>3 3 "
    "3</upper_right></mesh><mesh id=\"2\"><dimension>90 70</dimension><lower_left>-4 -2</lower_left>"
    "<upper_right>2 5</upper_right></mesh><filter id=\"1\" type=\"mesh\"><bins>1</bins></filter>"
    "<filter id=\"4\" type=\"mesh\"><bins>2</bins></filter><filter id=\"2\" type=\"energy\"><bins>1e-5 1 2e7"
    "</bins></filter><filter id=\"3\" type=\"material\"><bins>2 1</bins></filter>"
    "<tally id=\"1\"><filters>2 1 3</filters><scores>flux nu-fission</scores></tally>"
    "<tally id=\"2\"><filters>4</filters><scores>absorption</scores></tally>"
    "<tally id=\"3\"><filters>3</filters><scores>total flux fission</scores></tally>";

/// What a rank scores in a bin in a batch; most bins get nothing.
double score_of(int batch, int rank, std::int64_t bin) {
  Stream random(9, StreamUse::source, static_cast<std::uint64_t>(batch * 100 + rank),
                static_cast<std::uint64_t>(bin));
  const double dice = random.uniform();
  return dice < 0.7 ? 0 : dice < 0.75 ? -dice : dice * 1e3;
}

/// Calls f(bin of the layout, place in the window) for the bins that a window has.
template <typename F>
void for_each_bin(const TallyLayout& layout, const TallyParts& window, const F& f) {
  for (std::size_t tally = 0; tally < layout.compiled.size(); ++tally)
    for (std::int64_t bin = 0; bin < layout.compiled[tally].bin_count(); ++bin)
      if (const std::int64_t place = window.tallies[tally].place_of(bin); place >= 0)
        f(layout.compiled[tally].first_bin + bin, place);
}

TEST(BatchCollector, AddsTheSumsOfAllRanksToTheirOwnersStatistics) {
  const Model model = test_model("rectangular", settings_text(10, 2, 1), collected_tallies);
  parallel::SoloCommunicator alone;
  const Simulation simulation(model, alone, 1, parallel::LoopSchedule{});
  const TallyLayout& layout = simulation.layout();
  struct Case {
    std::array<int, 3> shape;
    int ranks, threads;
  };
  for (const Case& split : {Case{{1, 1, 1}, 1, 1}, Case{{1, 1, 1}, 3, 2}, Case{{2, 1, 1}, 2, 1},
                            Case{{3, 2, 1}, 7, 3}, Case{{1, 1, 3}, 3, 1}}) {
    std::vector<ExactSum> batch[2] = {std::vector<ExactSum>(layout.bin_count),
                                      std::vector<ExactSum>(layout.bin_count)};
    std::vector<double> sum(layout.bin_count), sum_sq(layout.bin_count);
    std::mutex mutex;
    parallel::on_ranks(split.ranks, [&](parallel::Communicator& rank) {
      const Domains domains({.shape = split.shape}, model.geometry, rank.size());
      const BinShares shares(layout, domains.count() > 1 ? &domains : nullptr, rank.rank(), rank.size());
      const parallel::Team team(split.threads);
      BatchCollector collector(shares, rank, team);
      TallyStatistics statistics;
      statistics.resize(shares.owned_count());
      HotVector<ExactSum> sums(shares.window().size);
      BinMarks marks(shares.window().size);
      for (int number = 0; number < 2; ++number) {
        for_each_bin(layout, shares.window(), [&](std::int64_t bin, std::int64_t place) {
          const double score = score_of(number, rank.rank(), bin);
          if (score == 0) return;
          sums[place].add(score);
          marks.mark(place, 1);
          const std::lock_guard lock(mutex);
          batch[number][bin].add(score);
        });
        collector.collect(sums, marks, 0.5, statistics);
        for (const ExactSum& left : sums) EXPECT_EQ(left, ExactSum());
      }
      EXPECT_EQ(statistics.realizations, 2);
      const std::lock_guard lock(mutex);
      for (std::size_t tally = 0; tally < layout.compiled.size(); ++tally)
        shares.for_each_run(rank.rank(), tally, [&](const BinRun& run) {
          const std::int64_t to = layout.compiled[tally].first_bin + run.bin_in_tally;
          std::copy_n(statistics.sum.begin() + run.place, run.count, sum.begin() + to);
          std::copy_n(statistics.sum_sq.begin() + run.place, run.count, sum_sq.begin() + to);
        });
    });
    for (std::int64_t bin = 0; bin < layout.bin_count; ++bin) {
      const double first = 0.5 * batch[0][bin].value(), second = 0.5 * batch[1][bin].value();
      ASSERT_EQ(sum[bin], first + second) << bin << ", " << split.ranks << " ranks";
      ASSERT_EQ(sum_sq[bin], first * first + second * second) << bin << ", " << split.ranks << " ranks";
    }
  }
}

TEST(BinMarks, RangesHaveAllMarkedBinsAndNoneOutside) {
  constexpr std::int64_t bins = 1001;
  Stream random(4, StreamUse::source, 0, 0);
  for (int i = 0; i < 200; ++i) {
    BinMarks marks(bins), others(bins);
    std::vector<bool> marked(bins);
    for (int j = 0; j < i; ++j) {
      const auto first = static_cast<std::int64_t>(random.uniform() * bins);
      const auto count =
          1 + static_cast<std::int64_t>(random.uniform() *
                                        static_cast<double>(std::min<std::int64_t>(20, bins - first)));
      (j % 2 == 0 ? marks : others).mark(first, count);
      std::fill_n(marked.begin() + first, count, true);
    }
    marks.take(others);
    const auto begin = static_cast<std::int64_t>(random.uniform() * bins);
    const std::int64_t end =
        begin + static_cast<std::int64_t>(random.uniform() * static_cast<double>(bins - begin));
    std::vector<int> seen(bins);
    std::int64_t last = begin, prepared = 0;
    marks.for_each_range(
        begin, end,
        [&](std::int64_t low, std::int64_t high) {
          EXPECT_LE(last, low);
          last = high;
          for (std::int64_t bin = low; bin < high; ++bin) ++seen[bin];
        },
        [&](std::int64_t, std::int64_t) { ++prepared; });
    EXPECT_LE(last, std::max(begin, end));
    std::int64_t blocks = 0;
    for (std::int64_t bin = 0; bin < bins; ++bin) {
      EXPECT_LE(seen[bin], bin >= begin && bin < end ? 1 : 0);
      EXPECT_TRUE(seen[bin] == 1 || !marked[bin] || bin < begin || bin >= end) << bin;
      blocks += seen[bin];
    }
    EXPECT_LE(blocks, prepared * BinMarks::block);
    others.for_each_range(0, bins,
                          [](std::int64_t, std::int64_t) { ADD_FAILURE() << "taken marks are left"; });
    marks.clear();
    marks.for_each_range(0, bins,
                         [](std::int64_t, std::int64_t) { ADD_FAILURE() << "cleared marks are left"; });
  }
}

}  // namespace
}  // namespace taihu::neutron
