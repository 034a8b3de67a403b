// SPDX-License-Identifier: Apache-2.0
// Scores of tallies that count rates of single nuclides and reactions. They wait until there are hundreds.
//
// Fuel that burns has hundreds of nuclides, whose cross sections are hundreds of megabytes. For one neutron
// after the other each of them comes from memory. So scores wait, with the medium and the energy that they
// need rates for. Then the rates are computed nuclide by nuclide, for all energies in rising order, and added
// to the bins column by column. The cross sections of a nuclide stay in the cache meanwhile, and a reaction
// costs nothing below its threshold. Each term of a sum is that of a score at once, and sums are exact, so
// results have the same bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "taihu/neutron/nuclide/nuclear_data.h"
#include "taihu/neutron/storage/hot_vector.h"
#include "taihu/neutron/tally/rates.h"
#include "taihu/neutron/tally/tally.h"

namespace taihu::neutron {

/// Of one thread.
class WaitingScores {
 public:
  struct Score {
    int tally = 0;  ///< index into the layout
    int row = 0;    ///< what the rates are needed for; when it is scored, the place in the columns of rates
    std::int64_t combination = 0;
    double amount = 0;
  };

  /// Null where the tallies need no rates. The layout and the data must outlive it.
  static std::unique_ptr<WaitingScores> make(const TallyLayout& layout, const NuclearData* nuclear);

  /// Whether the scores of a tally wait: of one with neither a mesh nor delayed groups. On a mesh rates are
  /// looked at before its cells are searched, and each delayed group has rates of its own.
  static bool takes(const TallyLayout::CompiledTally& tally) noexcept {
    return tally.rates && tally.mesh_filter < 0 && tally.delayed_filter < 0;
  }
  /// Adds a score; not when it is full. No medium: void. `sums`: of the medium at that energy.
  void add(int tally, std::int64_t combination, double amount, MediumId medium, Energy energy,
           std::uint64_t band, const double* sums) noexcept;
  bool full() const noexcept { return rows_.size() == most_rows_ || scores_.size() == scores_.capacity(); }
  bool empty() const noexcept { return scores_.empty(); }

  /// The rates of a column [1/cm times what is counted] by place; they are zero before place `first`.
  struct RateColumn {
    const double* values;
    int first;
  };
  RateColumn rates(int value) const noexcept { return {column(value), first_[value]}; }

  /// Calls score(tally, scores) for all scores, those of one tally and medium together, by rising place.
  /// rates() holds for them then. Nothing waits afterwards. `k`: of the generation.
  template <typename F>
  void finish(double k, const F& score) noexcept {
    sort();
    const auto same = [&](std::size_t a, std::size_t b) {
      return scores_[a].tally == scores_[b].tally && medium_at(a) == medium_at(b);
    };
    for (std::size_t begin = 0, end = 0; begin < scores_.size(); begin = end) {
      if (begin == 0 || medium_at(begin) != medium_at(begin - 1)) compute(medium_at(begin), k);
      while (end < scores_.size() && same(begin, end)) ++end;
      score(scores_[begin].tally, std::span<const Score>(scores_).subspan(begin, end - begin));
    }
    clear();
  }

 private:
  struct Row {
    MediumId medium;
    Energy energy;
    std::uint64_t band = 0;
    MacroXs sums{};
  };
  WaitingScores(const RatePlan& plan, const NuclearData& nuclear);
  MediumId medium_at(std::size_t score) const noexcept { return rows_[order_[scores_[score].row]].medium; }
  const Row& row_at(int place) const noexcept { return rows_[order_[place]]; }
  const double* column(int value) const noexcept { return values_.data() + value * most_rows_; }
  double* column(int value) noexcept { return values_.data() + value * most_rows_; }
  void sort() noexcept;
  void compute(MediumId medium, double k) noexcept;
  void compute_part(const MediumPart& part, const std::vector<RatePlan::Term>& terms, double k) noexcept;
  int first_above_threshold(const Nuclide& nuclide, const RatePlan::Term& term) const noexcept;
  void clear() noexcept;

  const RatePlan* plan_;
  const NuclearData* nuclear_;
  std::size_t most_rows_;
  std::vector<Row> rows_;
  std::vector<Score> scores_;
  std::vector<int> last_row_;  ///< by medium, the first one is void; -1: none
  // While scores are finished. A place is the number of a row in the order of media and energies.
  std::vector<int> order_, place_;  ///< row by place, place by row
  int begin_ = 0, end_ = 0;         ///< places of the present medium
  std::vector<MicroXs> micro_;      ///< of the present part, by place
  std::vector<int> first_;          ///< by value: the first place that has been written
  HotVector<double> values_;        ///< [value][place]
};

}  // namespace taihu::neutron
