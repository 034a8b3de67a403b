// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/tally/tally.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "taihu/neutron/tally/filter_weights.h"
#include "taihu/neutron/tally/shares.h"
#include "taihu/neutron/tally/waiting_scores.h"

namespace taihu::neutron {
namespace {

/// An energy or time on an edge belongs to the bin below, on the first edge to the first bin, as in OpenMC.
int energy_bin(const std::vector<double>& edges, double energy) noexcept {
  if (!(energy >= edges.front() && energy <= edges.back())) return -1;
  return static_cast<int>(std::lower_bound(edges.begin() + 1, edges.end(), energy) - edges.begin()) - 1;
}

/// Bin between edges, the last one of which belongs to the last bin.
int bin_between(const std::vector<double>& edges, double x) noexcept {
  if (!(x >= edges.front() && x <= edges.back())) return -1;
  const auto above = std::upper_bound(edges.begin(), edges.end() - 1, x) - edges.begin();
  return static_cast<int>(above) - 1;
}

/// The bin of the first level, from the root on, for which the table has a bin.
template <typename Key>
int bin_of_levels(const std::vector<int>& table, const Location& location, const Key& key) noexcept {
  for (int level = 0; level < location.depth; ++level)
    if (const int bin = table[key(location.levels[level])]; bin >= 0) return bin;
  return -1;
}

/// A point, or with `direction` a direction, as the mesh of a filter sees it.
Vector in_mesh(const Filter& filter, const Vector& r, bool direction = false) noexcept {
  if (!filter.moved) return r;
  const Vector shifted = direction ? r : r - filter.translation;
  return filter.turned ? rotate(filter.rotation, shifted) : shifted;
}

int bin_of(const TallyLayout::CompiledFilter& filter, const Event& event,
           const NeutronState& state) noexcept {
  const auto cell_of = [](const Location::Level& level) { return level.cell.index(); };
  const Vector& u = event.location->levels[0].u;
  switch (filter.type) {
    case FilterType::material:
      return filter.bin_of[event.location->material.index() + 1];
    case FilterType::energy:
      if (filter.energies != nullptr) return energy_bin(*filter.energies, event.energy.eV());
      return filter.bin_of[event.group.index()];
    case FilterType::energyout:
      if (event.emission == nullptr) return -1;
      if (filter.energies != nullptr) return energy_bin(*filter.energies, event.emission->energy.eV());
      return filter.bin_of[event.emission->group.index()];
    case FilterType::surface:
      return event.surface ? filter.bin_of[event.surface.index()] : -1;
    case FilterType::mesh:
      return filter.mesh->index_of(in_mesh(*filter.source, event.r));
    case FilterType::meshborn:
      return filter.mesh->index_of(in_mesh(*filter.source, *state.born_at));
    case FilterType::musurface:
      return bin_between(*filter.energies, event.mu_surface);
    case FilterType::collision: {
      const std::vector<int>& bins = filter.source->bin_ids;
      const auto found = std::find(bins.begin(), bins.end(), *state.collisions);
      return found == bins.end() ? -1 : static_cast<int>(found - bins.begin());
    }
    case FilterType::time:
      return energy_bin(*filter.energies, event.time);
    case FilterType::cell:
      return bin_of_levels(filter.bin_of, *event.location, cell_of);
    case FilterType::cellfrom:
      return event.from == nullptr ? -1 : bin_of_levels(filter.bin_of, *event.from, cell_of);
    case FilterType::materialfrom:
      return event.from == nullptr ? -1 : filter.bin_of[event.from->material.index() + 1];
    case FilterType::cellborn:
      return filter.bin_of[state.born->index()];
    case FilterType::particle:
      return 0;  // only neutrons are followed
    case FilterType::energyfunction:
      return event.energy >= Energy(filter.energies->front()) &&
                     event.energy <= Energy(filter.energies->back())
                 ? 0
                 : -1;
    case FilterType::mu:
      return event.emission == nullptr ? -1 : bin_between(*filter.energies, event.emission->mu);
    case FilterType::polar:
      return bin_between(*filter.energies, std::acos(u.z));
    case FilterType::azimuthal:
      return bin_between(*filter.energies, std::atan2(u.y, u.x));
    case FilterType::zernike:
    case FilterType::zernikeradial: {
      const double x = event.r.x - filter.source->centre.x, y = event.r.y - filter.source->centre.y;
      return std::hypot(x, y) <= filter.source->radius ? 0 : -1;
    }
    case FilterType::spatiallegendre: {
      const double x = event.r[filter.source->axis];
      return x >= filter.source->low && x <= filter.source->high ? 0 : -1;
    }
    case FilterType::delayedgroup: {
      if (event.emission == nullptr) return filter.bin_of.empty() ? 0 : -1;
      const int group = event.emission->delayed_group;
      return group < static_cast<int>(filter.bin_of.size()) ? filter.bin_of[group] : -1;
    }
    case FilterType::legendre:
    case FilterType::sphericalharmonics:
    case FilterType::meshsurface:
      return 0;  // of all bins, which for_each_moment(), score_groups() and score_faces() fill
    case FilterType::distribcell:
    case FilterType::cellinstance:
      for (int level = 0; level < event.location->depth; ++level)
        if (const int index = filter.bin_of[event.location->levels[level].cell.index()]; index >= 0) {
          const TallyLayout::CellInstances& cell = filter.instances[index];
          const int instance = cell.table->number(*event.location, level);
          return cell.bins.empty() || instance < 0 ? instance : cell.bins[instance];
        }
      return -1;
    case FilterType::universe:
      return bin_of_levels(filter.bin_of, *event.location,
                           [](const Location::Level& l) { return l.universe.index(); });
  }
  return -1;
}

/// Combination of all filters; -1: the event is filtered out. Along a `path` the mesh and the time, which
/// change there, are left out.
std::int64_t combination_of(const TallyLayout::CompiledTally& tally, const Event& event, bool path,
                            const NeutronState& state) noexcept {
  std::int64_t combination = 0;
  for (int i = 0; i < static_cast<int>(tally.filters.size()); ++i) {
    if (path && (i == tally.mesh_filter || i == tally.time_filter)) continue;
    const int bin = bin_of(tally.filters[i], event, state);
    if (bin < 0) return -1;
    combination += static_cast<std::int64_t>(bin) * tally.filters[i].stride;
  }
  return combination;
}

bool needs_emission(const Filter& filter) noexcept {
  return filter.type == FilterType::legendre || filter.of_scattering;
}

}  // namespace

TallyBins::TallyBins(const TallyLayout& layout, const TallyParts* window, const NeutronState& state,
                     SharedBins* shared)
    : layout_(&layout),
      window_(window),
      state_(state),
      rates_(layout.rates, state.nuclear),
      waiting_(WaitingScores::make(layout, state.nuclear)),
      sums_(shared != nullptr   ? 0
            : window == nullptr ? layout.bin_count
                                : window->size) {
  pieces_.reserve(1024);
  passages_.reserve(1024);
  for (const TallyLayout::CompiledTally& tally : layout.compiled)
    for (std::size_t i = 0; i < tally.expansions.size(); ++i) {
      if (moments_.size() <= i) moments_.resize(i + 1);
      const auto count = static_cast<std::size_t>(tally.filters[tally.expansions[i]].source->bin_count);
      if (moments_[i].size() < count) moments_[i].resize(count);
    }
  if (shared == nullptr) return;
  std::int64_t most = 1;
  for (const TallyLayout::CompiledTally& tally : layout.compiled) most = std::max(most, tally.width);
  queue_.emplace(*shared, static_cast<std::size_t>(most));
}

/// The bins of a combination's columns: in the window, or in the array for those outside. Valid until the
/// next call; with `itself`, which leaves out the queue into shared bins, until one that adds bins outside.
ExactSum* TallyBins::bins_of(const TallyLayout::CompiledTally& tally, std::int64_t combination,
                             bool itself) noexcept {
  const std::int64_t bin_in_tally = combination * tally.width;
  const std::int64_t place = window_ == nullptr
                                 ? tally.first_bin + bin_in_tally
                                 : window_->tallies[&tally - layout_->compiled.data()].place_of(bin_in_tally);
  if (place >= 0)
    return !queue_  ? sums_.data() + place
           : itself ? queue_->bins(place, tally.width)
                    : queue_->add_to(place, tally.width);
  const auto [entry, added] = outside_.try_emplace(tally.first_bin + bin_in_tally, outside_sums_.size());
  if (added) outside_sums_.resize(outside_sums_.size() + tally.columns.size());
  return outside_sums_.data() + entry->second;
}

void TallyBins::for_each_outside(
    const std::function<void(std::int64_t bin, std::span<const ExactSum> sums)>& f) const {
  for (const auto& [bin, place] : outside_) {
    std::size_t tally = layout_->compiled.size() - 1;
    while (layout_->compiled[tally].first_bin > bin) --tally;
    f(bin, {outside_sums_.data() + place, layout_->compiled[tally].columns.size()});
  }
}

void TallyBins::clear_outside() noexcept {
  outside_.clear();
  outside_sums_.clear();
}

void TallyBins::add(std::int64_t bin, std::span<const ExactSum> sums) noexcept {
  std::size_t tally = layout_->compiled.size() - 1;
  while (layout_->compiled[tally].first_bin > bin) --tally;
  const TallyLayout::CompiledTally& compiled = layout_->compiled[tally];
  ExactSum* bins = bins_of(compiled, (bin - compiled.first_bin) / static_cast<std::int64_t>(sums.size()));
  for (std::size_t i = 0; i < sums.size(); ++i) bins[i] += sums[i];
}

void TallyBins::score_combination(const TallyLayout::CompiledTally& tally, std::int64_t combination,
                                  const Event& event, double amount) noexcept {
  if (layout_->continuous) return score_continuous(tally, combination, event, amount);
  ExactSum* bins = bins_of(tally, combination);
  const MaterialId material = event.location->material;
  for (std::int64_t i = 0; i < tally.width; ++i) {
    const double* row = tally.rows[i];
    if (row == nullptr) {
      bins[i].add(tally.columns[i].score == Score::events ? 1 : amount);
    } else if (material) {
      bins[i].add(amount * row[material.index() * layout_->groups + event.group.index()]);
    }
  }
}

/// The rates of a tally's columns per unit of flux, with continuous energy; null (in a void): only flux
/// counts.
const double* TallyBins::values_of(const TallyLayout::CompiledTally& tally, const Event& event) noexcept {
  if (!tally.rates) return event.values;
  return rates_.at(event.values == nullptr ? MediumId() : state_.nuclear->medium_of(*event.location),
                   event.energy, *state_.band, event.values);
}

/// Whether all scores of a tally are zero, as fission outside the fuel, with continuous energy.
bool TallyBins::scores_nothing(const TallyLayout::CompiledTally& tally, const Event& event) noexcept {
  if (!layout_->continuous) return false;  // see is_silent()
  const double* const values = values_of(tally, event);
  for (const TallyLayout::Column& column : tally.columns)
    if (column.score == Score::flux || column.score == Score::events ||
        (values != nullptr && values[column.value] != 0))
      return false;
  return true;
}

void TallyBins::score_continuous(const TallyLayout::CompiledTally& tally, std::int64_t combination,
                                 const Event& event, double amount) noexcept {
  if (WaitingScores::takes(tally)) return wait(tally, combination, event, amount);
  const double* const values = values_of(tally, event);
  if (tally.delayed_filter >= 0) return score_groups(tally, combination, values, amount);
  ExactSum* bins = bins_of(tally, combination);
  for (std::size_t i = 0; i < tally.columns.size(); ++i) {
    const TallyLayout::Column& column = tally.columns[i];
    if (column.score == Score::flux)
      bins[i].add(amount);
    else if (column.score == Score::events)
      bins[i].add(1);
    else if (values != nullptr)
      bins[i].add(amount * values[column.value]);
  }
}

void TallyBins::score_groups(const TallyLayout::CompiledTally& tally, std::int64_t combination,
                             const double* values, double amount) noexcept {
  const TallyLayout::CompiledFilter& filter = tally.filters[tally.delayed_filter];
  const int groups = filter.source->bin_count;
  for (int group = 0; group < groups; ++group) {
    ExactSum* bins = bins_of(tally, combination + static_cast<std::int64_t>(group) * filter.stride);
    for (std::int64_t i = 0; i < tally.width; ++i)
      bins[i].add(amount * values[tally.group_values[i * groups + group]]);
  }
}

/// The nuclide of an event, as tallies number nuclides; -1: no tally names it.
int TallyBins::nuclide_hit(const Event& event) const noexcept {
  const int index = layout_->continuous ? state_.nuclide->index() : event.location->material.index();
  return index < 0 ? -1 : layout_->nuclide_of[index];
}

void TallyBins::score_flux(const std::vector<int>& tallies, const Event& event, double amount) noexcept {
  for (const int index : tallies) {
    const TallyLayout::CompiledTally& tally = layout_->compiled[index];
    if (is_silent(tally, event) || (!tally.rates && scores_nothing(tally, event))) continue;
    const std::int64_t combination = combination_of(tally, event, false, state_);
    if (combination < 0) continue;
    for_each_moment(tally, combination, event,
                    tally.weights.empty() ? amount : amount * weight_of(tally, event),
                    [&](std::int64_t bins, double share) { score_combination(tally, bins, event, share); });
  }
}

/// Calls f(combination, amount) for all moments of a tally's expansions; once if it has none.
template <typename F>
void TallyBins::for_each_moment(const TallyLayout::CompiledTally& tally, std::int64_t combination,
                                const Event& event, double amount, const F& f) noexcept {
  if (tally.expansions.empty()) return f(combination, amount);
  for (std::size_t i = 0; i < tally.expansions.size(); ++i) {
    const Filter& filter = *tally.filters[tally.expansions[i]].source;
    if (needs_emission(filter) && event.emission == nullptr) return;
    moments_of(filter, event, std::span(moments_[i]).first(filter.bin_count));
  }
  const auto down = [&](const auto& self, std::size_t depth, std::int64_t bins, double share) -> void {
    if (depth == tally.expansions.size()) return f(bins, share);
    const TallyLayout::CompiledFilter& filter = tally.filters[tally.expansions[depth]];
    for (int i = 0; i < filter.source->bin_count; ++i)
      self(self, depth + 1, bins + static_cast<std::int64_t>(i) * filter.stride, share * moments_[depth][i]);
  };
  down(down, 0, combination, amount);
}

void TallyBins::score_track(const std::vector<int>& tallies, const Event& event, const Vector& start,
                            const Vector& u, double length, double weight) noexcept {
  for (const int index : tallies) {
    const TallyLayout::CompiledTally& tally = layout_->compiled[index];
    if (is_silent(tally, event)) continue;
    const std::int64_t combination = combination_of(tally, event, true, state_);
    if (combination < 0) continue;
    const double weighed = tally.weights.empty() ? weight : weight * weight_of(tally, event);
    if (tally.time_filter < 0) {
      score_path(tally, combination, event, start, u, length, weighed);
      continue;
    }
    const TallyLayout::CompiledFilter& filter = tally.filters[tally.time_filter];
    const std::vector<double>& edges = *filter.energies;
    const auto after = std::upper_bound(edges.begin(), edges.end(), event.time) - edges.begin();
    for (std::size_t bin = after > 0 ? after - 1 : 0; bin + 1 < edges.size(); ++bin) {
      const double from = std::max(0.0, (edges[bin] - event.time) / event.slowness);
      const double to = std::min(length, (edges[bin + 1] - event.time) / event.slowness);
      if (from >= length) break;
      if (to > from)
        score_path(tally, combination + static_cast<std::int64_t>(bin) * filter.stride, event,
                   start + from * u, u, to - from, weighed);
    }
  }
}

/// A path in one bin of all filters but the mesh.
void TallyBins::score_path(const TallyLayout::CompiledTally& tally, std::int64_t combination,
                           const Event& event, const Vector& start, const Vector& u, double length,
                           double weight) noexcept {
  const auto score = [&](std::int64_t in, double amount) {
    for_each_moment(tally, in, event, amount,
                    [&](std::int64_t bins, double share) { score_combination(tally, bins, event, share); });
  };
  if (tally.mesh_filter < 0) return score(combination, weight * length);
  if (scores_nothing(tally, event)) return;
  const TallyLayout::CompiledFilter& filter = tally.filters[tally.mesh_filter];
  pieces_.clear();
  append_pieces(*filter.mesh, in_mesh(*filter.source, start), in_mesh(*filter.source, u, true), length,
                pieces_);
  for (const MeshPiece& piece : pieces_)
    score(combination + static_cast<std::int64_t>(piece.index) * filter.stride, weight * piece.length);
}

void TallyBins::score_faces(const Event& event, const Vector& start, const Vector& u, double length,
                            double weight) noexcept {
  for (const int index : layout_->by_face) {
    const TallyLayout::CompiledTally& tally = layout_->compiled[index];
    const std::int64_t combination = combination_of(tally, event, false, state_);
    if (combination < 0) continue;
    const double amount = tally.weights.empty() ? weight : weight * weight_of(tally, event);
    const TallyLayout::CompiledFilter& filter = tally.filters[tally.surface_mesh];
    passages_.clear();
    append_passages(*filter.mesh, in_mesh(*filter.source, start), in_mesh(*filter.source, u, true), length,
                    passages_);
    for (const auto& [cell, axis, upper, incoming] : passages_) {
      const std::int64_t bin =
          std::int64_t{4} * filter.mesh->dimensions * cell + 4 * axis + 2 * upper + incoming;
      ExactSum* bins = bins_of(tally, combination + bin * filter.stride);
      for (std::size_t i = 0; i < tally.columns.size(); ++i) bins[i].add(amount);
    }
  }
}

void TallyBins::score_analog(const Event& event, Score what, double amount) noexcept {
  for (const int index : layout_->analog) {
    const TallyLayout::CompiledTally& tally = layout_->compiled[index];
    for (std::size_t i = 0; i < tally.columns.size(); ++i) {
      if (tally.columns[i].score != what) continue;
      if (tally.columns[i].nuclide >= 0 && tally.columns[i].nuclide != nuclide_hit(event)) continue;
      const std::int64_t combination = combination_of(tally, event, false, state_);
      if (combination < 0) continue;
      const double weighed = tally.weights.empty() ? amount : amount * weight_of(tally, event);
      for_each_moment(tally, combination, event, weighed,
                      [&](std::int64_t bins, double share) { bins_of(tally, bins)[i].add(share); });
    }
  }
}

void TallyBins::score_surface(const Event& event, double weight, double sign) noexcept {
  for (const int index : layout_->by_surface) {
    const TallyLayout::CompiledTally& tally = layout_->compiled[index];
    const std::int64_t combination = combination_of(tally, event, false, state_);
    if (combination < 0) continue;
    double amount = tally.by_sign ? sign * weight : weight;
    if (!tally.weights.empty()) amount *= weight_of(tally, event);
    ExactSum* bins = bins_of(tally, combination);
    for (std::size_t i = 0; i < tally.columns.size(); ++i) bins[i].add(amount);
  }
}

}  // namespace taihu::neutron
