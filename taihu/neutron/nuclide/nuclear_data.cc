// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/nuclide/nuclear_data.h"

#include <algorithm>
#include <cmath>

#include "taihu/base/error.h"
#include "taihu/neutron/geometry/surface.h"

namespace taihu::neutron {
namespace {

void add_to(MacroXs& sum, double density, const MicroXs& xs) noexcept {
  sum[static_cast<int>(Reaction::total)] += density * xs.total;
  sum[static_cast<int>(Reaction::absorption)] += density * xs.absorption;
  sum[static_cast<int>(Reaction::fission)] += density * xs.fission;
  sum[static_cast<int>(Reaction::nu_fission)] += density * xs.nu_fission;
  sum[static_cast<int>(Reaction::kappa_fission)] += density * xs.kappa_fission;
}

/// Replaces elastic scattering by a bound atom's.
void apply_thermal(double thermal, double fraction, MicroXs& xs) noexcept {
  xs.thermal = fraction * thermal;
  xs.total += xs.thermal - fraction * xs.elastic;
  xs.elastic = xs.thermal + (1 - fraction) * xs.elastic;
}

/// Sorts the parts by how often collisions hit them, so that sampling seldom looks past the first. The
/// measure is the mean over equal steps of the energy's logarithm.
void sort_by_collisions(const NuclearData& data, std::vector<MediumPart>& parts) {
  constexpr int steps = 64;
  const double low = std::fmax(data.energy_min().eV(), 1e-5), ratio = data.energy_max().eV() / low;
  std::vector<std::pair<double, MediumPart>> weighted;
  for (const MediumPart& part : parts) {
    double sum = 0;
    for (int i = 1; i < steps; ++i) {
      const Energy e(low * std::pow(ratio, static_cast<double>(i) / steps));
      sum += part.density * data.micro(part, e, 0).total;
    }
    weighted.emplace_back(sum, part);
  }
  std::stable_sort(weighted.begin(), weighted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = weighted[i].second;
}

}  // namespace

Thermal::Thermal(const ThermalTable& table, std::vector<Nuclide::Share> shares)
    : table_(&table), shares_(std::move(shares)) {
  const ThermalElastic& elastic = at(shares_.front()).elastic;
  one_law_ = shares_.size() == 1 && !has_formula() && !elastic.table.is_table();
}

double Thermal::tabulated(Energy e) const noexcept {
  double sum = 0;
  for (const Nuclide::Share& share : shares_) {
    const ThermalTable::AtTemperature& t = at(share);
    sum += share.weight * (t.inelastic(e.eV()) + (t.elastic.table.is_table() ? t.elastic.table(e.eV()) : 0));
  }
  return sum;
}

double Thermal::formula(Energy e) const noexcept {
  double sum = 0;
  for (const Nuclide::Share& share : shares_) {
    const ThermalElastic& elastic = at(share).elastic;
    if (!elastic.bragg.energy.empty()) sum += share.weight * elastic.bragg.cross_section(e.eV());
    if (elastic.bound > 0) sum += share.weight * elastic.formula(e.eV());
  }
  return sum;
}

bool Thermal::has_formula() const noexcept {
  return std::any_of(shares_.begin(), shares_.end(), [&](const Nuclide::Share& share) {
    return !at(share).elastic.bragg.energy.empty() || at(share).elastic.bound > 0;
  });
}

std::vector<double> Thermal::grid() const {
  std::vector<double> energies;
  for (const Nuclide::Share& share : shares_)
    for (const Function1d* table : {&at(share).inelastic, &at(share).elastic.table})
      energies.insert(energies.end(), table->x().begin(), table->x().end());
  std::sort(energies.begin(), energies.end());
  energies.erase(std::unique(energies.begin(), energies.end()), energies.end());
  return energies;
}

double Thermal::most_between(Energy from, Energy to) const noexcept {
  const double a = from.eV(), b = to.eV();
  double sum = 0;
  for (const Nuclide::Share& share : shares_) {
    const ThermalElastic& elastic = at(share).elastic;
    double most = at(share).inelastic.most_between(a, b);
    if (elastic.table.is_table()) most += elastic.table.most_between(a, b);
    if (elastic.bound > 0) most += elastic.formula(a);  // it falls
    most += elastic.bragg.most_between(a, b);
    sum += share.weight * most;
  }
  return sum;
}

Outgoing Thermal::sample(Energy energy, Stream& random) const noexcept {
  const double e = energy.eV();
  if (one_law_) {
    random.next();  // as many numbers as with a choice
    return at(shares_.front()).law->sample(e, random);
  }
  double rest = random.uniform() * cross_section(energy);
  for (const Nuclide::Share& share : shares_) {
    const ThermalTable::AtTemperature& t = at(share);
    const double inelastic = share.weight * t.inelastic(e),
                 elastic = share.weight * t.elastic.cross_section(e);
    const bool last = &share == &shares_.back();
    if (rest < elastic) return {e, t.elastic.sample_mu(e, random)};
    rest -= elastic;
    if (rest < inelastic || last) return t.law->sample(e, random);
    rest -= inelastic;
  }
  return {e, 1};
}

void NuclearData::finish() {
  if (nuclides.empty()) {  // all is void
    energy_min_ = Energy(1e-5), energy_max_ = Energy(2e7);
    return;
  }
  energy_min_ = Energy{}, energy_max_ = Energy(infinity);
  unresolved_min_ = Energy(infinity), unresolved_max_ = Energy{};
  for (const Nuclide& nuclide : nuclides) {
    energy_min_ = std::max(energy_min_, nuclide.energy_min());
    energy_max_ = std::min(energy_max_, nuclide.energy_max());
    if (nuclide.unresolved_max() > nuclide.unresolved_min()) {
      unresolved_min_ = std::min(unresolved_min_, nuclide.unresolved_min());
      unresolved_max_ = std::max(unresolved_max_, nuclide.unresolved_max());
    }
  }
  check_input(energy_max_ > energy_min_, "the nuclides have no common range of energies");
}

bool NuclearData::any_fission() const noexcept {
  return std::any_of(media_.begin(), media_.end(), [](const Medium& medium) { return medium.fissionable; });
}

/// Energies of all nuclides and thermal tables between the common limits. The end of a thermal table is a
/// jump, so its energy is there twice.
std::vector<double> NuclearData::grid_of(const std::vector<MediumPart>& parts) const {
  std::vector<std::vector<double>> grids{{energy_min_.eV(), energy_max_.eV()}};
  for (const MediumPart& part : parts) {
    grids.push_back(nuclide(part.nuclide).grid());
    if (!part.thermal) continue;
    const Thermal& thermal = this->thermal(part.thermal);
    grids.push_back(thermal.grid());
    grids.push_back({thermal.energy_max().eV(), thermal.energy_max().eV()});
  }
  const std::vector<double> all = union_of(std::move(grids));
  const auto first = std::lower_bound(all.begin(), all.end(), energy_min_.eV());
  const auto last = std::upper_bound(all.begin(), all.end(), energy_max_.eV());
  return {first, last};
}

MicroXs NuclearData::tabulated(const MediumPart& part, Nuclide::Walk& walk, Energy e,
                               bool from_below) const noexcept {
  MicroXs xs = walk.smooth(e, from_below);
  if (part.thermal) {
    const Thermal& thermal = this->thermal(part.thermal);
    if (e < thermal.energy_max() || (from_below && e == thermal.energy_max()))
      apply_thermal(thermal.tabulated(e), part.thermal_fraction, xs);
  }
  return xs;
}

MediumId NuclearData::add_medium(std::vector<MediumPart> parts, std::size_t points) {
  sort_by_collisions(*this, parts);
  Medium medium;
  for (int i = 0; i < static_cast<int>(parts.size()); ++i) {
    const Nuclide& nuclide = this->nuclide(parts[i].nuclide);
    medium.fissionable = medium.fissionable || !nuclide.data().fission.empty();
    if (parts[i].thermal && thermal(parts[i].thermal).has_formula()) medium.with_formula.push_back(i);
    if (nuclide.unresolved_max() > nuclide.unresolved_min())
      medium.with_bands.push_back({nuclide.unresolved_min(), nuclide.unresolved_max(), i});
  }
  const std::vector<double> grid = grid_of(parts);
  if (grid.size() <= points) {
    medium.points.resize(grid.size());
    for (std::size_t i = 0; i < grid.size(); ++i) medium.points[i] = {grid[i], 0, 0, 0, 0, 0};
    // Part by part: the data of a nuclide lie in a row, those of hundreds of nuclides at one energy do not.
    for (const MediumPart& part : parts) {
      Nuclide::Walk walk(nuclide(part.nuclide));
      for (std::size_t i = 0; i < grid.size(); ++i) {
        const bool from_below = i + 1 < grid.size() && grid[i + 1] == grid[i];
        const MicroXs xs = tabulated(part, walk, Energy(grid[i]), from_below);
        Point& point = medium.points[i];
        point.total += part.density * xs.total;
        point.absorption += part.density * xs.absorption;
        point.fission += part.density * xs.fission;
        point.nu_fission += part.density * xs.nu_fission;
        point.kappa_fission += part.density * xs.kappa_fission;
      }
    }
    medium.index = EnergyIndex(&medium.points[0].energy, grid.size(), sizeof(Point) / sizeof(double));
  }
  medium.parts = std::move(parts);
  media_.push_back(std::move(medium));
  return MediumId(media_.size() - 1);
}

MicroXs NuclearData::micro(const MediumPart& part, Energy e, std::uint64_t band) const noexcept {
  const Nuclide& nuclide = this->nuclide(part.nuclide);
  MicroXs xs = nuclide.smooth(e);
  if (is_thermal(part, e))
    apply_thermal(thermal(part.thermal).cross_section(e), part.thermal_fraction, xs);
  else if (nuclide.unresolved_at(e))
    nuclide.apply_unresolved(e, band, xs);
  return xs;
}

void NuclearData::most_between(const MediumPart& part, std::span<const double> edges,
                               std::span<double> most) const noexcept {
  const Nuclide& nuclide = this->nuclide(part.nuclide);
  const double end = part.thermal ? thermal(part.thermal).energy_max().eV() : 0;
  const std::size_t thermal_bins =
      std::min<std::size_t>(std::lower_bound(edges.begin(), edges.end(), end) - edges.begin(), most.size());
  for (std::size_t i = 0; i < thermal_bins; ++i) {
    const std::span<const double> bin = edges.subspan(i, 2);
    double free = 0;
    if (bin[1] >= end) nuclide.most_between(bin, 0, {&free, 1});
    nuclide.most_between(bin, part.thermal_fraction, most.subspan(i, 1));
    most[i] =
        std::fmax(free, most[i] + part.thermal_fraction *
                                      thermal(part.thermal).most_between(Energy(bin[0]), Energy(bin[1])));
  }
  if (thermal_bins < most.size())
    nuclide.most_between(edges.subspan(thermal_bins), 0, most.subspan(thermal_bins));
  // The bands change little over the bins of a key, and each look at them takes long: all bins get one bound.
  const double from = nuclide.unresolved_min().eV(), to = nuclide.unresolved_max().eV();
  if (!(edges.front() < to && edges.back() >= from)) return;
  const double bands = nuclide.most_unresolved_between(Energy(std::max(edges.front(), from)),
                                                       Energy(std::min(edges.back(), to)));
  for (std::size_t i = 0; i < most.size(); ++i)
    if (edges[i] < to && edges[i + 1] >= from) most[i] = std::max(most[i], bands);
}

std::size_t NuclearData::points_between(const MediumPart& part, Energy a, Energy b) const noexcept {
  return nuclide(part.nuclide).points_between(a, b);
}

void NuclearData::sum_parts(const Medium& medium, Energy e, std::uint64_t band, MacroXs& xs) const noexcept {
  for (const MediumPart& part : medium.parts) add_to(xs, part.density, micro(part, e, band));
}

void NuclearData::look_up(MediumId id, Energy e, std::uint64_t band, MacroXs& xs) const noexcept {
  const Medium& medium = media_[id.index()];
  const auto at = [&](Reaction reaction) -> double& { return xs[static_cast<int>(reaction)]; };
  xs = {};
  at(Reaction::flux) = 1;
  if (medium.points.empty()) {
    sum_parts(medium, e, band, xs);
  } else {
    const Point* low = &medium.points[medium.index.find(&medium.points[0].energy, e.eV())];
    const Point* high = low + 1;
    const double width = high->energy - low->energy;
    const double f = width > 0 ? std::clamp((e.eV() - low->energy) / width, 0.0, 1.0) : 0;
    at(Reaction::total) = low->total + f * (high->total - low->total);
    at(Reaction::absorption) = low->absorption + f * (high->absorption - low->absorption);
    at(Reaction::fission) = low->fission + f * (high->fission - low->fission);
    at(Reaction::nu_fission) = low->nu_fission + f * (high->nu_fission - low->nu_fission);
    at(Reaction::kappa_fission) = low->kappa_fission + f * (high->kappa_fission - low->kappa_fission);
    for (const int i : medium.with_formula) {
      const MediumPart& part = medium.parts[i];
      const Thermal& thermal = this->thermal(part.thermal);
      if (e < thermal.energy_max())
        at(Reaction::total) += part.density * part.thermal_fraction * thermal.formula(e);
    }
    if (unresolved_at(e))
      for (const auto& [min, max, i] : medium.with_bands) {
        if (e < min || e >= max) continue;
        const MediumPart& part = medium.parts[i];
        const Nuclide& nuclide = this->nuclide(part.nuclide);
        MicroXs banded = nuclide.smooth(e);
        add_to(xs, -part.density, banded);
        nuclide.apply_unresolved(e, band, banded);
        add_to(xs, part.density, banded);
      }
  }
  at(Reaction::scatter) = std::max(0.0, at(Reaction::total) - at(Reaction::absorption));
}

const MediumPart& NuclearData::sample_part(MediumId id, Energy e, std::uint64_t band, double total,
                                           Stream& random, MicroXs& xs) const noexcept {
  const Medium& medium = media_[id.index()];
  double rest = random.uniform() * total;
  for (const MediumPart& part : medium.parts) {
    xs = micro(part, e, band);
    rest -= part.density * xs.total;
    if (rest < 0) return part;
  }
  return medium.parts.back();
}

}  // namespace taihu::neutron
