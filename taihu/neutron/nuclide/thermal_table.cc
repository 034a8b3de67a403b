// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/nuclide/thermal_table.h"

#include <algorithm>

namespace taihu::neutron {

double BraggEdges::cross_section(double e) const noexcept {
  if (energy.empty() || e < energy.front()) return 0;
  const std::size_t i = std::upper_bound(energy.begin(), energy.end(), e) - energy.begin() - 1;
  return strength[i] / e;
}

/// The cross section falls between edges.
double BraggEdges::most_between(double a, double b) const noexcept {
  double most = cross_section(a);
  for (auto edge = std::upper_bound(energy.begin(), energy.end(), a); edge != energy.end() && *edge <= b;
       ++edge)
    most = std::fmax(most, cross_section(*edge));
  return most;
}

double BraggEdges::sample_mu(double e, Stream& random) const noexcept {
  const std::size_t edges = std::upper_bound(energy.begin(), energy.end(), e) - energy.begin();
  if (edges == 0) return 1;
  const double wanted = random.uniform() * strength[edges - 1];
  const auto end = strength.begin() + static_cast<std::ptrdiff_t>(edges) - 1;
  const std::size_t edge = std::upper_bound(strength.begin(), end, wanted) - strength.begin();
  return 1 - 2 * energy[edge] / e;
}

/// Incoherent elastic: bound / 2 * (1 - exp(-4 E W)) / (2 E W).
double ThermalElastic::formula(double e) const noexcept {
  const double x = 4 * e * debye_waller;
  return x > 1e-12 ? bound * -std::expm1(-x) / x : bound;
}

double ThermalElastic::cross_section(double e) const noexcept {
  return bragg.cross_section(e) + formula(e) + (table.is_table() ? table(e) : 0);
}

double ThermalElastic::sample_mu(double e, Stream& random) const noexcept {
  double rest = random.uniform() * cross_section(e);
  const double coherent = bragg.cross_section(e);
  if (rest < coherent) return bragg.sample_mu(e, random);
  rest -= coherent;
  if (bound > 0 && (rest < formula(e) || !table.is_table())) {
    // Density proportional to exp(2 E W mu).
    const double c = 2 * e * debye_waller, xi = random.uniform();
    return c > 1e-6 ? std::clamp(1 + std::log(xi + (1 - xi) * std::exp(-2 * c)) / c, -1.0, 1.0) : 2 * xi - 1;
  }
  if (cosines.empty()) return 2 * random.uniform() - 1;
  const std::vector<double>& x = table.x();
  double f;
  const std::size_t i = find_interval(x, e, f), next = std::min(i + 1, x.size() - 1);
  const int count = static_cast<int>(cosines[i].size());
  const int which = std::min(count - 1, static_cast<int>(random.uniform() * count));
  const std::vector<double>&low = cosines[i], &high = cosines[next];
  return low[which] + f * (high[which] - low[which]);
}

DiscreteInelastic::DiscreteInelastic(std::vector<double> incident, int energies, int cosines, bool skewed,
                                     std::vector<double> energy, std::vector<double> mu)
    : grid_{.energy = std::move(incident), .histogram = {}, .index = {}},
      energies_(energies),
      cosines_(cosines),
      skewed_(skewed && energies > 4),
      energy_(std::move(energy)),
      mu_(std::move(mu)) {
  grid_.index_energies();
}

Outgoing DiscreteInelastic::sample(double energy, Stream& random) const noexcept {
  double f;
  const std::size_t i = grid_.find(energy, f), next = std::min(i + 1, grid_.energy.size() - 1);
  int j;
  if (!skewed_) {
    j = std::min(energies_ - 1, static_cast<int>(random.uniform() * energies_));
  } else {
    const double r = random.uniform() * (energies_ - 3);
    j = r < 0.1               ? 0
        : r < 0.5             ? 1
        : r > energies_ - 3.1 ? energies_ - 1
        : r > energies_ - 3.5 ? energies_ - 2
                              : std::min(energies_ - 3, static_cast<int>(r - 0.5) + 2);
  }
  const std::size_t low = i * energies_ + j, high = next * energies_ + j;
  const std::size_t k = std::min(cosines_ - 1, static_cast<int>(random.uniform() * cosines_));
  const double mu_low = mu_[low * cosines_ + k], mu_high = mu_[high * cosines_ + k];
  return {energy_[low] + f * (energy_[high] - energy_[low]), mu_low + f * (mu_high - mu_low)};
}

ContinuousInelastic::ContinuousInelastic(EnergyTable energy,
                                         const std::vector<std::vector<std::vector<double>>>& mu)
    : energy_(std::move(energy)), cosines_(mu.empty() || mu[0].empty() ? 0 : mu[0][0].size()) {
  energy_.grid.index_energies();
  std::size_t points = 0;
  for (const std::vector<std::vector<double>>& of_table : mu) {
    first_.push_back(points);
    points += of_table.size();
    for (const std::vector<double>& of_point : of_table)
      mu_.insert(mu_.end(), of_point.begin(), of_point.end());
  }
}

Outgoing ContinuousInelastic::sample(double energy, Stream& random) const noexcept {
  double f;
  std::size_t i = energy_.grid.find(energy, f);
  if (f > random.uniform()) ++i;
  const TabulatedDistribution& table = energy_.tables[i];
  int bin;
  double out = table.sample(random, bin);
  const std::size_t next = std::min<std::size_t>(bin + 1, table.x.size() - 1);
  const double width = table.x[next] - table.x[bin], g = width > 0 ? (out - table.x[bin]) / width : 0;
  // Outgoing energies below half of the table's incident energy scale with it; those above keep their
  // distance from it.
  const double incident = energy_.grid.energy[i];
  out = out < 0.5 * incident ? out * std::max(0.0, 2 * energy / incident - 1) : out + energy - incident;
  const double *const low = mu_.data() + (first_[i] + bin) * cosines_, *const high =
                                                                           mu_.data() +
                                                                           (first_[i] + next) * cosines_;
  const int count = static_cast<int>(cosines_);
  const int k = std::min(count - 1, static_cast<int>(random.uniform() * count));
  const auto between = [&](int which) { return low[which] + g * (high[which] - low[which]); };
  const double mu = between(k);
  const double left = k > 0 ? between(k - 1) : -2 - mu, right = k + 1 < count ? between(k + 1) : 2 - mu;
  const double spread = mu + std::min(mu - left, right - mu) * (random.uniform() - 0.5);
  return {std::max(out, 0.0), std::clamp(spread, -1.0, 1.0)};
}

}  // namespace taihu::neutron
