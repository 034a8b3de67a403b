// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/nuclide/nuclide.h"

#include <algorithm>
#include <cmath>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

/// All energies of the grids; an energy that one grid has twice stays twice.
std::vector<double> union_of(const std::vector<const std::vector<double>*>& grids) {
  std::vector<double> result;
  for (const std::vector<double>* grid : grids) {
    std::vector<double> merged;
    merged.reserve(result.size() + grid->size());
    std::set_union(result.begin(), result.end(), grid->begin(), grid->end(), std::back_inserter(merged));
    result = std::move(merged);
  }
  return result;
}

/// Interval of `grid` that holds e; from_below where an energy is there twice. `fraction` in 0..1.
std::size_t interval_of(const std::vector<double>& grid, double e, bool from_below, double& fraction) {
  const auto place = from_below ? std::lower_bound(grid.begin(), grid.end(), e)
                                : std::upper_bound(grid.begin(), grid.end(), e);
  const auto i = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(place - grid.begin() - 1, 0, static_cast<std::ptrdiff_t>(grid.size()) - 2));
  const double width = grid[i + 1] - grid[i];
  fraction = width > 0 ? std::clamp((e - grid[i]) / width, 0.0, 1.0) : 0;
  return i;
}

double between(const std::vector<double>& values, std::size_t i, double f) {
  return values[i] + f * (values[i + 1] - values[i]);
}

}  // namespace

Nuclide::Nuclide(const NuclideData& data, std::vector<Share> shares, Energy kT) : data_(&data), kT_(kT) {
  fill(std::move(shares));
}

void Nuclide::fill(std::vector<Share> shares) {
  std::vector<const std::vector<double>*> grids;
  for (const Share& share : shares) grids.push_back(&data_->temperatures[share.temperature].energy);
  for (const double e : union_of(grids)) points_.push_back({.energy = e});
  // The first point at which any of the parts has a value.
  const auto start = [&](auto list, std::size_t reaction) {
    double lowest = points_.back().energy;
    for (const Share& share : shares) {
      const NuclideData::AtTemperature& at = data_->temperatures[share.temperature];
      const std::size_t first = (at.*list)[reaction].first;
      if (first < at.energy.size()) lowest = std::min(lowest, at.energy[first]);
    }
    const auto place = std::lower_bound(points_.begin(), points_.end(), lowest,
                                        [](const Point& point, double e) { return point.energy < e; });
    return static_cast<std::size_t>(place - points_.begin());
  };
  const auto make = [&](std::vector<ReactionValues>& reactions, auto list, std::size_t count) {
    reactions.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      reactions[i].first = start(list, i);
      reactions[i].values.assign(points_.size() - reactions[i].first, 0);
    }
  };
  make(scattering_, &NuclideData::AtTemperature::scattering, data_->scattering.size());
  make(fission_, &NuclideData::AtTemperature::fission, data_->fission.size());
  make(tallied_, &NuclideData::AtTemperature::tallied, data_->tallied.size());
  for (const Share& share : shares) add(share);
  const double q = data_->fission.empty() ? 0 : data_->fission[0].q_value;
  for (Point& point : points_) {
    point.total += point.elastic + point.absorption;
    point.nu_fission = point.fission > 0 ? point.fission * data_->nu(point.energy) : 0;
    point.kappa_fission = point.fission * q;
  }
  index_ = EnergyIndex(&points_[0].energy, points_.size(), sizeof(Point) / sizeof(double));
  for (const auto& [table, weight] : unresolved_) {
    const Energy first(table->energy.front()), last(table->energy.back());
    unresolved_min_ = std::max(unresolved_min_, first);
    unresolved_max_ = unresolved_max_ == Energy{} ? last : std::min(unresolved_max_, last);
  }
}

void Nuclide::add(const Share& share) {
  const NuclideData::AtTemperature& at = data_->temperatures[share.temperature];
  for (std::size_t p = 0; p < points_.size(); ++p) {
    Point& point = points_[p];
    const bool first_of_two = p + 1 < points_.size() && points_[p + 1].energy == point.energy;
    double f;
    const std::size_t i = interval_of(at.energy, point.energy, first_of_two, f);
    const double w = share.weight;
    point.elastic += w * between(at.elastic, i, f);
    point.capture += w * between(at.capture, i, f);
    point.absorption += w * between(at.disappearance, i, f);
    for (std::size_t r = 0; r < fission_.size(); ++r) {
      const double value = w * at.fission[r].at(i, f);
      if (p >= fission_[r].first) fission_[r].values[p - fission_[r].first] += value;
      point.fission += value;
      point.absorption += value;
    }
    for (std::size_t r = 0; r < scattering_.size(); ++r) {
      if (p < scattering_[r].first) continue;
      const double value = w * at.scattering[r].at(i, f);
      scattering_[r].values[p - scattering_[r].first] += value;
      point.total += value;
    }
    for (std::size_t r = 0; r < tallied_.size(); ++r)
      if (p >= tallied_[r].first) tallied_[r].values[p - tallied_[r].first] += w * at.tallied[r].at(i, f);
  }
  if (!at.unresolved.energy.empty()) unresolved_.emplace_back(&at.unresolved, share.weight);
}

std::vector<double> Nuclide::grid() const {
  std::vector<double> energies;
  energies.reserve(points_.size());
  for (const Point& point : points_) energies.push_back(point.energy);
  return energies;
}

MicroXs Nuclide::smooth(Energy energy, bool from_below) const noexcept {
  const double e = energy.eV();
  MicroXs xs;
  std::size_t i = index_.find(&points_[0].energy, e);
  while (from_below && i > 0 && points_[i].energy >= e) --i;
  const Point &low = points_[i], &high = points_[i + 1];
  const double width = high.energy - low.energy;
  const double f = width > 0 ? std::clamp((e - low.energy) / width, 0.0, 1.0) : 0;
  xs.index = i, xs.fraction = f;
  xs.total = low.total + f * (high.total - low.total);
  xs.elastic = low.elastic + f * (high.elastic - low.elastic);
  xs.absorption = low.absorption + f * (high.absorption - low.absorption);
  xs.fission = low.fission + f * (high.fission - low.fission);
  xs.nu_fission = low.nu_fission + f * (high.nu_fission - low.nu_fission);
  xs.kappa_fission = low.kappa_fission + f * (high.kappa_fission - low.kappa_fission);
  return xs;
}

/// Scattering other than elastic that the probability table does not contain.
double Nuclide::competing(const ProbabilityTable& table, const MicroXs& xs) const noexcept {
  if (table.inelastic < 0) return 0;
  double sum = 0;
  for (std::size_t r = 0; r < scattering_.size(); ++r) {
    const int mt = data_->scattering[r].mt;
    const bool level = mt >= 51 && mt <= 91;
    if (table.inelastic == 0 || mt == table.inelastic || (table.inelastic == 4 && level))
      sum += scattering_[r].at(xs.index, xs.fraction);
  }
  return sum;
}

double Nuclide::other_absorption_of_bands(const MicroXs& xs) const noexcept {
  const auto other = [](const Point& point) { return point.absorption - point.fission - point.capture; };
  const double low = other(points_[xs.index]), high = other(points_[xs.index + 1]);
  const double smooth = std::fmax(0.0, low + xs.fraction * (high - low));
  double sum = 0, weights = 0;
  for (const auto& [table, weight] : unresolved_) {
    weights += weight;
    if (table->other_absorption >= 0) sum += weight * smooth;
  }
  return sum / weights;
}

void Nuclide::apply_unresolved(Energy e, double xi, MicroXs& xs) const noexcept {
  const Point &low = points_[xs.index], &high = points_[xs.index + 1];
  const double capture = low.capture + xs.fraction * (high.capture - low.capture);
  const double nu = xs.fission > 0 ? xs.nu_fission / xs.fission : data_->nu(e.eV());
  const double q = data_->fission.empty() ? 0 : data_->fission[0].q_value;
  MicroXs sum;
  double weights = 0;
  for (const auto& [table, weight] : unresolved_) {
    ProbabilityTable::Values values = table->at(e.eV(), xi);
    if (table->factors) {
      values.elastic *= xs.elastic;
      values.fission *= xs.fission;
      values.capture *= capture;
    }
    weights += weight;
    sum.elastic += weight * values.elastic;
    sum.fission += weight * values.fission;
    sum.absorption += weight * (values.fission + values.capture);
    sum.total += weight * competing(*table, xs);
  }
  xs.elastic = sum.elastic / weights;
  xs.fission = sum.fission / weights;
  xs.absorption = sum.absorption / weights + other_absorption_of_bands(xs);
  xs.total = sum.total / weights + xs.elastic + xs.absorption;
  xs.nu_fission = nu * xs.fission;
  xs.kappa_fission = q * xs.fission;
}

/// Upper bound of value(smooth cross sections), which are linear between points, over the energies [a, b].
template <typename Value>
double Nuclide::largest(Energy a, Energy b, const Value& value) const noexcept {
  double most = std::fmax(value(smooth(a)), value(smooth(b)));
  for (std::size_t i = index_.find(&points_[0].energy, a.eV()) + 1;
       i < points_.size() && points_[i].energy <= b.eV(); ++i) {
    const Point& point = points_[i];
    MicroXs xs;
    xs.total = point.total, xs.elastic = point.elastic, xs.absorption = point.absorption;
    xs.fission = point.fission;
    xs.index = std::min(i, points_.size() - 2), xs.fraction = xs.index == i ? 0 : 1;
    most = std::fmax(most, value(xs));
  }
  return most;
}

double Nuclide::most_between(Energy a, Energy b, double elastic_share) const noexcept {
  return largest(a, b, [&](const MicroXs& xs) { return xs.total - elastic_share * xs.elastic; });
}

double Nuclide::most_unresolved_between(Energy a, Energy b) const noexcept {
  const auto capture = [&](const MicroXs& xs) {
    const Point &low = points_[xs.index], &high = points_[xs.index + 1];
    return low.capture + xs.fraction * (high.capture - low.capture);
  };
  double sum = 0, weights = 0;
  for (const auto& [table, weight] : unresolved_) {
    ProbabilityTable::Values most = table->most_between(a.eV(), b.eV());
    if (table->factors) {
      most.elastic *= largest(a, b, [](const MicroXs& xs) { return xs.elastic; });
      most.fission *= largest(a, b, [](const MicroXs& xs) { return xs.fission; });
      most.capture *= largest(a, b, capture);
    }
    double beside = largest(a, b, [&](const MicroXs& xs) { return competing(*table, xs); });
    if (table->other_absorption >= 0)
      beside += largest(
          a, b, [&](const MicroXs& xs) { return std::fmax(0.0, xs.absorption - xs.fission - capture(xs)); });
    weights += weight;
    sum += weight * (most.elastic + most.fission + most.capture + beside);
  }
  return sum / weights;
}

int Nuclide::tallied_index(int mt) const noexcept {
  const auto found = std::find(data_->tallied.begin(), data_->tallied.end(), mt);
  return found == data_->tallied.end() ? -1 : static_cast<int>(found - data_->tallied.begin());
}

const NeutronReaction* Nuclide::sample_scattering(const MicroXs& xs, Stream& random) const noexcept {
  double sum = 0;
  for (const ReactionValues& reaction : scattering_) sum += reaction.at(xs.index, xs.fraction);
  if (!(sum > 0)) return nullptr;
  double rest = random.uniform() * sum;
  const NeutronReaction* last = nullptr;
  for (std::size_t r = 0; r < scattering_.size(); ++r) {
    const double value = scattering_[r].at(xs.index, xs.fraction);
    if (!(value > 0)) continue;
    last = &data_->scattering[r];
    if (rest < value) break;
    rest -= value;
  }
  return last;
}

const NeutronReaction& Nuclide::sample_fission(const MicroXs& xs, Stream& random) const noexcept {
  if (fission_.size() == 1) return data_->fission[0];
  double sum = 0;
  for (const ReactionValues& reaction : fission_) sum += reaction.at(xs.index, xs.fraction);
  double rest = random.uniform() * sum;
  for (std::size_t r = 0; r + 1 < fission_.size(); ++r) {
    rest -= fission_[r].at(xs.index, xs.fraction);
    if (rest < 0) return data_->fission[r];
  }
  return data_->fission.back();
}

std::vector<Nuclide::Share> choose_temperatures(const std::vector<double>& kTs, double wanted,
                                                bool interpolate, double tolerance, const std::string& what) {
  const auto kelvin = [](double kT) { return kT / boltzmann_eV_per_K; };
  std::size_t nearest = 0, below = kTs.size(), above = kTs.size();
  for (std::size_t i = 0; i < kTs.size(); ++i) {
    const double t = kelvin(kTs[i]);
    if (std::fabs(t - wanted) < std::fabs(kelvin(kTs[nearest]) - wanted)) nearest = i;
    if (t <= wanted && (below == kTs.size() || t > kelvin(kTs[below]))) below = i;
    if (t >= wanted && (above == kTs.size() || t < kelvin(kTs[above]))) above = i;
  }
  const double distance = std::fabs(kelvin(kTs[nearest]) - wanted);
  if (interpolate && below < kTs.size() && above < kTs.size() && below != above) {
    const double f = (wanted - kelvin(kTs[below])) / (kelvin(kTs[above]) - kelvin(kTs[below]));
    return {{below, 1 - f}, {above, f}};
  }
  check_input(distance <= tolerance,
              what + " has no data within " + std::to_string(static_cast<int>(tolerance)) + " K of " +
                  std::to_string(wanted) + " K (the nearest are for " + std::to_string(kelvin(kTs[nearest])) +
                  " K); choose another temperature or raise temperature_tolerance");
  return {{nearest, 1}};
}

}  // namespace taihu::neutron
