// SPDX-License-Identifier: Apache-2.0
// Hybrid tracking with multi-group data: which flights it chooses, and that results do not depend on the way
// of tracking.
#include <gtest/gtest.h>

#include "taihu/base/error.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/neutron/output/statepoint.h"
#include "taihu/neutron/tally/estimates_for_tests.h"
#include "taihu/neutron/test_models.h"
#include "taihu/neutron/transport/simulation.h"
#include "taihu/neutron/transport/tracking_choice.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

/// "poison" is black for thermal neutrons and nearly nothing for fast ones.
const char* const poisoned_library = R"({"group_edges_eV": [1e-5, 1, 2e7], "materials": {
  "fuel": {"total": [0.3, 0.9], "absorption": [0.02, 0.2], "fission": [0.01, 0.15], "nu_fission": [0.025, 0.4],
           "chi": [1, 0], "scatter": [[0.25, 0.03], [0, 0.7]]},
  "water": {"total": [0.4, 1.5], "absorption": [0.001, 0.02], "scatter": [[0.3, 0.099], [0, 1.48]]},
  "poison": {"total": [0.2, 90], "absorption": [0.05, 89.8], "scatter": [[0.15, 0], [0, 0.2]]}}})";

/// Pins of fuel in water, in the middle one a thin rod of poison with a void around it.
const char* const poisoned_model = R"(<model><materials><cross_sections>library.json</cross_sections>
<material id="1"><density units="macro" value="1"/><macroscopic name="fuel"/></material>
<material id="2"><density units="macro" value="1"/><macroscopic name="water"/></material>
<material id="3"><density units="macro" value="1"/><macroscopic name="poison"/></material></materials>
<geometry><surface id="1" type="z-cylinder" coeffs="0 0 0.6"/><surface id="2" type="z-cylinder" coeffs="0 0 0.1"/>
<surface id="3" type="z-cylinder" coeffs="0 0 0.3"/>
<surface id="11" type="x-plane" coeffs="-3" boundary="reflective"/><surface id="12" type="x-plane" coeffs="3" boundary="vacuum"/>
<surface id="13" type="y-plane" coeffs="-3" boundary="reflective"/><surface id="14" type="y-plane" coeffs="3" boundary="white"/>
<surface id="15" type="z-plane" coeffs="-5" boundary="reflective"/><surface id="16" type="z-plane" coeffs="5" boundary="reflective"/>
<cell id="1" universe="1" material="1" region="-1"/><cell id="2" universe="1" material="2" region="1"/>
<cell id="3" universe="2" material="3" region="-2"/><cell id="4" universe="2" material="void" region="2 -3"/>
<cell id="5" universe="2" material="2" region="3"/>
<lattice id="5"><pitch>2 2</pitch><dimension>3 3</dimension><lower_left>-3 -3</lower_left>
<universes>1 1 1 1 2 1 1 1 1</universes></lattice>
<cell id="9" fill="5" region="11 -12 13 -14 15 -16"/></geometry>
<settings><energy_mode>multi-group</energy_mode><run_mode>eigenvalue</run_mode><particles>1200</particles><batches>36</batches><inactive>6</inactive>
<source><space type="box"><parameters>-3 -3 -5 3 3 5</parameters></space></source></settings>
<tallies><mesh id="1"><dimension>5 5 2</dimension><lower_left>-3 -3 -5</lower_left><upper_right>3 3 5</upper_right></mesh>
<filter id="1" type="mesh"><bins>1</bins></filter><filter id="2" type="energy"><bins>1e-5 1 2e7</bins></filter>
<filter id="3" type="cell"><bins>1 2 3 4 5</bins></filter>
<tally id="1"><filters>1</filters><scores>flux fission</scores></tally>
<tally id="2"><filters>2 3</filters><scores>flux absorption</scores></tally>
<tally id="3"><filters>3</filters><scores>total</scores><estimator>collision</estimator></tally>
<tally id="4"><filters>3</filters><scores>absorption</scores><estimator>analog</estimator></tally>
<mesh id="2"><dimension>150 1 1</dimension><lower_left>-3 -3 -5</lower_left><upper_right>3 3 5</upper_right></mesh>
<filter id="4" type="mesh"><bins>2</bins></filter><tally id="5"><filters>4</filters><scores>flux fission</scores></tally>
</tallies></model>)";

Model poisoned() {
  const TemporaryFolder folder;
  folder.write("library.json", poisoned_library);
  folder.write("model.xml", poisoned_model);
  return read_model(folder.path());
}

/// All tally bins, then the three estimates of k and the leakage.
std::vector<Estimate> estimates_of(Simulation& simulation) {
  while (!simulation.finished()) simulation.run_batch();
  EXPECT_EQ(simulation.lost_count(), 0);
  const TallyStatistics all = simulation.all_statistics();
  std::vector<Estimate> found;
  for (std::size_t i = 0; i < all.sum.size(); ++i)
    found.push_back(estimate(all.sum[i], all.sum_sq[i], all.realizations));
  const Criticality& c = simulation.criticality();
  for (int i = 0; i < 4; ++i) found.push_back(estimate(c.sum[i], c.sum_sq[i], c.realizations));
  return found;
}

std::vector<Estimate> estimates_with(Model model, Tracking tracking) {
  model.settings.tracking = tracking;
  parallel::SoloCommunicator rank;
  Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
  EXPECT_EQ(simulation.tracking(), tracking);
  return estimates_of(simulation);
}

TEST(HybridTracking, TakesSurfacesWhereStrongAbsorbersAreSmall) {
  const Model model = poisoned();
  EXPECT_EQ(choose_tracking(model), Tracking::hybrid);
  parallel::SoloCommunicator rank;
  const Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
  const FlightChoice& choice = *simulation.choice();
  const int fuel = 0, water = 1, poison = 2, voids = -1;
  for (const int medium : {voids, fuel, water}) {
    EXPECT_TRUE(choice.delta_pays(medium, GroupId(0))) << medium;
    EXPECT_FALSE(choice.delta_pays(medium, GroupId(1))) << medium;
  }
  EXPECT_TRUE(choice.delta_pays(poison, GroupId(0)));
}

TEST(HybridTracking, FindsHowFarSurfacesAreApart) {
  const Model model = poisoned();
  const TallyLayout none;
  const Problem problem{
      .geometry = &model.geometry, .data = &model.data, .tallies = &none, .settings = &model.settings};
  const MediaSurvey survey(problem);
  // The mean chord of a long cylinder is its diameter; of the void around it, four areas over the rims.
  EXPECT_NEAR(survey.surfaces_per_cm(0), 1 / 1.2, 0.12);
  EXPECT_NEAR(survey.surfaces_per_cm(2), 1 / 0.2, 1.2);
  EXPECT_NEAR(survey.surfaces_per_cm(-1), 2 * (0.1 + 0.3) / (4 * (0.09 - 0.01)), 0.4);
}

TEST(HybridTracking, HasTheResultsOfBothOthers) {
  Model model = poisoned();
  model.settings.particles = plain_or_sanitized(1200, 250);
  parallel::SoloCommunicator rank;
  const Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
  EXPECT_EQ(simulation.layout().at_collisions, std::vector<int>{4}) << "the fine mesh";
  EXPECT_EQ(simulation.layout().along_paths(true), (std::vector<int>{0, 1}));
  EXPECT_EQ(simulation.layout().along_paths(false), (std::vector<int>{0, 1, 4}));
  const std::vector<Estimate> hybrid = estimates_with(model, Tracking::hybrid);
  expect_same_expectations(hybrid, estimates_with(model, Tracking::surface), 80, 1.7);
  expect_same_expectations(hybrid, estimates_with(model, Tracking::delta), 80, 1.7);
}

TEST(HybridTracking, HasTheSameBitsForAnyRanksThreadsAndDomains) {
  Model model = poisoned();
  model.settings.particles = 301, model.settings.batches = 4, model.settings.inactive = 1;
  const auto numbers = [&](parallel::Communicator& rank, int threads, const DomainOptions& domains) {
    Simulation simulation(model, rank, threads, parallel::LoopSchedule{}, domains);
    std::vector<double> values;
    for (const Estimate& one : estimates_of(simulation))
      values.insert(values.end(), {one.mean, one.deviation});
    const std::vector<double>& k = simulation.criticality().k_generation;
    values.insert(values.end(), k.begin(), k.end());
    return values;
  };
  parallel::SoloCommunicator alone;
  const std::vector<double> expected = numbers(alone, 1, {});
  EXPECT_EQ(numbers(alone, 3, {}), expected);
  for (const DomainOptions& domains : {DomainOptions{}, DomainOptions{.shape = {2, 2, 1}}}) {
    std::vector<double> root;
    parallel::on_ranks(4, [&](parallel::Communicator& rank) {
      std::vector<double> mine = numbers(rank, 1 + rank.rank() % 2, domains);
      if (rank.is_root()) root = std::move(mine);
    });
    EXPECT_EQ(root, expected);
  }
}

TEST(HybridTracking, HasTheSameBitsAfterARestart) {
  Model model = poisoned();
  model.settings.particles = 301, model.settings.batches = 6, model.settings.inactive = 2;
  const TemporaryFolder folder;
  parallel::SoloCommunicator alone;
  Simulation uninterrupted(model, alone, 1, parallel::LoopSchedule{});
  while (!uninterrupted.finished()) uninterrupted.run_batch();
  for (const int stop : {1, 4})
    for (const bool domains : {false, true}) {
      const DomainOptions options{.shape = {domains ? 3 : 1, 1, 1}, .move_every = 1};
      parallel::on_ranks(3, [&](parallel::Communicator& ranks) {
        Simulation first(model, ranks, 2, parallel::LoopSchedule{}, options);
        while (first.batch() < stop) first.run_batch();
        write_statepoint(first, folder.path("s.h5"));
      });
      parallel::on_ranks(domains ? 4 : 2, [&](parallel::Communicator& ranks) {
        Simulation rest(model, ranks, 1, parallel::LoopSchedule{}, options);
        resume_from_statepoint(rest, folder.path("s.h5"));
        while (!rest.finished()) rest.run_batch();
        const TallyStatistics all = rest.all_statistics();
        if (!ranks.is_root()) return;
        EXPECT_EQ(all.sum, uninterrupted.statistics().sum) << stop << domains;
        EXPECT_EQ(all.sum_sq, uninterrupted.statistics().sum_sq) << stop << domains;
        EXPECT_EQ(rest.criticality().k_generation, uninterrupted.criticality().k_generation)
            << stop << domains;
      });
    }
}

/// Nothing ends a delta flight there, so only flights to surfaces can count the flux.
TEST(HybridTracking, CountsTheFluxOfAModelThatIsAllVoid) {
  const TemporaryFolder folder;
  folder.write("cross_sections.xml", "<cross_sections/>");
  folder.write("model.xml",
               R"(<model><materials><cross_sections>cross_sections.xml</cross_sections></materials><geometry>
<surface id="1" type="sphere" coeffs="0 0 0 2"/><surface id="2" type="sphere" coeffs="0 0 0 2.5" boundary="vacuum"/>
<cell id="1" material="void" region="-1"/><cell id="2" material="void" region="1 -2"/></geometry>
<settings><run_mode>fixed source</run_mode><particles>50</particles><batches>3</batches></settings>
<tallies><filter id="1" type="cell"><bins>1 2</bins></filter>
<tally id="1"><filters>1</filters><scores>flux</scores></tally></tallies></model>)");
  Model model = read_model(folder.path());
  for (const Tracking tracking : {Tracking::automatic, Tracking::hybrid, Tracking::surface}) {
    model.settings.tracking = tracking;
    parallel::SoloCommunicator rank;
    Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
    while (!simulation.finished()) simulation.run_batch();
    const TallyStatistics& statistics = simulation.statistics();
    EXPECT_NEAR(statistics.sum[0] / statistics.realizations, 2, 1e-7) << name_of(tracking);
    EXPECT_NEAR(statistics.sum[1] / statistics.realizations, 0.5, 1e-7) << name_of(tracking);
  }
  model.settings.tracking = Tracking::delta;
  EXPECT_THROW(choose_tracking(model), Error);
}

/// A material that is in no cell bounds flights, too, but not in a group where it has no cross section.
TEST(HybridTracking, DeltaIsRefusedWhereNoMaterialHasACrossSection) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& slow) {
    const std::string material = R"({"total": [0.3, )" + slow + R"(], "absorption": [0.3, )" + slow +
                                 R"(], "scatter": [[0, 0], [0, 0]]})";
    folder.write("library.json", R"({"group_edges_eV": [1e-5, 1, 2e7], "materials": {"fuel": )" + material +
                                     R"(, "water": )" + material + "}}");
    folder.write("model.xml",
                 model_text("<surface id=\"1\" type=\"sphere\" coeffs=\"0 0 0 4\" boundary=\"vacuum\"/>"
                            "<cell id=\"1\" region=\"-1\" material=\"void\"/>",
                            "<run_mode>fixed source</run_mode><energy_mode>multi-group</energy_mode>"
                            "<particles>50</particles><batches>2</batches>"));
    Model model = read_model(folder.path());
    model.settings.tracking = Tracking::delta;
    return model;
  };
  EXPECT_EQ(choose_tracking(read("0.1")), Tracking::delta);
  EXPECT_THROW(choose_tracking(read("0")), Error);
}

}  // namespace
}  // namespace taihu::neutron
