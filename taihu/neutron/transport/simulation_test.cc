// SPDX-License-Identifier: Apache-2.0
// Whole runs: the same bits for any ranks and threads, balance, the two ways of tracking, boundaries, lost
// neutrons.

#include "taihu/neutron/transport/simulation.h"
#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include "taihu/base/error.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/neutron/source/fission_bank.h"
#include "taihu/neutron/tally/estimate.h"
#include "taihu/neutron/test_models.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/shared_error.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

const char* const some_tallies =
    "<mesh id=\"1\"><dimension>3 3</dimension><lower_left>-3 -3</lower_left><upper_right>3 "
    "3</upper_right></mesh>\n"
    "<filter id=\"1\" type=\"mesh\"><bins>1</bins></filter><filter id=\"2\" type=\"energy\"><bins>1e-5 1 "
    "2e7</bins></filter>"
    "<filter id=\"3\" type=\"material\"><bins>2 1</bins></filter>\n"
    "<tally id=\"1\"><filters>1 2</filters><scores>flux fission</scores></tally>"
    "<tally id=\"2\"><filters>3</filters><scores>total absorption nu-fission kappa-fission scatter "
    "nu-scatter</scores></tally>"
    "<tally id=\"3\"><scores>absorption events</scores><estimator>analog</estimator></tally>"
    "<filter id=\"4\" type=\"distribcell\"><bins>1</bins></filter>"
    "<tally id=\"4\"><filters>4</filters><nuclides>fuel total water</nuclides><scores>fission "
    "total</scores></tally>";

struct Outcome {
  std::vector<double> k, entropy, sum, sum_sq;
  std::array<double, 4> global{};
  bool operator==(const Outcome&) const = default;
};

Outcome run_to_end(Simulation& simulation) {
  while (!simulation.finished()) simulation.run_batch();
  const Criticality& c = simulation.criticality();
  const TallyStatistics all = simulation.all_statistics();
  return {c.k_generation, c.entropy, all.sum, all.sum_sq, c.sum};
}

Outcome run_alone(const Model& model, int threads = 1, const char* schedule = "dynamic,8") {
  parallel::SoloCommunicator rank;
  Simulation simulation(model, rank, threads, parallel::parse_loop_schedule(schedule));
  return run_to_end(simulation);
}

TEST(Simulation, HasTheSameBitsForAnyRanksThreadsAndSchedule) {
  for (const char* geometry : {"rectangular", "boolean"}) {
    const Model model = test_model(geometry, settings_text(plain_or_sanitized(301, 101), 4, 1), some_tallies);
    const Outcome expected = run_alone(model);
    EXPECT_GT(expected.sum[0], 0);
    EXPECT_EQ(run_alone(model, 2), expected);
    EXPECT_EQ(run_alone(model, 5, "static"), expected);
    EXPECT_EQ(run_alone(model, 3, "guided,1"), expected);
    for (const int ranks : {2, 3, 7}) {
      Outcome root;
      parallel::on_ranks(ranks, [&](parallel::Communicator& rank) {
        Simulation simulation(model, rank, 1 + rank.rank() % 2, parallel::LoopSchedule{});
        const Outcome outcome = run_to_end(simulation);
        if (rank.is_root()) root = outcome;
      });
      EXPECT_EQ(root, expected) << ranks << " ranks";
    }
  }
}

/// Bins by instance are those of the cell, spread out; pairs of cells and instances pick some of them.
TEST(Simulation, InstancesShareTheirCellsTally) {
  const std::string end = " 5</filters><scores>total flux</scores></tally>";
  const std::string tallies =
      "<filter id=\"1\" type=\"distribcell\"><bins>1</bins></filter>"
      "<filter id=\"2\" type=\"distribcell\"><bins>2</bins></filter>"
      "<filter id=\"3\" type=\"cell\"><bins>1</bins></filter>"
      "<filter id=\"4\" type=\"cellinstance\"><bins>1 7 2 1 1 2</bins></filter>"
      "<filter id=\"5\" type=\"energy\"><bins>1e-5 1 2e7</bins></filter><tally id=\"1\"><filters>1" +
      end + "<tally id=\"2\"><filters>2" + end + "<tally id=\"3\"><filters>3" + end +
      "<tally id=\"4\"><filters>4" + end;
  for (const char* geometry : {"rectangular", "hexagonal", "rotated"})
    for (const Tracking tracking : {Tracking::surface, Tracking::delta}) {
      Model model = test_model(geometry, settings_text(400, 4, 1), tallies);
      model.settings.tracking = tracking;
      parallel::SoloCommunicator rank;
      Simulation simulation(model, rank, 2, parallel::LoopSchedule{});
      const std::vector<double> sum = run_to_end(simulation).sum;
      constexpr int row = 4;  // two energies, two scores
      const int count = model.filters[0].bin_count;
      ASSERT_EQ(sum.size(), static_cast<std::size_t>((2 * count + 1 + 3) * row));
      for (int i = 0; i < row; ++i) {
        double all = 0;
        for (int instance = 0; instance < count; ++instance) {
          all += sum[instance * row + i];
          EXPECT_GT(sum[instance * row + i], 0);
        }
        const double cell = sum[2 * count * row + i];
        EXPECT_NEAR(all, cell, 1e-12 * cell) << geometry;
        const double* picked = sum.data() + (2 * count + 1) * row + i;
        EXPECT_EQ(picked[0], sum[7 * row + i]);
        EXPECT_EQ(picked[row], sum[(count + 1) * row + i]);
        EXPECT_EQ(picked[2 * row], sum[2 * row + i]);
      }
    }
}

TEST(Simulation, ThreadsShareTheBinsOfALargeMeshAndHaveTheSameBits) {
  const char* const large =
      "<mesh id=\"1\"><dimension>400 180</dimension><lower_left>-3 -3</lower_left><upper_right>3 "
      "3</upper_right></mesh><filter id=\"1\" type=\"mesh\"><bins>1</bins></filter>"
      "<tally id=\"1\"><filters>1</filters><scores>flux fission</scores></tally>"
      "<tally id=\"2\"><scores>absorption events nu-fission</scores><estimator>analog</estimator></tally>";
  for (const Tracking tracking : {Tracking::surface, Tracking::delta}) {
    Model model = test_model("rectangular", settings_text(plain_or_sanitized(301, 101), 4, 1), large);
    model.settings.tracking = tracking;
    const Outcome expected = run_alone(model);
    EXPECT_GT(expected.sum.back(), 0);
    parallel::SoloCommunicator alone;
    Simulation shared(model, alone, 3, parallel::LoopSchedule{});
    EXPECT_EQ(shared.bin_copies(), 1);
    EXPECT_EQ(run_to_end(shared), expected);
    Outcome root;
    parallel::on_ranks(2, [&](parallel::Communicator& rank) {
      Simulation simulation(model, rank, 2, parallel::LoopSchedule{}, {.shape = {2, 1, 1}});
      EXPECT_EQ(simulation.bin_copies(), 1);
      const Outcome outcome = run_to_end(simulation);
      if (rank.is_root()) root = outcome;
    });
    EXPECT_EQ(root, expected);
    // Eight domains have few bins each, which are added to without a queue and marks.
    parallel::on_ranks(8, [&](parallel::Communicator& rank) {
      Simulation simulation(model, rank, 1, parallel::LoopSchedule{}, {.shape = {4, 2, 1}});
      const Outcome outcome = run_to_end(simulation);
      if (rank.is_root()) root = outcome;
    });
    EXPECT_EQ(root, expected);
  }
  const Model small = test_model("rectangular", settings_text(301, 4, 1), some_tallies);
  parallel::SoloCommunicator alone;
  EXPECT_EQ(Simulation(small, alone, 3, parallel::LoopSchedule{}).bin_copies(), 3);
}

TEST(Simulation, AnotherSeedGivesOtherNumbers) {
  Model model = test_model("rectangular", settings_text(100, 2, 0));
  const Outcome first = run_alone(model);
  model.settings.seed = 2;
  EXPECT_NE(run_alone(model), first);
}

/// Mean and deviation of tally bins and k of both ways of tracking, compared bin by bin.
void expect_agreement(const std::string& geometry, const std::string& settings, const std::string& tallies) {
  Model model = test_model(geometry, settings, tallies);
  std::vector<Estimate> found[2];
  for (const bool delta : {false, true}) {
    model.settings.tracking = delta ? Tracking::delta : Tracking::surface;
    parallel::SoloCommunicator rank;
    Simulation simulation(model, rank, 2, parallel::LoopSchedule{});
    run_to_end(simulation);
    EXPECT_EQ(simulation.lost_count(), 0);
    if (model.settings.mode == RunMode::eigenvalue)
      found[delta].push_back(simulation.criticality().combined());
    const TallyStatistics& statistics = simulation.statistics();
    for (std::size_t i = 0; i < statistics.sum.size(); ++i)
      found[delta].push_back(estimate(statistics.sum[i], statistics.sum_sq[i], statistics.realizations));
  }
  for (std::size_t i = 0; i < found[0].size(); ++i) {
    const double sigma = std::hypot(found[0][i].deviation, found[1][i].deviation);
    EXPECT_NEAR(found[0][i].mean, found[1][i].mean, 4.5 * sigma + 1e-12) << geometry << " value " << i;
    if (i == 0) {
      EXPECT_LT(sigma, 0.05);
    }
  }
}

TEST(Simulation, SurfaceAndDeltaTrackingAgree) {
  for (const char* geometry : {"rectangular", "hexagonal", "rotated", "boolean"})
    expect_agreement(geometry, settings_text(plain_or_sanitized(500, 200), 14, 4), some_tallies);
}

TEST(Simulation, SurfaceAndDeltaTrackingAgreeWithSurvivalBiasing) {
  expect_agreement(
      "hexagonal",
      settings_text(plain_or_sanitized(500, 200), 14, 4) + "<survival_biasing>true</survival_biasing>",
      some_tallies);
}

TEST(Simulation, EveryNeutronIsAccountedFor) {
  std::string leaky = geometry_text("rectangular");
  leaky.replace(leaky.find("reflective"), 10, "vacuum");
  for (const Tracking tracking : {Tracking::surface, Tracking::delta})
    for (const bool biased : {false, true}) {
      Model model = model_from_text(model_text(leaky, settings_text(2000, 3, 0)));
      model.settings.tracking = tracking;
      model.settings.survival_biasing = biased;
      parallel::SoloCommunicator rank;
      Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
      run_to_end(simulation);
      const auto total = [&](Total what) { return simulation.balance()[static_cast<int>(what)]; };
      // One neutron per history and batch: source and gains equal leakage and absorption.
      EXPECT_NEAR(3 + total(Total::gained), total(Total::leakage) + total(Total::absorbed), 1e-9);
      EXPECT_GT(total(Total::leakage), 0.1);
    }
}

/// k of a homogeneous cube of fuel with reflecting boundaries is that of the infinite medium.
TEST(Simulation, ReflectiveWhiteAndPeriodicBoundariesKeepAllNeutrons) {
  for (const char* kind : {"reflective", "white", "periodic"})
    for (const Tracking tracking : {Tracking::surface, Tracking::delta}) {
      std::string geometry = geometry_text("rectangular");
      geometry = geometry.substr(0, geometry.find("<surface id=\"7\""));
      for (std::size_t at = geometry.find("reflective"); at != std::string::npos;
           at = geometry.find("reflective", at + 1))
        geometry.replace(at, 10, kind);
      geometry += "<cell id=\"1\" region=\"1 -2 3 -4 5 -6\" material=\"1\"/>";
      Model model = model_from_text(model_text(geometry, settings_text(600, 20, 5)));
      model.settings.tracking = tracking;
      parallel::SoloCommunicator rank;
      Simulation simulation(model, rank, 2, parallel::LoopSchedule{});
      run_to_end(simulation);
      // Group fluxes of source 1 in group 1: phi1 = 1 / (0.03 + 0.02), phi2 = 0.02 phi1 / 0.3.
      const double phi1 = 1 / 0.05, phi2 = 0.02 * phi1 / 0.3, k = 0.025 * phi1 + 0.48 * phi2;
      const Estimate found = simulation.criticality().combined();
      EXPECT_NEAR(found.mean, k, 4 * found.deviation) << kind;
      EXPECT_LT(found.deviation, 0.03);
      EXPECT_EQ(simulation.criticality().sum[3], 0);
      EXPECT_EQ(simulation.lost_count(), 0);
    }
}

TEST(Simulation, LostNeutronsAreReportedWithTheirPosition) {
  std::string gap = geometry_text("rectangular");
  gap.replace(gap.find("<outer>2</outer>"), 16, "");
  for (const Tracking tracking : {Tracking::surface, Tracking::delta}) {
    Model model = model_from_text(model_text(gap, settings_text(100, 2, 0)));
    model.settings.tracking = tracking;
    parallel::SoloCommunicator rank;
    Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
    simulation.run_batch();
    EXPECT_GT(simulation.lost_count(), 0);
    const std::vector<LostParticle> lost = simulation.take_lost();
    ASSERT_FALSE(lost.empty());
    const Vector r = lost[0].r;
    EXPECT_TRUE(std::fabs(r.x) >= 2 || std::fabs(r.y) >= 2) << r.x << " " << r.y;
    EXPECT_TRUE(lost[0].reason.ends_with("into no cell") || lost[0].reason.ends_with("in no cell"))
        << lost[0].reason;
  }
}

TEST(Simulation, CurrentsBalanceLeakageAndSurfaces) {
  std::string leaky = geometry_text("rectangular");
  leaky.replace(leaky.find("reflective"), 10, "vacuum");
  const Model model =
      model_from_text(model_text(leaky, settings_text(2000, 4, 0),
                                 "<filter id=\"1\" type=\"surface\"><bins>1 2</bins></filter>"
                                 "<tally id=\"1\"><filters>1</filters><scores>current</scores></tally>"));
  parallel::SoloCommunicator rank;
  Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
  run_to_end(simulation);
  EXPECT_EQ(simulation.tracking(), Tracking::surface);
  // Through surface 1 against its normal; neutrons that surface 2 reflects pass it both ways.
  EXPECT_NEAR(-simulation.statistics().sum[0], simulation.criticality().sum[3], 1e-9);
  EXPECT_EQ(simulation.statistics().sum[1], 0);
}

TEST(Simulation, WhatCannotBeTalliedIsRefused) {
  const auto refusal = [](const std::string& tallies, Tracking tracking) -> std::string {
    try {
      Model model = test_model("rectangular", settings_text(), tallies);
      model.settings.tracking = tracking;
      parallel::SoloCommunicator rank;
      Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.substr(std::min(text.size(), text.find("model.xml")));
    }
    return "accepted";
  };
  EXPECT_EQ(refusal("<tally id=\"1\"><scores>flux</scores><estimator>tracklength</estimator></tally>",
                    Tracking::delta),
            "model.xml:21:1: tally 1 uses track lengths or currents, which delta flights do not have; use "
            "--tracking surface");
  EXPECT_EQ(refusal("<tally id=\"1\"><scores>current</scores></tally>", Tracking::automatic),
            "model.xml:21:1: tally 1: score current needs a surface, meshsurface, cell or cellfrom filter");
  EXPECT_EQ(
      refusal("<filter id=\"1\" type=\"energy\"><bins>1e-5 0.5 2e7</bins></filter><tally id=\"1\"><filters>1"
              "</filters><scores>flux</scores></tally>",
              Tracking::automatic),
      "model.xml:21:1: filter 1: the energy 0.500000 eV is not an edge of the library's groups, so a group "
      "would belong to "
      "two "
      "bins");
}

TEST(Source, TheCombTakesEverySiteEvenly) {
  std::vector<Site> sites(70);
  for (int i = 0; i < 70; ++i) sites[i].r.x = i;
  for (const std::int64_t count : {7, 70, 100, 1000}) {
    parallel::SoloCommunicator alone;
    const std::vector<Site> expected =
        next_source(alone, sites, count, Stream(1, StreamUse::resampling, 3, 0));
    ASSERT_EQ(static_cast<std::int64_t>(expected.size()), count);
    std::vector<int> taken(70);
    for (const Site& site : expected) ++taken[static_cast<int>(site.r.x)];
    for (const int times : taken) EXPECT_NEAR(times, count / 70.0, 1);
    std::vector<double> together(count);
    parallel::on_ranks(4, [&](parallel::Communicator& ranks) {
      // Unequal shares: rank r has the sites from 7 r^2 on.
      const int first = 7 * ranks.rank() * ranks.rank(),
                last = ranks.rank() == 3 ? 70 : 7 * (ranks.rank() + 1) * (ranks.rank() + 1);
      const std::vector<Site> mine =
          next_source(ranks, std::vector<Site>(sites.begin() + first, sites.begin() + last), count,
                      Stream(1, StreamUse::resampling, 3, 0));
      const std::int64_t place = first_history(count, ranks.rank(), 4);
      ASSERT_EQ(static_cast<std::int64_t>(mine.size()), first_history(count, ranks.rank() + 1, 4) - place);
      for (std::size_t i = 0; i < mine.size(); ++i) together[place + i] = mine[i].r.x;
    });
    for (std::int64_t i = 0; i < count; ++i) EXPECT_EQ(together[i], expected[i].r.x);
  }
}

}  // namespace
}  // namespace taihu::neutron
