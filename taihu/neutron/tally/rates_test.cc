// SPDX-License-Identifier: Apache-2.0
// Which cross sections the rates of single nuclides are made of.
#include "taihu/neutron/tally/rates.h"

#include <gtest/gtest.h>

#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/output/statepoint.h"
#include "taihu/neutron/tally/nuclide_tallies_for_tests.h"

namespace taihu::neutron {
namespace {

/// Libraries list a sum such as (n,p), its parts, or both, marked or not: each is counted and absorbs once.
TEST_F(NuclideTallies, OfSumsAreThoseOfTheirPartsWhicheverAFileLists) {
  using Losses = std::vector<TestNuclide::Loss>;
  const Losses parts{{600, constant(1)}, {601, constant(0.5)}, {800, constant(0.25)}};
  const auto sums = [](Losses others, bool redundant) {
    others.push_back({103, constant(1.5), redundant});
    others.push_back({107, constant(0.25), redundant});
    return others;
  };
  std::vector<double> expected;
  for (const Losses& losses : {parts, sums(parts, true), sums(parts, false), sums({}, false)}) {
    TestNuclide x = test_fuel(), b = absorber();
    x.level = [](double e) { return e > 2e5 ? 3 : 0; };
    b.losses = losses;
    const Model model = read({x, b},
                             "<tally id=\"1\"><nuclides>B X235</nuclides><scores>total elastic absorption "
                             "fission (n,gamma) (n,p) (n,a) 3 4 (n,n1) 18 27 101</scores></tally>");
    EXPECT_TRUE(model.warnings.empty());
    const TallyStatistics statistics = run(model);
    if (expected.empty()) expected = statistics.sum;
    EXPECT_EQ(statistics.sum, expected);
  }
  for (const double* s : {expected.data(), expected.data() + 13}) {
    EXPECT_NEAR(s[2], s[3] + s[4] + s[5] + s[6], 1e-12 * s[2]);
    EXPECT_NEAR(s[7], s[0] - s[1], 1e-9 * s[0]);
    EXPECT_EQ(s[8], s[9]);
    EXPECT_EQ(s[10], s[3]);
    EXPECT_EQ(s[11], s[2]);
    EXPECT_NEAR(s[12], s[2] - s[3], 1e-12 * s[2]);
  }
  EXPECT_NEAR(expected[5] / expected[2], 1.5 / 4.75, 1e-12);
  EXPECT_GT(expected[13 + 8], 0);
}

/// In the bands of unresolved resonances, beside which a nuclide may lose neutrons in other reactions.
TEST_F(NuclideTallies, OfCaptureInBandsAreWithoutOtherLosses) {
  TestNuclide x = test_fuel();
  x.unresolved = x.losses_in_bands = true;
  x.losses = {{107, constant(0.5)}};
  const Model model =
      read({x, absorber()},
           "<filter id=\"1\" type=\"energy\"><bins>2e3 9e4</bins></filter><tally id=\"1\"><filters>1"
           "</filters><nuclides>X235</nuclides><scores>absorption fission (n,gamma) (n,a)</scores>"
           "</tally><tally id=\"2\"><filters>1</filters><scores>flux</scores></tally>");
  const std::vector<double> s = run(model).sum;
  EXPECT_NEAR(s[0], s[1] + s[2] + s[3], 1e-9 * s[0]);
  EXPECT_NEAR(s[1], 2 * s[2], 1e-9 * s[1]);
  EXPECT_NEAR(s[3], 0.1 * 0.5 * s[4], 1e-9 * s[3]);
}

/// Per atom, also of nuclides that the material does not have; the sum of all stays that of the material.
TEST_F(NuclideTallies, WithoutDensitiesAreThoseOfOneAtom) {
  TestNuclide other = absorber();
  other.name = "C", other.capture = constant(7);
  const std::string tally =
      "<nuclides>B C X235 total</nuclides><scores>absorption (n,gamma) scatter</scores>";
  for (const std::string estimator : {"tracklength", "collision"}) {
    const Model model =
        read({test_fuel(), absorber(), other},
             "<tally id=\"1\"><scores>flux</scores><estimator>" + estimator +
                 "</estimator></tally><tally id=\"2\">" + tally + "<estimator>" + estimator +
                 "</estimator><multiply_density>false</multiply_density></tally>" + "<tally id=\"3\">" +
                 tally + "<estimator>" + estimator + "</estimator></tally>");
    const std::vector<double> s = run(model).sum;
    const double per_flux[] = {3, 3, 20, 7, 7, 20, 3, 1, 4};
    for (int i = 0; i < 9; ++i)
      EXPECT_NEAR(s[1 + i], per_flux[i] * s[0], 1e-9 * s[1 + i]) << i << " " << estimator;
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(s[13 + i], 0.2 * s[1 + i], 1e-9 * s[1 + i]);
      EXPECT_EQ(s[16 + i], 0);
      EXPECT_NEAR(s[19 + i], 0.1 * s[7 + i], 1e-9 * s[7 + i]);
      EXPECT_EQ(s[22 + i], s[10 + i]);
    }
  }
  const std::string end = tally + "<multiply_density>false</multiply_density></tally>";
  const Model model = read({test_fuel(), absorber(), other}, "<tally id=\"1\">" + end, 50);
  parallel::SoloCommunicator rank;
  Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
  while (!simulation.finished()) simulation.run_batch();
  write_statepoint(simulation, folder_.path("s.h5"));
  EXPECT_EQ(Hdf5File(folder_.path("s.h5"), Hdf5File::Mode::read)
                .attribute_integer("/tallies/tally 1", "multiply_density"),
            0);
  EXPECT_EQ(
      refusal(
          "  <tally id=\"1\"><estimator>analog</estimator><nuclides>B</nuclides><scores>absorption</scores>"
          "<multiply_density>false</multiply_density></tally>\n"),
      "model.xml:3:3: tally 1: the analog estimator counts neutrons, so it cannot leave out densities");
}

}  // namespace
}  // namespace taihu::neutron
