// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/tally/waiting_scores.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace taihu::neutron {
namespace {

/// Rates of this many energies are computed together, or of fewer, so that no more than `most_values` rates
/// have to fit into a processor's cache.
constexpr std::size_t most_energies = 256, least_energies = 32, most_values = 1 << 19;
/// Flights and pieces of flights at one energy.
constexpr std::size_t scores_of_energy = 4;
/// Energies whose cross sections are on the way from memory.
constexpr int prefetched = 8;

}  // namespace

std::unique_ptr<WaitingScores> WaitingScores::make(const TallyLayout& layout, const NuclearData* nuclear) {
  if (nuclear == nullptr || std::ranges::none_of(layout.compiled, takes)) return nullptr;
  return std::unique_ptr<WaitingScores>(new WaitingScores(layout.rates, *nuclear));
}

WaitingScores::WaitingScores(const RatePlan& plan, const NuclearData& nuclear)
    : plan_(&plan),
      nuclear_(&nuclear),
      most_rows_(
          std::clamp(most_values / static_cast<std::size_t>(plan.values), least_energies, most_energies)),
      last_row_(static_cast<std::size_t>(nuclear.media()) + 1, -1),
      micro_(most_rows_),
      first_(plan.values),
      values_(plan.values * most_rows_) {
  rows_.reserve(most_rows_);
  scores_.reserve(scores_of_energy * most_rows_);
}

void WaitingScores::add(int tally, std::int64_t combination, double amount, MediumId medium, Energy energy,
                        std::uint64_t band, const double* sums) noexcept {
  int& row = last_row_[static_cast<std::size_t>(medium.index() + 1)];
  if (row < 0 || !(rows_[row].energy == energy) || rows_[row].band != band) {
    row = static_cast<int>(rows_.size());
    Row& added = rows_.emplace_back(Row{.medium = medium, .energy = energy, .band = band, .sums = {}});
    if (sums != nullptr) std::copy_n(sums, reaction_count, added.sums.begin());
  }
  scores_.push_back({tally, row, combination, amount});
}

void WaitingScores::clear() noexcept {
  rows_.clear();
  scores_.clear();
  std::ranges::fill(last_row_, -1);
}

/// Rows by medium and energy; scores, which get the places of their rows, by medium, tally and energy.
void WaitingScores::sort() noexcept {
  order_.resize(rows_.size()), place_.resize(rows_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::ranges::sort(order_, {}, [&](int row) {
    return std::tuple(rows_[row].medium.index(), rows_[row].energy.eV(), row);
  });
  for (int place = 0; place < static_cast<int>(order_.size()); ++place) place_[order_[place]] = place;
  for (Score& score : scores_) score.row = place_[score.row];
  std::ranges::sort(scores_, {}, [&](const Score& score) {
    return std::tuple(row_at(score.row).medium.index(), score.tally, score.row, score.combination);
  });
}

/// Rates at all places of a medium.
void WaitingScores::compute(MediumId medium, double k) noexcept {
  const auto medium_of = [&](int row) { return rows_[row].medium; };
  const auto places = std::ranges::equal_range(order_, medium, {}, medium_of);
  begin_ = static_cast<int>(places.begin() - order_.begin());
  end_ = static_cast<int>(places.end() - order_.begin());
  std::ranges::fill(first_, end_);
  if (const int value = plan_->inverse_velocity; value >= 0) {
    for (int place = begin_; place < end_; ++place) column(value)[place] = 1 / speed(row_at(place).energy);
    first_[value] = begin_;
  }
  if (!medium) return;
  for (int value = 0; value < reaction_count; ++value) {
    for (int place = begin_; place < end_; ++place) column(value)[place] = row_at(place).sums[value];
    first_[value] = begin_;
  }
  for (const RatePlan::Part& wanted : plan_->media[medium.index()])
    compute_part(wanted.part, wanted.terms, k);
}

void WaitingScores::compute_part(const MediumPart& part, const std::vector<RatePlan::Term>& terms,
                                 double k) noexcept {
  const Nuclide& nuclide = nuclear_->nuclide(part.nuclide);
  for (int place = begin_; place < end_; ++place) {
    if (place + prefetched < end_) nuclide.prefetch(row_at(place + prefetched).energy);
    micro_[place] = nuclear_->micro(part, row_at(place).energy, row_at(place).band);
  }
  for (const RatePlan::Term& term : terms) {
    const int from = first_above_threshold(nuclide, term);
    int& first = first_[term.value];
    double* const values = column(term.value);
    for (int place = from; place < end_; ++place) {
      const double rate =
          part.density * rate_of(*nuclear_, part, term, row_at(place).energy, micro_[place], k);
      values[place] = place < first ? rate : values[place] + rate;
    }
    first = std::min(first, from);
  }
}

int WaitingScores::first_above_threshold(const Nuclide& nuclide, const RatePlan::Term& term) const noexcept {
  const int mt = mt_of(term.score);
  if (term.reaction < 0 || is_of_transport(mt) || mt == mt_capture || mt == mt_heating ||
      mt == mt_heating_local)
    return begin_;
  const std::size_t first = nuclide.tallied_first(term.reaction);
  const auto below = [&](const MicroXs& xs) { return xs.index + 1 < first; };
  return static_cast<int>(std::partition_point(micro_.begin() + begin_, micro_.begin() + end_, below) -
                          micro_.begin());
}

TallyBins::~TallyBins() = default;

/// Keeps a score for score_waiting().
void TallyBins::wait(const TallyLayout::CompiledTally& tally, std::int64_t combination, const Event& event,
                     double amount) noexcept {
  if (waiting_->full()) score_waiting();
  waiting_->add(static_cast<int>(&tally - layout_->compiled.data()), combination, amount,
                event.values == nullptr ? MediumId() : state_.nuclear->medium_of(*event.location),
                event.energy, *state_.band, event.values);
}

void TallyBins::score_waiting() noexcept {
  if (!waiting_ || waiting_->empty()) return;
  waiting_->finish(rates_.k(), [&](int index, std::span<const WaitingScores::Score> scores) {
    const TallyLayout::CompiledTally& tally = layout_->compiled[index];
    // Without a mesh a tally has no bins outside of the window, which would move.
    waiting_bins_.clear();
    for (const WaitingScores::Score& score : scores)
      waiting_bins_.push_back(bins_of(tally, score.combination, true));
    const bool atomic = queue_ && !queue_->alone();
    const auto add = [&](ExactSum& bin, double amount) {
      if (!atomic) return bin.add(amount);
      ExactSum sum;
      sum.add(amount);
      bin.add_atomically(sum);
    };
    for (std::size_t i = 0; i < tally.columns.size(); ++i) {
      const TallyLayout::Column& column = tally.columns[i];
      if (column.score == Score::flux || column.score == Score::events) {
        for (std::size_t s = 0; s < scores.size(); ++s)
          add(waiting_bins_[s][i], column.score == Score::flux ? scores[s].amount : 1);
        continue;
      }
      const auto [values, first] = waiting_->rates(column.value);
      for (std::size_t s = scores.size(); s > 0 && scores[s - 1].row >= first; --s)
        add(waiting_bins_[s - 1][i], scores[s - 1].amount * values[scores[s - 1].row]);
    }
  });
}

}  // namespace taihu::neutron
