// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/nuclide/kinematics.h"

#include <algorithm>
#include <numbers>

namespace taihu::neutron {
namespace {

/// Velocity of the nucleus that is hit, in units where a neutron of 1 eV has speed 1. Density: Maxwellian
/// times relative speed.
Vector sample_target(const Flight& in, double awr, double kT, Stream& random) noexcept {
  const double beta_neutron = std::sqrt(awr * in.energy.eV() / kT);
  const double alpha = 1 / (1 + 0.5 * std::sqrt(std::numbers::pi) * beta_neutron);
  for (;;) {
    // Speed from one of the two terms that bound the relative speed, squared and in units of sqrt(2 kT / M).
    double square = random.exponential();
    if (random.uniform() < alpha) {
      square += random.exponential();
    } else {
      const double c = std::cos(0.5 * std::numbers::pi * random.uniform());
      square += random.exponential() * c * c;
    }
    const double beta_target = std::sqrt(square), mu = 2 * random.uniform() - 1;
    const double relative =
        std::sqrt(std::max(0.0, beta_neutron * beta_neutron + square - 2 * beta_neutron * beta_target * mu));
    if (random.uniform() * (beta_neutron + beta_target) < relative)
      return std::sqrt(square * kT / awr) * scattered(in.u, mu, random);
  }
}

/// Elastic scattering by a nucleus with the velocity `target`.
Flight scatter_from(const Vector& target, const Flight& in, double awr, const AngleTable& angle,
                    Stream& random) noexcept {
  Vector neutron = std::sqrt(in.energy.eV()) * in.u;
  const Vector centre = 1 / (awr + 1) * (neutron + awr * target);
  neutron -= centre;
  const double speed = length(neutron), mu = angle.sample(in.energy.eV(), random);
  if (speed > 0) neutron = centre + speed * scattered(1 / speed * neutron, mu, random);
  const double after = length(neutron);
  if (!(after > 0)) return {Energy{}, in.u};
  return {Energy(after * after), 1 / after * neutron};
}

// CODATA 2018: speed of light [cm/s], mass of a neutron [eV].
constexpr double light_cm_per_s = 2.99792458e10, neutron_mass_eV = 939.56542052e6;

}  // namespace

double speed(Energy energy) noexcept {
  const double e = energy.eV();
  return light_cm_per_s * std::sqrt(e * (e + 2 * neutron_mass_eV)) / (e + neutron_mass_eV);
}

Flight scatter_elastically(const Flight& in, double awr, Energy kT, const AngleTable& angle,
                           Stream& random) noexcept {
  Vector target{};
  if (kT > Energy{} && (in.energy.eV() < 400 * kT.eV() || awr <= 1))
    target = sample_target(in, awr, kT.eV(), random);
  return scatter_from(target, in, awr, angle, random);
}

Flight scatter_resonantly(const Flight& in, double awr, Energy temperature, const AngleTable& angle,
                          const ColdElastic& cold, Stream& random) noexcept {
  const double kT = temperature.eV();
  if (in.energy < cold.least || !(kT > 0)) return scatter_elastically(in, awr, temperature, angle, random);
  if (in.energy > cold.most) return scatter_from({}, in, awr, angle, random);
  // Nuclei faster than 4 thermal speeds are too few to count.
  const double reduced = std::sqrt(awr * in.energy.eV() / kT), slowest = std::max(0.0, reduced - 4);
  const double low = slowest * slowest * kT / awr, high = (reduced + 4) * (reduced + 4) * kT / awr;
  const auto index = [&](double e) {
    const auto above = std::upper_bound(cold.energy.begin() + 1, cold.energy.end() - 1, e);
    return static_cast<std::size_t>(above - cold.energy.begin()) - 1;
  };
  const auto at = [&](double e) {
    const std::size_t i = index(e);
    const double f = std::clamp((e - cold.energy[i]) / (cold.energy[i + 1] - cold.energy[i]), 0.0, 1.0);
    return cold.elastic[i] + f * (cold.elastic[i + 1] - cold.elastic[i]);
  };
  const std::size_t first = index(low), last = index(high);
  double most = std::max(at(low), at(high));
  for (std::size_t i = first + 1; i <= last; ++i) most = std::max(most, cold.elastic[i]);
  const Vector neutron = std::sqrt(in.energy.eV()) * in.u;
  for (;;) {
    const Vector target = sample_target(in, awr, kT, random), relative = neutron - target;
    const double energy = dot(relative, relative);
    if (energy < high && random.uniform() * most <= at(energy))
      return scatter_from(target, in, awr, angle, random);
  }
}

void to_laboratory(Energy before, double awr, double& energy, double& mu) noexcept {
  const double incident = before.eV();
  const double in_centre = energy;
  energy = std::max(0.0, in_centre + (incident + 2 * mu * (awr + 1) * std::sqrt(incident * in_centre)) /
                                         ((awr + 1) * (awr + 1)));
  if (!(energy > 0)) return;
  mu = mu * std::sqrt(in_centre / energy) + std::sqrt(incident / energy) / (awr + 1);
  mu = std::clamp(mu, -1.0, 1.0);
}

}  // namespace taihu::neutron
