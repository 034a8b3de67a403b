// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/tally/columns.h"

#include <algorithm>

namespace taihu::neutron {
namespace {

bool is_medium_sum(Score score) {
  return score <= Score::kappa_fission;
}

bool needs_rates(const TallyLayout::Column& column) {
  return column.score != Score::events && (column.nuclide >= 0 || !is_medium_sum(column.score));
}

bool is_of_fission(Score score) {
  return (score >= Score::fission && score <= Score::kappa_fission) ||
         (score >= Score::prompt_nu_fission && score <= Score::fission_q_recoverable);
}

/// Whether a nuclide can have a rate other than zero at any energy.
bool can_happen(Score score, const Nuclide& nuclide) {
  const int mt = mt_of(score);
  if (mt == 0) return !is_of_fission(score) || !nuclide.data().fission.empty();
  if (mt == mt_fission) return !nuclide.data().fission.empty();
  return is_of_transport(mt) || mt == mt_capture || nuclide.tallied_index(mt) >= 0;
}

const double* row_of(Score score, const CrossSections& data) {
  if (score == Score::flux || !is_medium_sum(score)) return nullptr;
  return data.rows(static_cast<Reaction>(score));
}

}  // namespace

int ColumnMaker::number_of(const std::string& nuclide) const {
  const auto found = std::find(layout_.nuclides.begin(), layout_.nuclides.end(), nuclide);
  return found == layout_.nuclides.end() ? -1 : static_cast<int>(found - layout_.nuclides.begin());
}

void ColumnMaker::make(const Tally& tally, TallyLayout::CompiledTally& compiled) {
  for (const std::string& name : tally.nuclides) {
    if (name != total_nuclide && number_of(name) < 0) layout_.nuclides.push_back(name);
    const int nuclide = name == total_nuclide ? -1 : number_of(name);
    for (const Score score : tally.scores)
      compiled.columns.push_back({score, nuclide, static_cast<int>(score)});
  }
  compiled.width = static_cast<std::int64_t>(compiled.columns.size());
  if (materials_.nuclear == nullptr)
    make_rows(compiled);
  else if (compiled.estimator != Estimator::analog)
    plan_rates(tally, compiled);
}

/// A multi-group material counts as one nuclide with a density. So the rows of the nuclide are those of the
/// material.
void ColumnMaker::make_rows(TallyLayout::CompiledTally& compiled) const {
  for (const TallyLayout::Column& column : compiled.columns) {
    const double* rows = row_of(column.score, data_);
    if (rows != nullptr && column.nuclide >= 0) {
      const std::size_t groups = data_.groups();
      std::vector<double>& own = compiled.own_rows.emplace_back(groups * data_.materials());
      for (std::size_t m = 0; m < materials_.macroscopics.size(); ++m)
        if (materials_.macroscopics[m] == layout_.nuclides[column.nuclide])
          std::copy_n(rows + m * groups, groups, own.begin() + static_cast<std::ptrdiff_t>(m * groups));
      rows = own.data();
    }
    compiled.rows.push_back(rows);
  }
  find_silence(compiled);
}

/// Where nothing can be scored, as fission in water, so that no bin has to be found there.
void ColumnMaker::find_silence(TallyLayout::CompiledTally& compiled) const {
  const std::vector<const double*>& rows = compiled.rows;
  if (std::find(rows.begin(), rows.end(), nullptr) != rows.end()) return;
  const auto groups = static_cast<std::size_t>(data_.groups());
  compiled.silent.assign(groups, 1);  // in voids
  for (std::size_t at = 0; at < groups * data_.materials(); ++at)
    compiled.silent.push_back(
        std::all_of(rows.begin(), rows.end(), [&](const double* row) { return row[at] == 0; }) ? 1 : 0);
}

void ColumnMaker::find_common_silence() {
  for (const int index : layout_.by_flux) {
    const std::vector<std::uint8_t>& silent = layout_.compiled[index].silent;
    if (silent.empty()) return layout_.silent_flux.clear();
    if (index == layout_.by_flux.front()) layout_.silent_flux = silent;
    for (std::size_t at = 0; at < silent.size(); ++at) layout_.silent_flux[at] &= silent[at];
  }
}

void ColumnMaker::plan_rates(const Tally& tally, TallyLayout::CompiledTally& compiled) {
  compiled.rates = std::any_of(compiled.columns.begin(), compiled.columns.end(), needs_rates);
  for (TallyLayout::Column& column : compiled.columns)
    if (needs_rates(column)) column.value = value_of(column, 0, tally.multiply_density);
  for (const int filter : tally.filters) {
    if (layout_.filters[filter].type != FilterType::delayedgroup) continue;
    for (const TallyLayout::Column& column : compiled.columns)
      for (const int group : layout_.filters[filter].bin_ids)
        compiled.group_values.push_back(value_of(column, group, tally.multiply_density));
  }
}

int ColumnMaker::value_of(const TallyLayout::Column& column, int group, bool multiply_density) {
  RatePlan& plan = layout_.rates;
  // The speed is the same for all nuclides.
  const bool velocity = column.score == Score::inverse_velocity;
  const bool per_atom = !multiply_density && !velocity && column.nuclide >= 0;
  const auto [known, added] =
      values_.try_emplace({column.score, velocity ? -1 : column.nuclide, group, per_atom},
                          reaction_count + static_cast<int>(values_.size()));
  if (!added) return known->second;
  plan.values = reaction_count + static_cast<int>(values_.size());
  plan.media.resize(materials_.nuclear->media());
  if (velocity) plan.inverse_velocity = known->second;
  for (int medium = 0; medium < materials_.nuclear->media() && !velocity; ++medium)
    add_terms(MediumId(medium), column, group, per_atom, known->second);
  return known->second;
}

void ColumnMaker::add_terms(MediumId medium, const TallyLayout::Column& column, int group, bool per_atom,
                            int value) {
  std::vector<RatePlan::Part>& wanted = layout_.rates.media[medium.index()];
  for (const MediumPart& part : per_atom ? materials_.nuclear->per_atom_of_medium[medium.index()]
                                         : materials_.nuclear->parts(medium)) {
    const Nuclide& nuclide = materials_.nuclear->nuclide(part.nuclide);
    if (column.nuclide >= 0 && nuclide.data().name != layout_.nuclides[column.nuclide]) continue;
    if (!can_happen(column.score, nuclide)) continue;
    auto entry = std::find_if(wanted.begin(), wanted.end(), [&](const auto& other) {
      return other.part.nuclide == part.nuclide && other.per_atom == per_atom;
    });
    if (entry == wanted.end())
      entry = wanted.insert(wanted.end(), {.part = part, .per_atom = per_atom, .terms = {}});
    const int mt = mt_of(column.score);
    entry->terms.push_back({column.score, mt > 0 ? nuclide.tallied_index(mt) : -1, value, group});
  }
}

void ColumnMaker::finish() {
  find_common_silence();
  if (materials_.nuclear != nullptr)
    for (const Nuclide& nuclide : materials_.nuclear->nuclides)
      layout_.nuclide_of.push_back(number_of(nuclide.data().name));
  else
    for (const std::string& name : materials_.macroscopics) layout_.nuclide_of.push_back(number_of(name));
}

}  // namespace taihu::neutron
