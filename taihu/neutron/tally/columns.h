// SPDX-License-Identifier: Apache-2.0
// Columns of a tally, each a score of a nuclide, and where their values come from: multi-group, rows of cross
// sections; continuous energy, the sums of a medium or the rates of its nuclides (rates.h).
#pragma once

#include <map>
#include <tuple>

#include "taihu/neutron/tally/tally.h"

namespace taihu::neutron {

class ColumnMaker {
 public:
  /// All arguments must outlive the object.
  ColumnMaker(TallyLayout& layout, const CrossSections& data, const TallyMaterials& materials)
      : layout_(layout), data_(data), materials_(materials) {}

  /// Columns of a tally whose estimator is known.
  void make(const Tally& tally, TallyLayout::CompiledTally& compiled);

  /// After all tallies: numbers their nuclides by nuclide of the data, or by material.
  void finish();

 private:
  int number_of(const std::string& nuclide) const;
  void make_rows(TallyLayout::CompiledTally& compiled) const;
  void find_common_silence();
  void find_silence(TallyLayout::CompiledTally& compiled) const;
  void plan_rates(const Tally& tally, TallyLayout::CompiledTally& compiled);
  int value_of(const TallyLayout::Column& column, int group, bool multiply_density);
  void add_terms(MediumId medium, const TallyLayout::Column& column, int group, bool per_atom, int value);

  TallyLayout& layout_;
  const CrossSections& data_;
  const TallyMaterials& materials_;
  std::map<std::tuple<Score, int, int, bool>, int>
      values_;  ///< by score, nuclide, delayed group, and whether it is per atom: number of the rate
};

}  // namespace taihu::neutron
