// SPDX-License-Identifier: Apache-2.0
// The bound of the cross sections of media whose nuclides have points at random energies.
#include "taihu/neutron/nuclide/majorant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "taihu/neutron/nuclide/random_nuclides_for_tests.h"

namespace taihu::neutron {
namespace {

/// All points of all nuclides, and energies just below and above each.
std::vector<double> energies_around_points(const NuclearData& data) {
  std::vector<double> energies;
  for (const Nuclide& nuclide : data.nuclides)
    for (const double e : nuclide.grid())
      for (const double near : {std::nextafter(e, 0), e, std::nextafter(e, random_nuclides::most_eV)})
        energies.push_back(std::clamp(near, random_nuclides::least_eV, random_nuclides::most_eV));
  return energies;
}

TEST(Majorant, IsAboveAllMediaAtAllPointsOfRandomGrids) {
  for (std::uint64_t number = 1; number <= 20; ++number) {
    const NuclearData data = random_nuclides::data(number);
    const Majorant majorant(data, parallel::Team(1));
    Stream random(number, StreamUse::source, 0, 0);
    std::vector<double> energies = energies_around_points(data);
    for (int i = 0; i < 2000; ++i) energies.push_back(random_nuclides::energy(random));
    for (const double e : energies)
      for (int medium = 0; medium < data.media(); ++medium) {
        MacroXs xs;
        data.look_up(MediumId(medium), Energy(e), random.next(), xs);
        ASSERT_GE(majorant.at(Energy(e)), xs[static_cast<int>(Reaction::total)]) << number << ", " << e;
      }
  }
}

/// Outside the bands a bound of bins is the largest value at their edges and at the points between.
TEST(Majorant, TheBoundOfANuclideIsItsLargestValue) {
  const NuclearData data = random_nuclides::data(3);
  Stream random(7, StreamUse::source, 0, 0);
  for (int nuclide = 1; nuclide < random_nuclides::count; nuclide += 2) {
    MediumPart part;
    part.nuclide = NuclideId(nuclide);
    const std::vector<double> points = energies_around_points(data);
    std::vector<double> edges{random_nuclides::least_eV, random_nuclides::least_eV, random_nuclides::most_eV,
                              random_nuclides::most_eV};
    for (int i = 0; i < 300; ++i) edges.push_back(random_nuclides::energy(random));
    for (int i = 0; i < 100; ++i) edges.push_back(points[static_cast<std::size_t>(random.uniform() * 900)]);
    std::sort(edges.begin(), edges.end());
    std::vector<double> most(edges.size() - 1);
    data.most_between(part, edges, most);
    for (std::size_t bin = 0; bin < most.size(); ++bin) {
      double largest = 0;
      const auto look_at = [&](double e) {
        largest = std::max(largest, data.micro(part, Energy(e), 0).total);
      };
      look_at(edges[bin]), look_at(edges[bin + 1]);
      for (const double e : points)
        if (e >= edges[bin] && e <= edges[bin + 1]) look_at(e);
      ASSERT_GE(most[bin], largest) << edges[bin];
      // Where a point is there twice, the lower one counts up to it, and a bin may begin there.
      ASSERT_LE(most[bin], largest * (1 + 1e-4)) << edges[bin];
    }
  }
}

TEST(Majorant, IsTheSameForAnyThreads) {
  const NuclearData data = random_nuclides::data(5);
  const Majorant alone(data, parallel::Team(1)), shared(data, parallel::Team(3));
  EXPECT_EQ(alone.bins(), shared.bins());
  for (const double e : energies_around_points(data)) ASSERT_EQ(alone.at(Energy(e)), shared.at(Energy(e)));
}

}  // namespace
}  // namespace taihu::neutron
