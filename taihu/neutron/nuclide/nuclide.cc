// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/nuclide/nuclide.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

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
  std::vector<std::vector<double>> grids;
  for (const Share& share : shares) grids.push_back(data_->temperatures[share.temperature].energy);
  for (const double e : union_of(std::move(grids))) points_.push_back({.energy = e});
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
  band_key_ = 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(data_->name.size()) + 1) +
              std::bit_cast<std::uint64_t>(data_->awr);
  q_fission_ = data_->fission.empty() ? 0 : data_->fission[0].q_value;
  for (Point& point : points_) {
    point.total += point.elastic + point.absorption;
    point.nu_fission = point.fission > 0 ? point.fission * data_->nu(point.energy) : 0;
    point.kappa_fission = point.fission * q_fission_;
  }
  index_ = EnergyIndex(&points_[0].energy, points_.size(), sizeof(Point) / sizeof(double));
  for (const Share& share : shares) {
    const ProbabilityTable& table = data_->temperatures[share.temperature].unresolved;
    if (table.energy.empty()) continue;
    unresolved_.push_back(bands_of(table, share.weight));
    const Energy first(table.energy.front()), last(table.energy.back());
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
}

std::vector<double> Nuclide::grid() const {
  std::vector<double> energies;
  energies.reserve(points_.size());
  for (const Point& point : points_) energies.push_back(point.energy);
  return energies;
}

MicroXs Nuclide::Walk::smooth(Energy e, bool from_below) noexcept {
  const HotVector<Point>& points = nuclide_->points_;
  if (!(e > nuclide_->energy_min())) return nuclide_->smooth_in(0, e);
  while (i_ + 2 < points.size() && points[i_ + 1].energy <= e.eV()) ++i_;
  std::size_t i = i_;
  while (from_below && i > 0 && points[i].energy >= e.eV()) --i;
  return nuclide_->smooth_in(i, e);
}

/// At an energy in an interval of the grid.
MicroXs Nuclide::smooth_in(std::size_t i, Energy energy) const noexcept {
  const double e = energy.eV();
  MicroXs xs;
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

Nuclide::Bands Nuclide::bands_of(const ProbabilityTable& table, double weight) const {
  Bands bands{.table = &table, .weight = weight, .competing = {}};
  if (table.inelastic < 0) return bands;
  for (std::size_t r = 0; r < scattering_.size(); ++r) {
    const int mt = data_->scattering[r].mt;
    const bool level = mt >= 51 && mt <= 91;
    if (table.inelastic == 0 || mt == table.inelastic || (table.inelastic == 4 && level))
      bands.competing.push_back({static_cast<int>(r), scattering_[r].first});
  }
  for (std::size_t i = bands.competing.size(); i-- > 1;)
    bands.competing[i - 1].first = std::min(bands.competing[i - 1].first, bands.competing[i].first);
  return bands;
}

double Nuclide::competing(const Bands& bands, const MicroXs& xs) const noexcept {
  double sum = 0;
  for (const auto& [reaction, first] : bands.competing) {
    if (xs.index + 1 < first) break;
    sum += scattering_[reaction].at(xs.index, xs.fraction);
  }
  return sum;
}

double Nuclide::other_absorption_of_bands(const MicroXs& xs) const noexcept {
  const auto other = [](const Point& point) { return point.absorption - point.fission - point.capture; };
  const double low = other(points_[xs.index]), high = other(points_[xs.index + 1]);
  const double smooth = std::fmax(0.0, low + xs.fraction * (high - low));
  double sum = 0, weights = 0;
  for (const Bands& bands : unresolved_) {
    weights += bands.weight;
    if (bands.table->other_absorption >= 0) sum += bands.weight * smooth;
  }
  return sum / weights;
}

void Nuclide::apply_unresolved(Energy e, std::uint64_t random, MicroXs& xs) const noexcept {
  std::uint64_t z = random + band_key_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  const double xi = static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
  const double capture = this->capture(xs);
  MicroXs sum;
  double weights = 0;
  for (const Bands& bands : unresolved_) {
    const auto& [table, weight, reactions] = bands;
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
    sum.total += weight * competing(bands, xs);
  }
  const double nu = xs.fission > 0 ? xs.nu_fission / xs.fission : sum.fission > 0 ? data_->nu(e.eV()) : 0;
  xs.elastic = sum.elastic / weights;
  xs.fission = sum.fission / weights;
  xs.absorption = sum.absorption / weights + other_absorption_of_bands(xs);
  xs.total = sum.total / weights + xs.elastic + xs.absorption;
  xs.nu_fission = nu * xs.fission;
  xs.kappa_fission = q_fission_ * xs.fission;
}

/// Upper bounds of value(smooth cross sections), which are linear between points, between each two neighbours
/// of `edges`.
template <typename Value>
void Nuclide::largest(std::span<const double> edges, const Value& value,
                      std::span<double> most) const noexcept {
  const std::size_t last = points_.size() - 2;  // interval
  std::size_t i = index_.find(&points_[0].energy, edges[0]);
  double at_edge = value(smooth_in(i, Energy(edges[0])));
  for (std::size_t bin = 0; bin < most.size(); ++bin) {
    const double end = edges[bin + 1];
    double here = at_edge;
    for (std::size_t p = i + 1; p < points_.size() && points_[p].energy <= end; ++p) {
      const Point& point = points_[p];
      MicroXs xs;
      xs.total = point.total, xs.elastic = point.elastic, xs.absorption = point.absorption;
      xs.fission = point.fission;
      i = std::min(p, last);
      xs.index = i, xs.fraction = i == p ? 0 : 1;
      here = std::max(here, value(xs));
    }
    at_edge = value(smooth_in(i, Energy(end)));
    most[bin] = std::max(here, at_edge);
  }
}

template <typename Value>
double Nuclide::largest(Energy a, Energy b, const Value& value) const noexcept {
  const double edges[] = {a.eV(), b.eV()};
  double most;
  largest(edges, value, {&most, 1});
  return most;
}

void Nuclide::most_between(std::span<const double> edges, double elastic_share,
                           std::span<double> most) const noexcept {
  if (elastic_share == 0) return largest(edges, [](const MicroXs& xs) { return xs.total; }, most);
  largest(edges, [&](const MicroXs& xs) { return xs.total - elastic_share * xs.elastic; }, most);
}

double Nuclide::most_unresolved_between(Energy a, Energy b) const noexcept {
  const auto capture = [&](const MicroXs& xs) { return this->capture(xs); };
  double sum = 0, weights = 0;
  for (const Bands& bands : unresolved_) {
    const auto& [table, weight, reactions] = bands;
    ProbabilityTable::Values most = table->most_between(a.eV(), b.eV());
    if (table->factors) {
      most.elastic *= largest(a, b, [](const MicroXs& xs) { return xs.elastic; });
      most.fission *= largest(a, b, [](const MicroXs& xs) { return xs.fission; });
      most.capture *= largest(a, b, capture);
    }
    double beside =
        reactions.empty() ? 0 : largest(a, b, [&](const MicroXs& xs) { return competing(bands, xs); });
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
