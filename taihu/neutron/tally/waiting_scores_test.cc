// SPDX-License-Identifier: Apache-2.0
// Rates of scores that have waited are those that a score at once would have had, to the last bit.
#include "taihu/neutron/tally/waiting_scores.h"

#include <gtest/gtest.h>

#include "taihu/neutron/nuclide/random_nuclides_for_tests.h"

namespace taihu::neutron {
namespace {

constexpr double k_of_generation = 1.1;

/// Single nuclides and all of them, reactions with and without thresholds, sums of the medium, and rates per
/// atom.
TallyLayout layout_of(const NuclearData& data) {
  Tally tally;
  tally.id = 1;
  for (int i = 0; i < random_nuclides::count; ++i) tally.nuclides.emplace_back(i + 1, 'X');
  for (const char* score : {"total", "absorption", "fission", "nu-fission", "prompt-nu-fission", "(n,gamma)",
                            "elastic", "(n,2n)", "(n,p)", "heating", "inverse-velocity", "flux"})
    tally.scores.push_back(*score_named(score));
  Tally per_atom = tally;
  per_atom.id = 2;
  per_atom.multiply_density = false;
  return make_layout({tally, per_atom}, {}, {}, Geometry(), CrossSections(), false,
                     {.count = 3, .nuclear = &data});
}

/// Scores wait together with the rates that they should get.
class Twins {
 public:
  explicit Twins(const NuclearData& data)
      : data_(data),
        layout_(layout_of(data)),
        waiting_(WaitingScores::make(layout_, &data)),
        rates_(layout_.rates, &data) {
    rates_.set_k(k_of_generation);
  }

  void score(MediumId medium, Energy energy, std::uint64_t band) {
    if (waiting_->full()) compare();
    MacroXs sums{};
    if (medium) data_.look_up(medium, energy, band, sums);
    const double* const at_once = rates_.at(medium, energy, band, medium ? sums.data() : nullptr);
    expected_.emplace_back(at_once, at_once + layout_.rates.values);
    waiting_->add(0, std::ssize(expected_) - 1, 1, medium, energy, band, medium ? sums.data() : nullptr);
  }

  void compare() {
    std::size_t found = 0;
    waiting_->finish(k_of_generation, [&](int tally, std::span<const WaitingScores::Score> scores) {
      EXPECT_EQ(tally, 0);
      found += scores.size();
      for (std::size_t i = 0; i < scores.size(); ++i) {
        if (i > 0) EXPECT_GE(scores[i].row, scores[i - 1].row);
        const std::vector<double>& expected = expected_[scores[i].combination];
        for (std::size_t value = 0; value < expected.size(); ++value) {
          const auto [values, first] = waiting_->rates(static_cast<int>(value));
          ASSERT_EQ(scores[i].row < first ? 0 : values[scores[i].row], expected[value]) << value;
          if (expected[value] != 0) ++compared_;
        }
      }
    });
    EXPECT_EQ(found, expected_.size());
    EXPECT_TRUE(waiting_->empty());
    expected_.clear();
  }
  std::int64_t compared() const noexcept { return compared_; }

 private:
  const NuclearData& data_;
  TallyLayout layout_;
  std::unique_ptr<WaitingScores> waiting_;
  Rates rates_;
  std::vector<std::vector<double>> expected_;
  std::int64_t compared_ = 0;
};

TEST(WaitingScores, HaveTheRatesOfScoresAtOnce) {
  for (std::uint64_t number = 1; number <= 5; ++number) {
    const NuclearData data = random_nuclides::data(number);
    const std::vector<double> points = data.nuclides[0].grid();
    Stream random(number, StreamUse::source, 0, 0);
    Twins twins(data);
    for (int i = 0; i < 3000; ++i) {
      Energy energy(i % 7 == 0 ? points[static_cast<std::size_t>(random.uniform() * 90)]
                               : random_nuclides::energy(random));
      if (i % 50 == 0) energy = i % 100 == 0 ? data.energy_min() : data.energy_max();
      const std::uint64_t band = random.next();
      const MediumId first(static_cast<int>(random.uniform() * 4) - 1), other(i % 3);
      // A neutron that keeps its energy, and comes back.
      twins.score(first, energy, band);
      if (i % 2 == 0) twins.score(other, energy, band);
      if (i % 4 == 0) twins.score(first, energy, band);
      if (i % 8 == 0) twins.score(first, energy, band + 1);
    }
    twins.compare();
    EXPECT_GT(twins.compared(), 40000);
  }
}

TEST(WaitingScores, AreLeftOutWhereNoRatesAreCounted) {
  const NuclearData data = random_nuclides::data(1);
  Tally tally;
  tally.scores = {Score::flux, Score::fission};
  const TallyLayout layout =
      make_layout({tally}, {}, {}, Geometry(), CrossSections(), false, {.count = 3, .nuclear = &data});
  EXPECT_EQ(WaitingScores::make(layout, &data), nullptr);
}

}  // namespace
}  // namespace taihu::neutron
