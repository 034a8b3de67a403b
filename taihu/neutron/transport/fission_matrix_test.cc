// SPDX-License-Identifier: Apache-2.0
// Acceleration by a fission matrix: the mode of a known matrix, the weighted comb, a core with a high
// dominance ratio, and the same bits over ranks, threads and restarts.
#include "taihu/neutron/transport/fission_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "taihu/base/error.h"
#include "taihu/neutron/output/statepoint.h"
#include "taihu/neutron/source/fission_bank.h"
#include "taihu/neutron/test_models.h"
#include "taihu/neutron/transport/simulation.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

Site site_at(double x, std::uint32_t parent = 0) {
  Site site;
  site.r = {x, 0, 0};
  site.parent = parent;
  return site;
}

/// A slab of fuel from x = 0 to 240 cm that leaks at its ends, with an entropy mesh of 24 cells. Most of the
/// source begins on one side.
Model slab(int particles, int batches, int inactive) {
  const std::string geometry =
      "<surface id=\"1\" type=\"x-plane\" coeffs=\"0\" boundary=\"vacuum\"/>"
      "<surface id=\"2\" type=\"x-plane\" coeffs=\"240\" boundary=\"vacuum\"/>"
      "<surface id=\"3\" type=\"y-plane\" coeffs=\"-5\" boundary=\"reflective\"/>"
      "<surface id=\"4\" type=\"y-plane\" coeffs=\"5\" boundary=\"reflective\"/>"
      "<surface id=\"5\" type=\"z-plane\" coeffs=\"-5\" boundary=\"reflective\"/>"
      "<surface id=\"6\" type=\"z-plane\" coeffs=\"5\" boundary=\"reflective\"/>"
      "<cell id=\"1\" material=\"1\" region=\"1 -2 3 -4 5 -6\"/>";
  const std::string settings =
      "<energy_mode>multi-group</energy_mode><run_mode>eigenvalue</run_mode><particles>" +
      std::to_string(particles) + "</particles><batches>" + std::to_string(batches) + "</batches><inactive>" +
      std::to_string(inactive) +
      "</inactive><source strength=\"7\"><space type=\"box\"><parameters>0 -5 -5 120 5 "
      "5</parameters></space></source>"
      "<source strength=\"1\"><space type=\"box\"><parameters>120 -5 -5 240 5 5</parameters></space></source>"
      "<mesh id=\"1\"><dimension>24 1 1</dimension><lower_left>0 -5 -5</lower_left><upper_right>240 5 "
      "5</upper_right>"
      "</mesh><entropy_mesh>1</entropy_mesh>";
  return model_from_text(model_text(geometry, settings));
}

/// How far the source's distribution over 12 pieces is from a half wave, as a sum of differences.
double distance_from_half_wave(const std::vector<Site>& source) {
  constexpr int pieces = 12;
  double shares[pieces] = {}, distance = 0;
  for (const Site& site : source)
    shares[std::min(pieces - 1, static_cast<int>(site.r.x / 240 * pieces))] +=
        1.0 / static_cast<double>(source.size());
  for (int i = 0; i < pieces; ++i)
    distance += std::fabs(shares[i] - 0.5 * (std::cos(std::numbers::pi * i / pieces) -
                                             std::cos(std::numbers::pi * (i + 1) / pieces)));
  return distance;
}

TEST(FissionMatrix, FindsTheModeOfAKnownMatrix) {
  Mesh mesh = slab(10, 2, 1).settings.entropy_mesh;
  FissionMatrix matrix(mesh);
  std::vector<Site> source, sites;
  // Three neighbours: half of what a cell makes stays, a quarter goes to each side; the mode is a half wave.
  for (int cell = 0; cell < 3; ++cell)
    for (int i = 0; i < 100 * (cell + 1); ++i) {
      const auto parent = static_cast<std::uint32_t>(source.size());
      source.push_back(site_at(10 * cell + 5));
      const int to = i % 4 < 2 ? cell : i % 4 == 2 ? cell - 1 : cell + 1;
      if (to >= 0 && to < 3) sites.push_back(site_at(10 * to + 5, parent));
    }
  parallel::SoloCommunicator rank;
  matrix.add(rank, source, sites, 1.3);
  const std::vector<double> mode = matrix.fundamental_mode();
  const double side = 1 / (2 + std::numbers::sqrt2);
  EXPECT_NEAR(mode[0], side, 1e-5);
  EXPECT_NEAR(mode[1], std::numbers::sqrt2 * side, 1e-5);
  EXPECT_NEAR(mode[2], side, 1e-5);
  EXPECT_EQ(mode[3], 0);
  const std::vector<std::int64_t> weights = matrix.weights(sites);
  double sums[3] = {}, all = 0;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    sums[static_cast<int>(sites[i].r.x / 10)] += static_cast<double>(weights[i]);
    all += static_cast<double>(weights[i]);
  }
  for (int cell = 0; cell < 3; ++cell) EXPECT_NEAR(sums[cell] / all, mode[cell], 1e-4);
}

TEST(NextSource, TakesSitesByTheirWeights) {
  std::vector<Site> sites;
  std::vector<std::int64_t> weights;
  for (int i = 0; i < 50; ++i) sites.push_back(site_at(i)), weights.push_back(1 + i % 5);
  const auto taken = [&](parallel::Communicator& ranks) {
    const std::size_t first = first_history(50, ranks.rank(), ranks.size());
    const std::size_t last = first_history(50, ranks.rank() + 1, ranks.size());
    return next_source(ranks, {sites.begin() + first, sites.begin() + last}, 300,
                       Stream(1, StreamUse::resampling, 0, 0),
                       std::span(weights).subspan(first, last - first));
  };
  parallel::SoloCommunicator alone;
  const std::vector<Site> all = taken(alone);
  std::vector<int> times(50);
  for (const Site& site : all) ++times[static_cast<int>(site.r.x)];
  for (int i = 0; i < 50; ++i) EXPECT_NEAR(times[i], 2.0 * (1 + i % 5), 1);
  parallel::on_ranks(3, [&](parallel::Communicator& ranks) {
    const std::vector<Site> mine = taken(ranks);
    const std::size_t first = first_history(300, ranks.rank(), 3);
    ASSERT_EQ(mine.size(), first_history(300, ranks.rank() + 1, 3) - first);
    for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_EQ(mine[i].r.x, all[first + i].r.x);
  });
}

TEST(FissionMatrix, FindsTheSourceOfALongSlabInFewGenerations) {
  double distance[2];
  for (const bool accelerated : {false, true}) {
    Model model = slab(8000, 13, 12);
    model.settings.fission_matrix = accelerated;
    parallel::SoloCommunicator rank;
    Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
    while (simulation.batch() < 12) simulation.run_batch();
    distance[accelerated ? 1 : 0] = distance_from_half_wave(simulation.source());
  }
  EXPECT_GT(distance[0], 0.5);
  EXPECT_LT(distance[1], 0.3);
}

TEST(FissionMatrix, HasTheSameBitsForAnyRanksThreadsAndRestarts) {
  Model model = slab(301, 14, 12);
  model.settings.fission_matrix = true;
  const auto ends = [&](parallel::Communicator& ranks, int threads, int stop, const std::string& file) {
    Simulation simulation(model, ranks, threads, parallel::LoopSchedule{});
    if (stop == 0) resume_from_statepoint(simulation, file, StatepointWay::parallel);
    while (stop == 0 ? !simulation.finished() : simulation.batch() < stop) simulation.run_batch();
    if (!file.empty() && stop > 0) write_statepoint(simulation, file, StatepointWay::parallel);
    return simulation.criticality().k_generation;
  };
  parallel::SoloCommunicator alone;
  const std::vector<double> expected = ends(alone, 1, 14, "");
  EXPECT_EQ(ends(alone, 3, 14, ""), expected);
  const TemporaryFolder folder;
  for (const int stop : {4, 10, 13}) {
    std::vector<double> root;
    parallel::on_ranks(3, [&](parallel::Communicator& ranks) { ends(ranks, 1, stop, folder.path("s.h5")); });
    parallel::on_ranks(2, [&](parallel::Communicator& ranks) {
      std::vector<double> mine = ends(ranks, 2, 0, folder.path("s.h5"));
      if (ranks.is_root()) root = std::move(mine);
    });
    EXPECT_EQ(root, expected) << stop;
  }
  ends(alone, 1, 4, folder.path("s.h5"));
  model.settings.fission_matrix = false;
  EXPECT_THROW(ends(alone, 1, 0, folder.path("s.h5")), Error);
}

TEST(FissionMatrix, RefusesModelsThatItDoesNotFit) {
  const auto refused = [](const auto& change) {
    Model model = slab(100, 4, 2);
    model.settings.fission_matrix = true;
    change(model.settings);
    parallel::SoloCommunicator rank;
    EXPECT_THROW(Simulation(model, rank, 1, parallel::LoopSchedule{}), Error);
  };
  refused([](Settings& settings) { settings.mode = RunMode::fixed_source; });
  refused([](Settings& settings) { settings.has_entropy_mesh = false; });
  refused([](Settings& settings) {
    settings.has_uniform_mesh = true, settings.uniform_mesh = settings.entropy_mesh;
  });
}

}  // namespace
}  // namespace taihu::neutron
