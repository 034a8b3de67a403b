// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/tally/filter_weights.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "taihu/neutron/tally/expansion.h"

namespace taihu::neutron {
namespace {

/// The polynomial of a degree through the points from the interval's first one on, with a cubic from the one
/// before; the last points where they end, as OpenMC has it. Lagrange's form.
double through_neighbours(const std::vector<double>& x, const std::vector<double>& y, std::ptrdiff_t interval,
                          int degree, double at) noexcept {
  const auto last = static_cast<std::ptrdiff_t>(x.size()) - 1 - degree;
  const std::ptrdiff_t first = std::clamp<std::ptrdiff_t>(degree == 3 ? interval - 1 : interval, 0, last);
  double sum = 0;
  for (int i = 0; i <= degree; ++i) {
    double term = y[first + i];
    for (int j = 0; j <= degree; ++j)
      if (j != i) term *= (at - x[first + j]) / (x[first + i] - x[first + j]);
    sum += term;
  }
  return sum;
}

}  // namespace

double weight_of(const TallyLayout::CompiledTally& tally, const Event& event) noexcept {
  double weight = 1;
  for (const int index : tally.weights) {
    const Filter& filter = *tally.filters[index].source;
    const std::vector<double>&x = filter.energies, &y = filter.factors;
    const double energy = event.energy.eV();
    const auto above = std::upper_bound(x.begin() + 1, x.end() - 1, energy) - x.begin();
    if (filter.degree > 1) {
      weight *= through_neighbours(x, y, above - 1, filter.degree, energy);
      continue;
    }
    weight *= interpolate(filter.interpolation, energy, x[above - 1], y[above - 1], x[above], y[above]);
  }
  return weight;
}

void moments_of(const Filter& filter, const Event& event, std::span<double> values) noexcept {
  const Vector& u = event.location->levels[0].u;
  const double mu = event.emission == nullptr ? 1 : event.emission->mu;
  switch (filter.type) {
    case FilterType::sphericalharmonics: {
      harmonic_moments(filter.order, u, values);
      if (!filter.of_scattering) return;
      std::array<double, most_harmonic_order + 1> weights;
      legendre_moments(mu, std::span(weights).first(filter.order + 1));
      for (int l = 0, i = 0; l <= filter.order; ++l)
        for (int m = -l; m <= l; ++m) values[i++] *= weights[l];
      return;
    }
    case FilterType::spatiallegendre:
      return legendre_moments(2 * (event.r[filter.axis] - filter.low) / (filter.high - filter.low) - 1,
                              values);
    case FilterType::zernike:
    case FilterType::zernikeradial: {
      const double x = event.r.x - filter.centre.x, y = event.r.y - filter.centre.y;
      return zernike_moments(filter.order, std::hypot(x, y) / filter.radius, std::atan2(y, x),
                             filter.type == FilterType::zernikeradial, values);
    }
    default:
      return legendre_moments(mu, values);
  }
}

}  // namespace taihu::neutron
