// SPDX-License-Identifier: Apache-2.0
// Tallies of single nuclides and single reactions, where the answers follow from the cross sections.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "taihu/base/error.h"
#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/neutron/output/statepoint.h"
#include "taihu/neutron/tally/nuclide_tallies_for_tests.h"
#include "taihu/neutron/test_library.h"
#include "taihu/neutron/test_models.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

TEST(Score, NamesLeadBackToTheirScores) {
  for (int mt = 2; mt <= 999; ++mt)
    EXPECT_EQ(score_named(name_of(reaction_score(mt))), reaction_score(mt)) << mt;
  for (int i = 0; i <= static_cast<int>(Score::decay_rate); ++i)
    EXPECT_EQ(score_named(name_of(static_cast<Score>(i))), static_cast<Score>(i));
  const std::map<std::string, int> others{{"102", 102},    {"(n,gamma)", 102},    {"elastic", 2},
                                          {"n2n", 16},     {"(n,n40)", 90},       {"(n,nc)", 91},
                                          {"(n,a0)", 800}, {"H1-production", 203}};
  for (const auto& [name, mt] : others) EXPECT_EQ(score_named(name), reaction_score(mt)) << name;
  EXPECT_EQ(score_named("(n,total)"), Score::total);
  EXPECT_EQ(name_of(reaction_score(999)), "MT=999");
  for (const char* name : {"", "n", "(n,n41)", "(n,n0)", "0", "-2", "1000", "102 ", "1e2"})
    EXPECT_EQ(score_named(name), std::nullopt) << name;
}

/// Each neutron is absorbed: a nuclide's share is that of its cross section, 3 for the fuel and 6 for the
/// absorber.
TEST_F(NuclideTallies, HaveTheSharesOfTheCrossSections) {
  const std::map<std::string, std::array<double, 2>> per_absorption{{"absorption", {3. / 9, 6. / 9}},
                                                                    {"(n,gamma)", {1. / 9, 6. / 9}},
                                                                    {"fission", {2. / 9, 0}},
                                                                    {"nu-fission", {5. / 9, 0}},
                                                                    {"elastic", {4. / 9, 40. / 9}},
                                                                    {"scatter", {4. / 9, 40. / 9}},
                                                                    {"total", {7. / 9, 46. / 9}},
                                                                    {"18", {2. / 9, 0}},
                                                                    {"prompt-nu-fission", {4.8 / 9, 0}},
                                                                    {"delayed-nu-fission", {.2 / 9, 0}},
                                                                    {"decay-rate", {.02 / 9, 0}},
                                                                    {"kappa-fission", {4e8 / 9, 0}}};
  std::string names;
  for (const auto& [name, values] : per_absorption) names += name + " ";
  for (const std::string estimator : {"tracklength", "collision"}) {
    const Model model =
        read({test_fuel(), absorber()}, "<tally id=\"1\"><nuclides>B total X235</nuclides><scores>" + names +
                                            "</scores><estimator>" + estimator + "</estimator></tally>");
    const TallyStatistics statistics = run(model);
    const std::size_t scores = per_absorption.size();
    ASSERT_EQ(statistics.sum.size(), 3 * scores);
    std::size_t score = 0;
    for (const auto& [name, values] : per_absorption) {
      const double b = statistics.sum[score], total = statistics.sum[scores + score],
                   x = statistics.sum[2 * scores + score];
      EXPECT_NEAR(b + x, total, 1e-12 * total) << name;
      EXPECT_NEAR(at(statistics, score).mean, values[1],
                  4.5 * at(statistics, score).deviation + 1e-12 * values[1]);
      EXPECT_NEAR(at(statistics, 2 * scores + score).mean, values[0],
                  4.5 * at(statistics, 2 * scores + score).deviation)
          << name << " " << estimator;
      EXPECT_LT(at(statistics, scores + score).deviation, 0.02 * (values[0] + values[1])) << name;
      ++score;
    }
  }
}

TEST_F(NuclideTallies, CountTheNuclideThatWasHitWithTheAnalogEstimator) {
  TestNuclide x = test_fuel();
  x.twice = constant(0.5);
  for (const char* biasing : {"", "<survival_biasing>true</survival_biasing>"}) {
    const Model model = read({x, absorber()},
                             "<tally id=\"1\"><nuclides>X235 B total</nuclides><estimator>analog</estimator>"
                             "<scores>absorption fission scatter elastic (n,2n) nu-scatter</scores></tally>",
                             2000, biasing);
    const TallyStatistics statistics = run(model);
    const double per = 1 / (9 - 0.5);  // (n,2n) makes neutrons that are absorbed too
    const double expected[] = {3 * per, 2 * per, 4.5 * per, 4 * per,  0.5 * per, 5 * per,
                               6 * per, 0,       40 * per,  40 * per, 0,         40 * per};
    for (int i = 0; i < 12; ++i)
      EXPECT_NEAR(at(statistics, i).mean, expected[i], 4.5 * at(statistics, i).deviation + 1e-12)
          << i << biasing;
    for (int i = 0; i < 6; ++i)
      EXPECT_NEAR(statistics.sum[i] + statistics.sum[6 + i], statistics.sum[12 + i], 1e-9) << i;
    EXPECT_GT(at(statistics, 4).mean, 0);
  }
}

/// A nuclide that lists the sum beside its parts counts it once, as one that lists only the parts.
TEST_F(NuclideTallies, CountSumsOfReactionsWithTheAnalogEstimator) {
  TestNuclide x = test_fuel(), b = absorber();
  x.level = b.level = constant(1);
  b.losses.push_back({.mt = 4, .xs = constant(1), .redundant = true});
  const Model model = read({x, b},
                           "<filter id=\"1\" type=\"energyout\"><bins>0 2e7</bins></filter><tally id=\"1\">"
                           "<nuclides>X235 B</nuclides><estimator>analog</estimator><scores>(n,n1) (n,level)"
                           "</scores></tally><tally id=\"2\"><filters>1</filters><nuclides>X235 B</nuclides>"
                           "<scores>(n,n1) (n,level)</scores></tally>");
  const TallyStatistics statistics = run(model);
  ASSERT_EQ(statistics.sum.size(), 8u);
  for (std::size_t bin = 0; bin < 8; bin += 2) {
    EXPECT_GT(statistics.sum[bin], 0) << bin;
    EXPECT_EQ(statistics.sum[bin + 1], statistics.sum[bin]) << bin;
  }
}

/// Above their thresholds, and in the bands of unresolved resonances.
TEST_F(NuclideTallies, ReactionsAddUpToScatteringAndAbsorption) {
  TestNuclide x = test_fuel();
  x.unresolved = true;
  x.twice = [](double e) { return e > 5e5 ? 1 : 0; };
  x.level = [](double e) { return e > 2e5 ? 3 : 0; };
  const Model model =
      read({x, absorber()},
           "<filter id=\"1\" type=\"energy\"><bins>0 1e3 1e5 2e7</bins></filter><tally id=\"1\">"
           "<filters>1</filters><nuclides>X235 total</nuclides>"
           "<scores>scatter elastic (n,2n) (n,n1) absorption fission (n,gamma)</scores></tally>");
  const TallyStatistics statistics = run(model);
  for (int row = 0; row < 6; ++row) {
    const double* s = statistics.sum.data() + 7 * row;
    EXPECT_NEAR(s[0], s[1] + s[2] + s[3], 1e-9 * s[0]) << row;
    EXPECT_NEAR(s[4], s[5] + s[6], 1e-9 * s[4]) << row;
    EXPECT_GT(s[0], 0);
  }
  EXPECT_GT(statistics.sum[4 * 7 + 2], 0);
  EXPECT_EQ(statistics.sum[2], 0);
}

/// A neutron of 0.0253 eV has 2200 m/s.
TEST_F(NuclideTallies, InverseVelocityIsThatOfTheEnergy) {
  TestNuclide light = absorber();
  light.awr = 1, light.capture = constant(0.02);
  const Model model =
      read({test_fuel(), light},
           "<filter id=\"1\" type=\"energy\"><bins>0.0250 0.0256</bins></filter><tally id=\"1\">"
           "<filters>1</filters><scores>flux inverse-velocity</scores></tally>",
           3000);
  const TallyStatistics statistics = run(model);
  ASSERT_GT(statistics.sum[0], 0);
  EXPECT_NEAR(statistics.sum[1] / statistics.sum[0], 1 / 2.2e5, 0.012 / 2.2e5);
}

/// A filter that is a function of energy weighs each bin of a narrow group with its value there.
TEST_F(NuclideTallies, EnergyFunctionsWeighTheFlux) {
  const std::string function = "type=\"energyfunction\"><energy>1 1e3 1e6</energy><y>2 8 5</y>";
  const Model model =
      read({test_fuel(), absorber()},
           "<filter id=\"1\" " + function + "</filter><filter id=\"2\" " + function +
               "<interpolation>histogram</interpolation></filter><filter id=\"3\" type=\"energy\">"
               "<bins>0 1 1e3 1e6 2e7</bins></filter><filter id=\"4\" type=\"energy\"><bins>499000 501000"
               "</bins></filter><tally id=\"1\"><filters>2 3</filters><scores>flux</scores></tally>"
               "<tally id=\"2\"><filters>3</filters><scores>flux</scores></tally><tally id=\"3\"><filters>1 "
               "4</filters><nuclides>B total</nuclides><scores>absorption</scores></tally><tally id=\"4\">"
               "<filters>4</filters><nuclides>B total</nuclides><scores>absorption</scores></tally>");
  const TallyStatistics s = run(model);
  const double factors[] = {0, 2, 8, 0};
  for (int bin = 0; bin < 4; ++bin)
    EXPECT_NEAR(s.sum[bin], factors[bin] * s.sum[4 + bin], 1e-12 * s.sum[4 + bin] * 8);
  ASSERT_GT(s.sum[10], 0);
  for (int bin = 0; bin < 2; ++bin)
    EXPECT_NEAR(s.sum[8 + bin] / s.sum[10 + bin], 8 - 3 * (5e5 - 1e3) / (1e6 - 1e3), 0.004);
}

TEST_F(NuclideTallies, DelayedGroupsShareTheDelayedNeutrons) {
  const Model model = read(
      {test_fuel(), absorber()},
      "<filter id=\"1\" type=\"delayedgroup\"><bins>2 1</bins></filter><tally id=\"1\"><filters>1</filters>"
      "<nuclides>B total X235</nuclides><scores>delayed-nu-fission decay-rate</scores></tally>"
      "<tally id=\"2\"><scores>delayed-nu-fission decay-rate</scores></tally>");
  const TallyStatistics s = run(model);
  ASSERT_EQ(s.sum.size(), 14u);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(s.sum[i], 0);  // the test nuclide has one group
  for (int score = 0; score < 2; ++score) {
    EXPECT_EQ(s.sum[6 + score], 0);
    EXPECT_GT(s.sum[8 + score], 0);
    EXPECT_EQ(s.sum[8 + score], s.sum[12 + score]);
    EXPECT_EQ(s.sum[10 + score], s.sum[12 + score]);
  }
}

TEST_F(NuclideTallies, HaveTheSameBitsForAnyRanksAndThreadsAndLeaveOthersAlone) {
  const std::string plain =
      "<filter id=\"1\" type=\"energy\"><bins>0 1e3 1e5 2e7</bins></filter><tally id=\"1\">"
      "<filters>1</filters><scores>flux absorption nu-fission</scores></tally>";
  const Model without = read({test_fuel(), absorber()}, plain);
  const TallyStatistics first = run(without);
  const Model model = read({test_fuel(), absorber()},
                           plain +
                               "<tally id=\"2\"><filters>1</filters><nuclides>B total X235</nuclides>"
                               "<scores>absorption (n,gamma) inverse-velocity</scores></tally>");
  const TallyStatistics expected = run(model);
  EXPECT_EQ(std::vector(expected.sum.begin(), expected.sum.begin() + 9), first.sum);
  // The sum over nuclides in a tally by nuclide equals a tally without nuclides.
  for (int bin = 0; bin < 3; ++bin) EXPECT_EQ(expected.sum[9 + 9 * bin + 3], first.sum[3 * bin + 1]);
  EXPECT_EQ(run(model, 3).sum, expected.sum);
  parallel::on_ranks(3, [&](parallel::Communicator& rank) {
    Simulation simulation(model, rank, 1 + rank.rank() % 2, parallel::LoopSchedule{});
    while (!simulation.finished()) simulation.run_batch();
    const TallyStatistics all = simulation.all_statistics();
    if (rank.is_root()) {
      EXPECT_EQ(all.sum, expected.sum);
    }
  });
}

/// So many bins that all threads of a rank add to the same ones.
TEST_F(NuclideTallies, HaveTheSameBitsWhereThreadsShareTheBins) {
  constexpr int energies = 12000;
  std::string edges = "0";
  for (int i = 1; i <= energies; ++i) edges += " " + std::to_string(i * (2e7 / energies));
  const auto with = [&](const std::string& bins) {
    return read({test_fuel(), absorber()},
                "<filter id=\"1\" type=\"energy\"><bins>" + bins +
                    "</bins></filter><tally id=\"1\"><filters>1</filters><nuclides>B total X235</nuclides>"
                    "<scores>fission (n,gamma)</scores></tally>",
                200);
  };
  const Model model = with(edges);
  const TallyStatistics expected = run(model);
  ASSERT_GE(expected.sum.size(), std::size_t{1} << 16);
  EXPECT_EQ(run(model, 3).sum, expected.sum);
  parallel::on_ranks(2, [&](parallel::Communicator& rank) {
    Simulation simulation(model, rank, 2, parallel::LoopSchedule{}, DomainOptions{.shape = {2, 1, 1}});
    while (!simulation.finished()) simulation.run_batch();
    const TallyStatistics all = simulation.all_statistics();
    if (rank.is_root()) {
      EXPECT_EQ(all.sum, expected.sum);
    }
  });
  // One bin, of each thread its own, has what all these have.
  const TallyStatistics one = run(with("0 2e7"), 2);
  for (std::size_t column = 0; column < 6; ++column) {
    double sum = 0;
    for (std::size_t bin = column; bin < expected.sum.size(); bin += 6) sum += expected.sum[bin];
    EXPECT_NEAR(one.sum[column], sum, 1e-9 * sum);
    EXPECT_EQ(one.sum[column] > 0, column != 0);  // B has no fission
  }
}

TEST_F(NuclideTallies, AreInStatepointsAsOpenMCReadsThem) {
  const Model model =
      read({test_fuel(), absorber()},
           "<filter id=\"1\" type=\"energy\"><bins>0 1e3 2e7</bins></filter><tally id=\"1\">"
           "<filters>1</filters><nuclides>B total</nuclides><scores>absorption 102 elastic</scores></tally>",
           50);
  parallel::SoloCommunicator rank;
  Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
  while (!simulation.finished()) simulation.run_batch();
  write_statepoint(simulation, folder_.path("s.h5"));
  {
    const Hdf5File file(folder_.path("s.h5"), Hdf5File::Mode::read);
    EXPECT_EQ(file.shape("/tallies/tally 1/results"), (std::vector<std::int64_t>{2, 6, 2}));
    EXPECT_EQ(file.integer("/tallies/tally 1/n_score_bins"), 3);
    EXPECT_EQ(file.shape("/tallies/tally 1/nuclides"), std::vector<std::int64_t>{2});
  }
  Simulation again(model, rank, 1, parallel::LoopSchedule{});
  resume_from_statepoint(again, folder_.path("s.h5"));
  EXPECT_EQ(again.statistics().sum, simulation.statistics().sum);
  const Model other =
      read({test_fuel(), absorber()},
           "<filter id=\"1\" type=\"energy\"><bins>0 1e3 2e7</bins></filter><tally id=\"1\"><filters>1"
           "</filters><nuclides>X235 total</nuclides><scores>absorption 102 elastic</scores></tally>",
           50);
  Simulation with_other(other, rank, 1, parallel::LoopSchedule{});
  EXPECT_THROW(resume_from_statepoint(with_other, folder_.path("s.h5")), Error);
}

TEST_F(NuclideTallies, AreRefusedWithThePlaceOfTheMistake) {
  const auto tally = [](const std::string& nuclides, const std::string& scores,
                        const std::string& more = "") {
    return "  <tally id=\"1\"><nuclides>" + nuclides + "</nuclides><scores>" + scores + "</scores>" + more +
           "</tally>\n";
  };
  const std::string analog = "<estimator>analog</estimator>";
  const std::pair<std::string, std::string> cases[] = {
      {tally("total X235 U999", "absorption"),
       "model.xml:3:3: <tally>: there are no data for the nuclide \"U999\""},
      {tally("B B", "absorption"), "model.xml:3:3: <tally>: nuclide \"B\" is there twice"},
      {tally("", "absorption"), "model.xml:3:3: <tally>: \"nuclides\" is empty"},
      {tally("B", "flux absorption"),
       "model.xml:3:3: <tally>: score \"flux\" does not belong to a nuclide; put it into a separate tally"},
      {tally("B", "absorption (n,gamma) 102"), "model.xml:3:3: <tally>: score \"(n,gamma)\" is there twice"},
      {tally("B", "(n,k)"), "model.xml:3:3: <tally>: score \"(n,k)\" is not supported"},
      {tally("B", "heating"), "accepted"},
      {tally("B", "(n,gamma) inverse-velocity decay-rate fission-q-prompt", analog), "accepted"},
      {tally("B", "heating", analog),
       "model.xml:3:3: tally 1: score heating is not an event, so the analog estimator cannot count it"},
      {"  <filter id=\"1\" type=\"delayedgroup\"><bins>9</bins></filter>",
       "model.xml:3:3: <filter>: delayed groups are numbered from 1 to 8"},
      {"  <filter id=\"1\" type=\"delayedgroup\"><bins>1</bins></filter>" +
           tally("B", "absorption", "<filters>1</filters>"),
       "model.xml:3:63: tally 1: score absorption has no delayed groups"},
      {"  <filter id=\"1\" type=\"energyfunction\"><energy>1 2</energy><y>1</y></filter>",
       "model.xml:3:3: <filter>: \"energy\" and \"y\" have as many numbers, at least two; energies rise"},
      {tally("B", "absorption"), "accepted"}};
  for (const auto& [tallies, message] : cases) EXPECT_EQ(refusal(tallies), message);
}

/// Data that no nuclide has are zero, with a warning.
TEST_F(NuclideTallies, WithoutDataAreZeroWithAWarning) {
  const Model model =
      read({test_fuel(), absorber()}, "<tally id=\"1\"><scores>(n,p) absorption</scores></tally>", 20);
  ASSERT_EQ(model.warnings.size(), 1u);
  EXPECT_EQ(model.warnings[0], "tallies count (n,p), for which no nuclide has data: it is zero");
  const TallyStatistics statistics = run(model);
  EXPECT_EQ(statistics.sum[0], 0);
  EXPECT_GT(statistics.sum[1], 0);
}

/// Transport has it already.
TEST_F(NuclideTallies, CaptureIsNotReadAgain) {
  TestNuclide x = test_fuel(), b = absorber();
  const std::string tally = "<tally id=\"1\"><scores>(n,gamma)</scores></tally>";
  const Model captures = read({x, b}, tally, 20);
  EXPECT_TRUE(captures.warnings.empty());
  for (const auto& nuclide : captures.nuclear->library) EXPECT_TRUE(nuclide->tallied.empty());
  x.capture = b.capture = constant(0);
  const Model none = read({x, b}, tally, 20);
  ASSERT_EQ(none.warnings.size(), 1u);
  EXPECT_EQ(none.warnings[0], "tallies count (n,gamma), for which no nuclide has data: it is zero");
}

/// Multi-group: a material is one nuclide, so its bins are bit for bit those of a filter by material.
TEST(MultigroupNuclides, AreTheMaterialsThatNameThem) {
  for (const char* estimator : {"automatic", "tracklength", "collision", "analog"}) {
    const std::string end = std::string("<estimator>") + estimator + "</estimator></tally>";
    const Model model = test_model(
        "rectangular", settings_text(301, 4, 1),
        "<filter id=\"1\" type=\"material\"><bins>1 2</bins></filter><tally id=\"1\">"
        "<nuclides>fuel water total</nuclides><scores>total absorption scatter</scores>" +
            end + "<tally id=\"2\"><filters>1</filters><scores>total absorption scatter</scores>" + end);
    parallel::SoloCommunicator rank;
    Simulation simulation(model, rank, 2, parallel::LoopSchedule{});
    while (!simulation.finished()) simulation.run_batch();
    const TallyStatistics& statistics = simulation.statistics();
    for (int bin = 0; bin < 6; ++bin) {
      EXPECT_EQ(statistics.sum[bin], statistics.sum[9 + bin]) << estimator;
      EXPECT_EQ(statistics.sum_sq[bin], statistics.sum_sq[9 + bin]);
      EXPECT_GT(statistics.sum[bin], 0);
    }
    for (int score = 0; score < 3; ++score)
      EXPECT_NEAR(statistics.sum[score] + statistics.sum[3 + score], statistics.sum[6 + score], 1e-12);
  }
}

}  // namespace
}  // namespace taihu::neutron
