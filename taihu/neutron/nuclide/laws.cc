// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/nuclide/laws.h"

#include <numbers>

namespace taihu::neutron {
namespace {

/// Nearly all of a spectrum may lie above the cut-off: then the energy is the cut-off.
constexpr int most_rejections = 10000;

double sample_evaporation(double theta, double most, Stream& random) noexcept {
  const double y = most / theta, v = -std::expm1(-y);
  for (int i = 0; i < most_rejections; ++i) {
    const double x = -std::log((1 - v * random.uniform()) * (1 - v * random.uniform()));
    if (x <= y) return x * theta;
  }
  return most;
}

}  // namespace

double sample_maxwell(double theta, Stream& random) noexcept {
  const double quarter = std::cos(0.5 * std::numbers::pi * random.uniform());
  return theta * (random.exponential() + random.exponential() * quarter * quarter);
}

double sample_watt(double a, double b, Stream& random) noexcept {
  // A Maxwell spectrum in a frame that moves: E = w + a^2 b / 4 + (2 xi - 1) sqrt(a^2 b w).
  const double w = sample_maxwell(a, random);
  return w + 0.25 * a * a * b + (2 * random.uniform() - 1) * std::sqrt(a * a * b * w);
}

double SpectrumLaw::sample(double energy, Stream& random) const noexcept {
  const double a = a_(energy), most = energy - restriction_;
  if (!(most > 0) || !(a > 0)) return 0;
  if (kind_ == Kind::evaporation) return sample_evaporation(a, most, random);
  for (int i = 0; i < most_rejections; ++i) {
    const double e = kind_ == Kind::maxwell ? sample_maxwell(a, random) : sample_watt(a, b_(energy), random);
    if (e <= most) return e;
  }
  return most;
}

Outgoing UncorrelatedLaw::sample(double energy, Stream& random) const noexcept {
  const double mu = angle_.sample(energy, random);
  return {energy_ ? energy_->sample(energy, random) : energy, mu};
}

Outgoing CorrelatedLaw::sample(double energy, Stream& random) const noexcept {
  const EnergyTable::Sample s = energy_.sample(energy, random);
  const TabulatedDistribution& table = energy_.tables[s.table];
  std::size_t point = s.bin;
  // The cosines of the nearer point.
  if (s.bin >= table.lines && point + 1 < table.x.size() && !table.histogram &&
      s.unmoved - table.x[point] > table.x[point + 1] - s.unmoved)
    ++point;
  const TabulatedDistribution& angle = angles_[s.table][point];
  return {s.energy, angle.x.empty() ? 2 * random.uniform() - 1 : std::clamp(angle.sample(random), -1.0, 1.0)};
}

Outgoing KalbachLaw::sample(double energy, Stream& random) const noexcept {
  const EnergyTable::Sample s = energy_.sample(energy, random);
  const TabulatedDistribution& table = energy_.tables[s.table];
  const std::size_t bin = s.bin;
  double r = r_[s.table][bin], a = a_[s.table][bin];
  if (s.bin >= table.lines && !table.histogram && bin + 1 < table.x.size() &&
      table.x[bin + 1] > table.x[bin]) {
    const double f = (s.unmoved - table.x[bin]) / (table.x[bin + 1] - table.x[bin]);
    r += f * (r_[s.table][bin + 1] - r);
    a += f * (a_[s.table][bin + 1] - a);
  }
  const double xi = random.uniform();
  double mu = 2 * xi - 1;
  if (a > 1e-3) {
    // a cosh(a mu) / (2 sinh a) for the equilibrium part, a exp(a mu) / (2 sinh a) for the other one.
    mu = random.uniform() > r ? std::asinh((2 * xi - 1) * std::sinh(a)) / a
                              : std::log(xi * std::exp(a) + (1 - xi) * std::exp(-a)) / a;
  }
  return {s.energy, std::clamp(mu, -1.0, 1.0)};
}

Outgoing PhaseSpaceLaw::sample(double energy, Stream& random) const noexcept {
  const double most = (total_mass_ - 1) / total_mass_ * (awr_ / (awr_ + 1) * energy + q_);
  const double x = sample_maxwell(1, random);
  double y;
  if (bodies_ == 3) {
    y = sample_maxwell(1, random);
  } else {
    y = random.exponential() + random.exponential() + random.exponential();
    if (bodies_ == 5) {
      const double c = std::cos(0.5 * std::numbers::pi * random.uniform());
      y += random.exponential() + random.exponential() * c * c;
    }
  }
  return {std::fmax(0.0, most * x / (x + y)), 2 * random.uniform() - 1};
}

Outgoing MixedLaw::sample(double energy, Stream& random) const noexcept {
  double rest = random.uniform();
  std::size_t i = 0;
  while (i + 1 < parts_.size() && rest >= parts_[i].probability(energy))
    rest -= parts_[i++].probability(energy);
  return parts_[i].law->sample(energy, random);
}

}  // namespace taihu::neutron
