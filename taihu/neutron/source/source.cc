// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/source/source.h"

#include <algorithm>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

double sample_table(const Distribution& d, Stream& random) noexcept {
  const std::size_t last = d.x.size() - 1;
  const auto area = [&](std::size_t i) {
    return (d.x[i + 1] - d.x[i]) * (d.histogram ? d.p[i] : 0.5 * (d.p[i] + d.p[i + 1]));
  };
  double total = 0;
  for (std::size_t i = 0; i < last; ++i) total += area(i);
  double rest = random.uniform() * total;
  std::size_t bin = 0;
  while (bin + 1 < last && rest >= area(bin)) rest -= area(bin++);
  const double slope = d.histogram ? 0 : (d.p[bin + 1] - d.p[bin]) / (d.x[bin + 1] - d.x[bin]);
  const double root = std::sqrt(std::fmax(0.0, d.p[bin] * d.p[bin] + 2 * slope * rest));
  return d.x[bin] + (d.p[bin] + root > 0 ? 2 * rest / (d.p[bin] + root) : 0);
}

/// G. Marsaglia's polar method.
double sample_normal(double mean, double deviation, Stream& random) noexcept {
  for (;;) {
    const double x = 2 * random.uniform() - 1, y = 2 * random.uniform() - 1, square = x * x + y * y;
    if (square < 1 && square > 0) return mean + deviation * x * std::sqrt(-2 * std::log(square) / square);
  }
}

std::size_t sample_index(const std::vector<double>& weights, Stream& random) noexcept {
  double total = 0;
  for (const double weight : weights) total += weight;
  double rest = random.uniform() * total;
  std::size_t i = 0;
  while (i + 1 < weights.size() && rest >= weights[i]) rest -= weights[i++];
  return i;
}

double sample_discrete(const Distribution& d, Stream& random) noexcept {
  double total = 0;
  for (const double p : d.p) total += p;
  double rest = random.uniform() * total;
  for (std::size_t i = 0; i + 1 < d.x.size(); ++i) {
    if (rest < d.p[i]) return d.x[i];
    rest -= d.p[i];
  }
  return d.x.back();
}

bool in_domain(const Source& source, const Location& location) noexcept {
  const auto named = [&](int index) {
    return std::find(source.domains.begin(), source.domains.end(), index) != source.domains.end();
  };
  const Location::Level* const end = location.levels + location.depth;
  switch (source.domain) {
    case Source::Domain::everywhere:
      return true;
    case Source::Domain::material:
      return location.material && named(location.material.index());
    case Source::Domain::cell:
      return std::any_of(location.levels, end, [&](const auto& level) { return named(level.cell.index()); });
    case Source::Domain::universe:
      return std::any_of(location.levels, end,
                         [&](const auto& level) { return named(level.universe.index()); });
  }
  return false;
}

template <typename Number>
bool between(const std::array<Number, 2>& bounds, Number value) noexcept {
  return value > bounds[0] && value < bounds[1];
}

constexpr int most_attempts = 10000;  // in a row that may be rejected

}  // namespace

double Distribution::sample(Stream& random) const noexcept {
  switch (type) {
    case Type::discrete:
      return sample_discrete(*this, random);
    case Type::uniform:
      return a + (b - a) * random.uniform();
    case Type::powerlaw: {
      const double n = exponent + 1, low = std::pow(a, n), high = std::pow(b, n);
      return std::pow(low + random.uniform() * (high - low), 1 / n);
    }
    case Type::maxwell:
      return sample_maxwell(a, random);
    case Type::watt:
      return sample_watt(a, b, random);
    case Type::normal:
      return sample_normal(a, b, random);
    case Type::tabular:
      return sample_table(*this, random);
    case Type::mixture:
      return parts[sample_index(p, random)].sample(random);
  }
  return 0;
}

SourceSampler::SourceSampler(const std::vector<Source>& sources, const Geometry& geometry,
                             const CrossSections& data, const NuclearData* nuclear)
    : sources_(&sources), geometry_(&geometry), data_(&data), nuclear_(nuclear) {
  for (const Source& source : sources) total_strength_ += source.strength;
  check_input(total_strength_ > 0, "the sources have no strength");
}

Vector SourceSampler::sample_point(const Source& source, Stream& random) const noexcept {
  switch (source.space) {
    case Source::Space::point:
      return source.lower;
    case Source::Space::box: {
      const Vector size = source.upper - source.lower;
      const double x = random.uniform(), y = random.uniform(), z = random.uniform();
      return {source.lower.x + x * size.x, source.lower.y + y * size.y, source.lower.z + z * size.z};
    }
    case Source::Space::cartesian: {
      const double x = source.axes[0].sample(random), y = source.axes[1].sample(random);
      return {x, y, source.axes[2].sample(random)};
    }
    case Source::Space::cylindrical: {
      const double r = source.axes[0].sample(random), phi = source.axes[1].sample(random);
      return source.lower + Vector{r * std::cos(phi), r * std::sin(phi), source.axes[2].sample(random)};
    }
    case Source::Space::spherical: {
      const double r = source.axes[0].sample(random), mu = source.axes[1].sample(random);
      const double phi = source.axes[2].sample(random), across = r * std::sqrt(std::fmax(0.0, 1 - mu * mu));
      return source.lower + Vector{across * std::cos(phi), across * std::sin(phi), r * mu};
    }
    case Source::Space::cloud:
      return source.points[neutron::sample(source.choice, random)];
    case Source::Space::mesh:
      return source.mesh->sample_point(neutron::sample(source.choice, random), random);
  }
  return {};
}

Vector SourceSampler::sample_direction(const Source& source, Stream& random) const noexcept {
  switch (source.angle) {
    case Source::Angle::isotropic:
      return random.direction();
    case Source::Angle::monodirectional:
      return source.direction;
    case Source::Angle::polar_azimuthal: {
      const double mu = std::clamp(source.mu.sample(random), -1.0, 1.0), phi = source.phi.sample(random);
      const double side = std::sqrt(1 - mu * mu);
      const Vector third = cross(source.direction, source.across);
      return unit(mu * source.direction + side * std::cos(phi) * source.across +
                  side * std::sin(phi) * third);
    }
  }
  return {};
}

bool SourceSampler::accepted(const Source& source, const Vector& r, CellMemory& memory) const noexcept {
  Location location;
  if (!locate(*geometry_, memory, r, {0, 0, 1}, location)) return false;
  if (!in_domain(source, location)) return false;
  if (!source.only_fissionable) return true;
  if (!location.material) return false;
  if (nuclear_ != nullptr) return nuclear_->fissionable(nuclear_->medium_of(location));
  for (int g = 0; g < data_->groups(); ++g)
    if (data_->value(Reaction::nu_fission, location.material, GroupId(g)) > 0) return true;
  return false;
}

Site SourceSampler::sample(Stream& random, CellMemory& memory) const {
  double rest = random.uniform() * total_strength_;
  std::size_t which = 0;
  while (which + 1 < sources_->size() && rest >= (*sources_)[which].strength)
    rest -= (*sources_)[which++].strength;
  const Source& source = (*sources_)[which];
  if (source.sites) return sample_from_file(source, random, memory);
  if (source.of_cells.empty())
    return sample_independent(source, random, memory,
                              [&](Stream& stream) { return sample_point(source, stream); });
  const int cell = neutron::sample(source.choice, random);
  return sample_independent(source.of_cells[cell], random, memory,
                            [&](Stream& stream) { return source.mesh->sample_point(cell, stream); });
}

template <typename SamplePoint>
Site SourceSampler::sample_independent(const Source& source, Stream& random, CellMemory& memory,
                                       const SamplePoint& sample_point) const {
  Site site;
  for (int attempt = 0;; ++attempt) {
    check_input(attempt < most_attempts,
                source.place + "the source gives no point inside the model" +
                    std::string(source.only_fissionable ? " that is fissionable" : "") +
                    std::string(source.domains.empty() ? "" : " and in its <constraints>") +
                    " (10000 points were tried); correct its <space>");
    site.r = sample_point(random);
    if (accepted(source, site.r, memory)) break;
  }
  site.u = sample_direction(source, random);
  for (int attempt = 0;; ++attempt) {
    check_input(
        attempt < most_attempts,
        source.place + "the source gives no energy for which the nuclides have data; correct its <energy>");
    site.energy = Energy(source.energy.sample(random));
    if (!between(source.energy_bounds, site.energy)) continue;
    if (nuclear_ == nullptr) break;
    if (site.energy >= nuclear_->energy_min() && site.energy <= nuclear_->energy_max()) break;
  }
  if (!source.time.x.empty() || source.time.type != Distribution::Type::discrete)
    site.time = source.time.sample(random);
  if (nuclear_ == nullptr) {
    site.group = data_->group_of(site.energy);
    site.energy = Energy{};
  }
  return site;
}

Site SourceSampler::sample_from_file(const Source& source, Stream& random, CellMemory& memory) const {
  const std::vector<Site>& sites = *source.sites;
  for (int attempt = 0;; ++attempt) {
    check_input(attempt < most_attempts,
                source.place +
                    "the file of the source has no neutron inside the model that keeps its "
                    "<constraints> (10000 were tried)");
    const auto count = static_cast<double>(sites.size());
    Site site = sites[std::min(sites.size() - 1, static_cast<std::size_t>(random.uniform() * count))];
    const bool good = accepted(source, site.r, memory) && between(source.energy_bounds, site.energy) &&
                      between(source.time_bounds, site.time);
    if (!good && !source.kill_rejected) continue;
    if (!good) site.weight = 0;
    if (nuclear_ == nullptr) {
      site.group = data_->group_of(site.energy);
      site.energy = Energy{};
    }
    return site;
  }
}

}  // namespace taihu::neutron
