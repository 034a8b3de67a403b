// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/nuclide/distribution_table.h"

#include <algorithm>
#include <limits>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

constexpr double rounding_of_points = 1e-3;

}  // namespace

void TabulatedDistribution::check(const std::string& what) {
  check_input(!x.empty() && x.size() == p.size() && x.size() == c.size(),
              what + ": a distribution needs as many densities as points");
  check_input(lines >= 0 && static_cast<std::size_t>(lines) <= x.size(),
              what + ": a distribution has more discrete values than points");
  for (std::size_t i = 0; i < x.size(); ++i)
    check_input(std::fabs(x[i]) < 1e100 && p[i] >= 0 && p[i] < 1e100 && std::fabs(c[i]) < 1e100 &&
                    (i == 0 || c[i] >= c[i - 1] - 1e-9),
                what + ": a distribution is negative, beyond 1e100 or its sums do not rise");
  // The last points of some evaluations are rounded to below those before them.
  for (std::size_t i = lines + 1; i < x.size(); ++i)
    if (x[i] < x[i - 1] && x[i] > x[i - 1] * (1 - rounding_of_points)) x[i] = x[i - 1];
  check_input(std::is_sorted(x.begin() + lines, x.end()),
              what + ": the points of a distribution have to rise");
  // Sums in libraries are rounded: make them rise, and end with one.
  for (std::size_t i = 1; i < c.size(); ++i) c[i] = std::max(c[i], c[i - 1]);
  const double total = c.back();
  if (static_cast<std::size_t>(lines) < x.size() && x.size() - lines > 1)
    check_input(total > 0, what + ": a distribution is zero everywhere");
  if (total > 0)
    for (std::size_t i = 0; i < c.size(); ++i) c[i] /= total, p[i] /= total;
}

bool TabulatedDistribution::is_even() const {
  return lines == 0 && x == std::vector{-1.0, 1.0} && p == std::vector{0.5, 0.5} &&
         c == std::vector{0.0, 1.0};
}

double TabulatedDistribution::sample(Stream& random, int& bin) const noexcept {
  const double xi = random.uniform();
  for (bin = 0; bin < lines; ++bin)
    if (xi < c[bin]) return x[bin];
  const int last = static_cast<int>(x.size()) - 1;
  if (lines > last) return bin = last, x[last];
  // The interval whose sums enclose xi.
  const auto above = std::upper_bound(c.begin() + lines, c.end(), xi) - c.begin();
  bin = std::clamp(static_cast<int>(above) - 1, lines, std::max(lines, last - 1));
  if (bin == last) return x[last];
  const double rest = std::max(0.0, xi - c[bin]), width = x[bin + 1] - x[bin];
  if (histogram) return p[bin] > 0 ? x[bin] + std::min(width, rest / p[bin]) : x[bin];
  const double slope = width > 0 ? (p[bin + 1] - p[bin]) / width : 0;
  // rest = p s + slope s^2 / 2, solved without cancellation.
  const double root = std::sqrt(std::max(0.0, p[bin] * p[bin] + 2 * slope * rest));
  const double step = p[bin] + root > 0 ? 2 * rest / (p[bin] + root) : 0;
  return x[bin] + std::min(width, step);
}

void IncidentGrid::check(const std::string& what) const {
  check_input(
      !energy.empty() && std::is_sorted(energy.begin(), energy.end()) &&
          std::all_of(energy.begin(), energy.end(), [](double e) { return e >= 0 && std::isfinite(e); }),
      what + ": incident energies have to rise, from 0 on");
}

std::size_t find_interval(const std::vector<double>& grid, double e, double& fraction) noexcept {
  fraction = 0;
  if (grid.size() < 2 || e <= grid.front()) return 0;
  if (e >= grid.back()) return fraction = 1, grid.size() - 2;
  const std::size_t i = std::upper_bound(grid.begin(), grid.end(), e) - grid.begin() - 1;
  fraction = (e - grid[i]) / (grid[i + 1] - grid[i]);
  return i;
}

void IncidentGrid::index_energies() {
  if (energy.size() > 1 && energy.front() > 0) index = EnergyIndex(energy.data(), energy.size());
}

std::size_t IncidentGrid::find(double e, double& fraction) const noexcept {
  std::size_t i;
  if (!index.empty() && e > energy.front() && e < energy.back()) {
    i = index.find(energy.data(), e);
    fraction = (e - energy[i]) / (energy[i + 1] - energy[i]);
  } else {
    i = find_interval(energy, e, fraction);
  }
  if (i < histogram.size() && histogram[i]) fraction = 0;
  return i;
}

void AngleTable::find_isotropic() {
  const auto other = std::ranges::find_if_not(tables, &TabulatedDistribution::is_even);
  const auto even = static_cast<std::size_t>(other - tables.begin());
  isotropic_below = even == 0               ? 0
                    : even == tables.size() ? std::numeric_limits<double>::infinity()
                                            : grid.energy[even - 1];
}

double AngleTable::sample(double energy, Stream& random) const noexcept {
  if (tables.empty()) return 2 * random.uniform() - 1;
  if (energy < isotropic_below) {
    random.next();  // which of two tables
    return 2 * random.uniform() - 1;
  }
  double fraction;
  std::size_t i = grid.find(energy, fraction);
  if (fraction > random.uniform()) ++i;
  return std::clamp(tables[i].sample(random), -1.0, 1.0);
}

EnergyTable::Sample EnergyTable::sample(double energy, Stream& random) const noexcept {
  double fraction;
  const std::size_t i = grid.find(energy, fraction);
  Sample result;
  result.table = fraction > random.uniform() ? i + 1 : i;
  const TabulatedDistribution& table = tables[result.table];
  result.unmoved = result.energy = table.sample(random, result.bin);
  const bool steps = i < grid.histogram.size() && grid.histogram[i];
  if (tables.size() < 2 || steps || result.bin < table.lines) return result;
  const TabulatedDistribution &low = tables[i], &high = tables[i + 1];
  if (static_cast<std::size_t>(low.lines) >= low.x.size() ||
      static_cast<std::size_t>(high.lines) >= high.x.size())
    return result;
  const double first = low.x[low.lines] + fraction * (high.x[high.lines] - low.x[low.lines]);
  const double last = low.x.back() + fraction * (high.x.back() - low.x.back());
  const double from = table.x[table.lines], to = table.x.back();
  if (to > from) result.energy = first + (result.unmoved - from) * (last - first) / (to - from);
  return result;
}

}  // namespace taihu::neutron
