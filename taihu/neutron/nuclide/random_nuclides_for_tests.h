// SPDX-License-Identifier: Apache-2.0
// Nuclides with points at random energies and random cross sections there, without libraries.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "taihu/neutron/nuclide/nuclear_data.h"

namespace taihu::neutron::random_nuclides {

constexpr double least_eV = 1e-5, most_eV = 2e7;
constexpr int count = 7;
/// Reactions for tallies; heating is among them.
constexpr int reactions[] = {16, 103, 301};

/// Evenly distributed logarithms.
inline double between(double low, double high, Stream& random) {
  return low * std::exp(random.uniform() * std::log(high / low));
}

inline double energy(Stream& random) {
  return std::clamp(between(least_eV, most_eV, random), least_eV, most_eV);
}

/// Energies at any distance, in heaps as at resonances, some of them twice.
inline std::vector<double> grid(Stream& random) {
  std::vector<double> points{least_eV, most_eV};
  const int heaps = 1 + static_cast<int>(random.uniform() * 8);
  for (int heap = 0; heap < heaps; ++heap) {
    const double centre = energy(random), width = between(1e-4, 1, random);
    for (int i = 0; i < 60; ++i)
      points.push_back(std::clamp(centre * (1 + width * random.uniform()), least_eV, most_eV));
    for (int i = 0; i < 20; ++i) points.push_back(energy(random));
  }
  for (int i = 0; i < 10; ++i) points.push_back(points[static_cast<std::size_t>(random.uniform() * 60) + 2]);
  std::sort(points.begin(), points.end());
  return points;
}

inline ProbabilityTable bands(Stream& random) {
  ProbabilityTable table;
  table.energy = {1e3, between(2e3, 2e4, random), 1e5};
  table.bands = 3;
  table.log_log = random.uniform() < 0.5;
  table.factors = random.uniform() < 0.5;
  for (std::size_t i = 0; i < table.energy.size(); ++i) {
    const double first = 0.5 * random.uniform();
    table.cumulative.insert(table.cumulative.end(), {first, first + 0.5 * random.uniform(), 1});
    for (int value = 0; value < table.bands * ProbabilityTable::column_count; ++value)
      table.values.push_back(between(0.1, 10, random));
  }
  return table;
}

/// For nuclides whose secondary neutrons nobody samples.
struct NoLaw final : AngleEnergyLaw {
  Outgoing sample(double energy, Stream&) const noexcept override { return {energy, 0}; }
};

/// Adds fission, with 2.5 neutrons.
inline void add_fission(NuclideData& data, Stream& random) {
  NeutronReaction fission{.mt = 18, .q_value = 2e8, .centre_of_mass = false, .products = {}};
  NeutronProduct& product = fission.products.emplace_back();
  product.yield = data.nu = Function1d::polynomial({2.5}, "test");
  product.law = std::make_unique<NoLaw>();
  data.fission.push_back(std::move(fission));
  NuclideData::AtTemperature& at = data.temperatures[0];
  ReactionValues& values = at.fission.emplace_back();
  for (std::size_t i = 0; i < at.energy.size(); ++i) values.values.push_back(between(1e-3, 1e2, random));
}

/// Nuclide `number`: even ones have unresolved resonances, every third one fission, all but 1 the reactions.
inline std::unique_ptr<NuclideData> nuclide(int number, Stream& random) {
  auto data = std::make_unique<NuclideData>();
  data->name = std::string(static_cast<std::size_t>(number) + 1, 'X');
  data->awr = 10 + number;
  NuclideData::AtTemperature& at = data->temperatures.emplace_back();
  at.energy = grid(random);
  for (std::size_t i = 0; i < at.energy.size(); ++i) {
    at.elastic.push_back(between(1e-2, 1e3, random));
    at.capture.push_back(random.uniform() < 0.2 ? 0 : between(1e-3, 1e4, random));
    at.disappearance.push_back(1.5 * at.capture.back());
  }
  if (number % 2 == 0) at.unresolved = bands(random);
  if (number % 3 == 0) add_fission(*data, random);
  for (const int mt : reactions) {
    if (number == 1) continue;
    data->tallied.push_back(mt);
    ReactionValues& values = at.tallied.emplace_back();
    values.first = static_cast<std::size_t>(random.uniform() * static_cast<double>(at.energy.size()));
    for (std::size_t i = values.first; i < at.energy.size(); ++i)
      values.values.push_back(between(1e-3, 1e2, random));
  }
  check(*data, "test");
  return data;
}

/// Three media, two of them with a nuclide in common. Rates per atom are there for all nuclides.
inline NuclearData data(std::uint64_t number) {
  Stream random(number, StreamUse::history, 0, 0);
  NuclearData made;
  for (int i = 0; i < count; ++i) {
    made.library.push_back(nuclide(i, random));
    made.nuclides.emplace_back(*made.library.back(), std::vector<Nuclide::Share>(1), Energy(0.025));
  }
  made.finish();
  const auto part = [&](int index) {
    MediumPart one;
    one.nuclide = NuclideId(index);
    one.density = between(1e-6, 1, random);
    return one;
  };
  made.add_medium({part(0), part(1), part(2)});
  made.add_medium({part(1), part(3), part(4)}, 0);  // sums over its nuclides
  made.add_medium({part(5), part(6)});
  std::vector<MediumPart> atoms;
  for (int i = 0; i < count; ++i) {
    MediumPart& atom = atoms.emplace_back();
    atom.nuclide = NuclideId(i);
    atom.density = 1;
  }
  made.per_atom_of_medium.assign(static_cast<std::size_t>(made.media()), atoms);
  return made;
}

}  // namespace taihu::neutron::random_nuclides
