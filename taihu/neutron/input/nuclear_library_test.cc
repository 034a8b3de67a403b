// SPDX-License-Identifier: Apache-2.0
// Continuous energy from files to results, with libraries whose answers are known.
#include "taihu/neutron/input/nuclear_library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>

#include "taihu/base/error.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/neutron/output/statepoint.h"
#include "taihu/neutron/output/summary.h"
#include "taihu/neutron/tally/estimate.h"
#include "taihu/neutron/test_library.h"
#include "taihu/neutron/test_models.h"
#include "taihu/parallel/solo_communicator.h"

// Damaged files make the HDF5 library ask for absurd amounts of memory and leak some of its own. Such
// requests must fail, as they do without the sanitizers, and its leaks are not ours.
extern "C" {
[[gnu::visibility("default")]] const char* __asan_default_options();
const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}
[[gnu::visibility("default")]] const char* __tsan_default_options();
const char* __tsan_default_options() {
  return "allocator_may_return_null=1";
}
[[gnu::visibility("default")]] const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}
}

namespace taihu::neutron {
namespace {

/// A reflective box of one material.
std::string box_model(const std::string& material, const std::string& settings,
                      const std::string& tallies = "") {
  std::string geometry;
  const char* planes[] = {"x-plane", "y-plane", "z-plane"};
  for (int i = 0; i < 6; ++i)
    geometry += "<surface id=\"" + std::to_string(i + 1) + "\" type=\"" + planes[i / 2] + "\" coeffs=\"" +
                (i % 2 == 0 ? "-5" : "5") + "\" boundary=\"reflective\"/>";
  return "<model><materials><cross_sections>cross_sections.xml</cross_sections>" + material +
         "</materials><geometry>" + geometry +
         "<cell id=\"1\" material=\"1\" region=\"1 -2 3 -4 5 -6\"/></geometry><settings>" + settings +
         "</settings>" + tallies + "</model>";
}

std::string counts(int particles, int batches, int inactive) {
  return "<particles>" + std::to_string(particles) + "</particles><batches>" + std::to_string(batches) +
         "</batches><inactive>" + std::to_string(inactive) +
         "</inactive><source><space type=\"box\"><parameters>-4 -4 -4 4 4 4</parameters></space></source>";
}

std::string material(const std::string& inner) {
  return "<material id=\"1\"><density units=\"atom/b-cm\" value=\"0.1\"/>" + inner + "</material>";
}

class Continuous : public ::testing::Test {
 protected:
  void add(const TestNuclide& nuclide) {
    write_test_nuclide(folder_.path(nuclide.name + ".h5"), nuclide);
    names_.push_back(nuclide.name);
  }
  Model read(const std::string& model, const std::vector<std::string>& thermals = {}) {
    folder_.write("cross_sections.xml", library_xml(names_, thermals));
    folder_.write("model.xml", model);
    return read_model(folder_.path());
  }
  std::string refusal(const std::string& model) {
    try {
      read(model);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  static Criticality run(const Model& model, int threads = 1) {
    parallel::SoloCommunicator rank;
    Simulation simulation(model, rank, threads, parallel::LoopSchedule{});
    while (!simulation.finished()) simulation.run_batch();
    EXPECT_EQ(simulation.lost_count(), 0);
    return simulation.criticality();
  }
  static void expect_k(const Model& model, double expected) {
    const Criticality criticality = run(model);
    const Estimate k = criticality.combined();
    EXPECT_NEAR(k.mean, expected, 4.5 * k.deviation + 1e-6);
    EXPECT_LT(k.deviation, 0.025 * expected);
    for (int i = 0; i < 3; ++i) {
      const Estimate one = estimate(criticality.sum[i], criticality.sum_sq[i], criticality.realizations);
      EXPECT_NEAR(one.mean, expected, 4.5 * one.deviation + 1e-6) << "estimator " << i;
    }
  }
  TemporaryFolder folder_;
  std::vector<std::string> names_;
};

TEST_F(Continuous, OneNuclideHasTheKOfItsCrossSections) {
  add(test_fuel());
  expect_k(read(box_model(material("<nuclide name=\"X235\" ao=\"1\"/>"), counts(500, 12, 2))), 2.5 * 2 / 3);
}

TEST_F(Continuous, MixturesTakeDensitiesByAtomsOrWeight) {
  add(test_fuel());
  TestNuclide absorber;
  absorber.name = "B", absorber.awr = 10;
  absorber.elastic = constant(20), absorber.capture = constant(3);
  add(absorber);
  const double k = 2.5 * 2 / (3 + 2 * 3);  // two absorbers for one fuel
  const std::string settings = counts(500, 12, 2);
  expect_k(
      read(box_model(material("<nuclide name=\"X235\" ao=\"1\"/><nuclide name=\"B\" ao=\"2\"/>"), settings)),
      k);
  const Model by_weight = read(
      box_model("<material id=\"1\"><density units=\"g/cc\" value=\"3\"/><nuclide name=\"X235\" wo=\"233\"/>"
                "<nuclide name=\"B\" wo=\"20\"/></material>",
                settings));
  const double density = 3 * 0.602214076 / (253 * 1.00866491595);
  EXPECT_NEAR(by_weight.materials[0].atom_densities[0], density, 1e-12);
  EXPECT_NEAR(by_weight.materials[0].atom_densities[1], 2 * density, 1e-12);
  expect_k(by_weight, k);
}

TEST_F(Continuous, TwoNeutronsOutOfOneRaiseK) {
  TestNuclide n = test_fuel();
  n.twice = constant(0.8);
  add(n);
  // Each absorption comes with 0.8 / 3 neutrons made: A = 1 + 0.8 / 3 A.
  const std::string settings = counts(500, 12, 2);
  expect_k(read(box_model(material("<nuclide name=\"X235\" ao=\"1\"/>"), settings)), 2.5 * 2 / (3 - 0.8));
  expect_k(read(box_model(material("<nuclide name=\"X235\" ao=\"1\"/>"),
                          settings + "<survival_biasing>true</survival_biasing>")),
           2.5 * 2 / (3 - 0.8));
}

TEST_F(Continuous, LevelsKeepNeutronsAboveTheThresholdOnly) {
  TestNuclide n = test_fuel();
  // Above 1e5 eV only, straight from there to 2e7 eV.
  n.level = [](double e) { return e > 2e5 ? 3 : 0; };
  n.energy = {1e-5, 1, 1e5, 2e5, 3e5, 2e7};
  add(n);
  expect_k(read(box_model(material("<nuclide name=\"X235\" ao=\"1\"/>"), counts(500, 12, 2))), 2.5 * 2 / 3);
}

/// With a fixed source of one energy far above, the collision density in hydrogen is 1 / E: the flux in a bin
/// is ln(E2 / E1) / Sigma.
TEST_F(Continuous, HydrogenSlowsDownWithOneOverE) {
  TestNuclide h;
  h.name = "H", h.awr = 1;
  h.energy = {1e-5, 0.9, 1, 1e3, 1e6, 2e7};
  h.elastic = constant(20);
  h.capture = [](double e) { return e < 0.95 ? 1e4 : 0; };
  add(h);
  const std::string settings = "<run_mode>fixed source</run_mode><particles>" +
                               std::to_string(plain_or_sanitized(3000, 1000)) +
                               "</particles><batches>20</batches><source><energy "
                               "type=\"discrete\"><parameters>1e6 1</parameters></energy></source>";
  const std::string tallies =
      "<tallies><filter id=\"1\" type=\"energy\"><bins>10 100 1e3 1e4 1e5 9e5</bins></filter><tally "
      "id=\"1\"><filters>1</filters><scores>flux scatter</scores></tally><tally id=\"2\"><filters>1</filters>"
      "<scores>flux</scores><estimator>collision</estimator></tally></tallies>";
  const Model model = read(box_model(material("<nuclide name=\"H\" ao=\"1\"/>"), settings, tallies));
  parallel::SoloCommunicator rank;
  Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
  while (!simulation.finished()) simulation.run_batch();
  const double edges[] = {10, 100, 1e3, 1e4, 1e5, 9e5};
  const TallyStatistics& statistics = simulation.statistics();
  for (int bin = 0; bin < 5; ++bin) {
    const double expected = std::log(edges[bin + 1] / edges[bin]);
    const auto at = [&](int i) {
      return estimate(statistics.sum[i], statistics.sum_sq[i], statistics.realizations);
    };
    EXPECT_NEAR(at(2 * bin).mean, expected / 2, 4.5 * at(2 * bin).deviation);
    EXPECT_NEAR(at(2 * bin + 1).mean, expected, 4.5 * at(2 * bin + 1).deviation);
    EXPECT_NEAR(at(10 + bin).mean, expected / 2, 4.5 * at(10 + bin).deviation);
    EXPECT_LT(at(2 * bin).deviation, 0.02 * expected);
  }
}

/// A weak absorber lets neutrons reach the temperature of the nuclei: flux E exp(-E / kT).
TEST_F(Continuous, NeutronsComeToTheTemperatureOfAFreeGas) {
  for (const double awr : {1.0, 12.0}) {
    TestNuclide gas;
    gas.name = "G" + std::to_string(static_cast<int>(awr)), gas.awr = awr;
    gas.temperatures = {600};
    const double kT = 600 * boltzmann_eV_per_K;
    // 20 b at rest, as a neutron sees them from nuclei that move.
    gas.elastic = [awr, kT](double e) {
      const double x = std::sqrt(awr * e / kT);
      return 20 * ((1 + 0.5 / (x * x)) * std::erf(x) + std::exp(-x * x) / (x * std::sqrt(std::numbers::pi)));
    };
    gas.capture = constant(0.02);
    gas.energy.clear();
    for (int i = 0; i <= 600; ++i) gas.energy.push_back(1e-5 * std::pow(1e6, i / 600.0));
    gas.energy.push_back(2e7);
    add(gas);
    std::string bins;
    for (const double x : {1e-4, 0.5, 1.0, 2.0, 4.0}) bins += std::to_string(x * kT) + " ";
    const std::string settings =
        "<run_mode>fixed "
        "source</run_mode><temperature_default>600</temperature_default><particles>" +
        std::to_string(plain_or_sanitized(100, 25)) +
        "</particles><batches>10</batches><source><energy type=\"discrete\"><parameters>" +
        std::to_string(2 * kT) + " 1</parameters></energy></source>";
    const Model model = read(box_model(material("<nuclide name=\"" + gas.name + "\" ao=\"1\"/>"), settings,
                                       "<tallies><filter id=\"1\" type=\"energy\"><bins>" + bins +
                                           "</bins></filter><tally id=\"1\"><filters>1</filters><scores>flux"
                                           "</scores></tally></tallies>"));
    parallel::SoloCommunicator rank;
    Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
    while (!simulation.finished()) simulation.run_batch();
    const TallyStatistics& statistics = simulation.statistics();
    const auto below = [](double x) { return 1 - (1 + x) * std::exp(-x); };
    const double edges[] = {0, 0.5, 1, 2, 4};
    for (int bin = 0; bin < 4; ++bin) {
      // 1 / Sigma_a neutrons cm per source neutron in all.
      const double expected = (below(edges[bin + 1]) - below(edges[bin])) / 0.002;
      const Estimate flux = estimate(statistics.sum[bin], statistics.sum_sq[bin], statistics.realizations);
      EXPECT_NEAR(flux.mean, expected, 4.5 * flux.deviation + 0.005 * expected)
          << "mass " << awr << " bin " << bin;
    }
  }
}

/// The sums of a medium agree with those over its nuclides, at the jumps too; and bands have the mean of
/// smooth cross sections.
TEST_F(Continuous, MediaSumTheirNuclides) {
  TestNuclide n = test_fuel();
  n.unresolved = true;
  n.capture = [](double e) { return 1 / std::sqrt(e); };
  add(n);
  TestNuclide h;
  h.name = "H", h.elastic = constant(20), h.capture = constant(0.3);
  add(h);
  write_test_thermal(folder_.path("c_H.h5"), "c_H", "H");
  const Model model =
      read(box_model(material("<nuclide name=\"X235\" ao=\"1\"/><nuclide name=\"H\" ao=\"3\"/>"
                              "<sab name=\"c_H\" fraction=\"0.75\"/>"),
                     counts(100, 2, 1)),
           {"c_H"});
  NuclearData& data = const_cast<NuclearData&>(*model.nuclear);
  const MediumId first(0), summed = data.add_medium(data.parts(first), 0);
  Stream random(5, StreamUse::history, 0, 0);
  double mean = 0;
  for (int i = 0; i < 20000; ++i) {
    const double e = i % 10 == 0 ? 4 : std::exp(std::log(1e-5) + random.uniform() * std::log(2e12));
    const std::uint64_t band = random.next();
    MacroXs a, b;
    data.look_up(first, Energy(e), band, a);
    data.look_up(summed, Energy(e), band, b);
    for (int r = 0; r < reaction_count; ++r) ASSERT_NEAR(a[r], b[r], 1e-12 * (1 + std::fabs(b[r]))) << e;
    data.look_up(first, Energy(5e3), random.next(), a);
    mean += a[static_cast<int>(Reaction::fission)] / 20000;
  }
  EXPECT_NEAR(mean, 0.025 * 2, 0.001);  // 0.6 * 0.5 + 0.4 * 1.75 = 1
  // Below 4 eV: a quarter of the free atom's 20 b, three quarters of 20 b and the Bragg edges.
  MacroXs thermal;
  data.look_up(first, Energy(0.05), 0, thermal);
  const auto uranium = std::ranges::find_if(data.parts(first), [&](const MediumPart& part) {
    return data.nuclide(part.nuclide).data().name == "X235";
  });
  ASSERT_NE(uranium, data.parts(first).end());
  const double h1 = 0.25 * 20 + 0.75 * (20 + 0.02 / 0.05) + 0.3;
  EXPECT_NEAR(thermal[static_cast<int>(Reaction::total)],
              0.075 * h1 + 0.025 * (6 + data.micro(*uranium, Energy(0.05), 0).absorption - 2), 1e-9);
}

/// Depleted fuel has hundreds of nuclides, and its sums take long to make; models often copy materials.
TEST_F(Continuous, MaterialsOfTheSameCompositionShareAMedium) {
  add(test_fuel());
  const auto media = [&](const std::string& second) {
    std::string text = box_model(material("<nuclide name=\"X235\" ao=\"1\"/>") + second, counts(10, 2, 1));
    const std::string cell = "<cell id=\"1\" material=\"1\" region=\"1 -2 3 -4 5 -6\"/>";
    const std::string cells =
        "<surface id=\"7\" type=\"x-plane\" coeffs=\"0\"/><cell id=\"1\" material=\"1\" region=\"1 -7 3 -4 5 "
        "-6\"/><cell id=\"2\" material=\"2\" region=\"7 -2 3 -4 5 -6\"/>";
    text.replace(text.find(cell), cell.size(), cells);
    const Model model = read(text);
    EXPECT_GT(run(model).k().mean, 0);
    return model.nuclear->media();
  };
  const std::string start = "<material id=\"2\"><density units=\"atom/b-cm\" value=\"";
  EXPECT_EQ(media(start + "0.1\"/><nuclide name=\"X235\" ao=\"1\"/></material>"), 1);
  EXPECT_EQ(media(start + "0.2\"/><nuclide name=\"X235\" ao=\"1\"/></material>"), 2);
}

TEST_F(Continuous, TemperaturesAreTheNearestOrBetweenTwo) {
  TestNuclide n = test_fuel();
  n.temperatures = {300, 600}, n.factor = {1, 3};
  add(n);
  const std::string nuclide = "<nuclide name=\"X235\" ao=\"1\"/>";
  const auto total = [&](const std::string& settings) {
    const Model model = read(box_model(material(nuclide), counts(10, 2, 1) + settings));
    return model.nuclear->micro(model.nuclear->parts(MediumId(0))[0], Energy(10), 0).total;
  };
  EXPECT_DOUBLE_EQ(total("<temperature_default>305</temperature_default>"), 7);
  EXPECT_DOUBLE_EQ(total("<temperature_default>595</temperature_default>"), 21);
  EXPECT_NEAR(total("<temperature_default>450</temperature_default><temperature_method>interpolation</"
                    "temperature_method>"),
              14, 1e-9);
  EXPECT_NE(refusal(box_model(material(nuclide),
                              counts(10, 2, 1) + "<temperature_default>450</temperature_default>"))
                .find("no data within 10 K of 450"),
            std::string::npos);
}

TEST_F(Continuous, ThreadsGiveTheSameBits) {
  TestNuclide n = test_fuel();
  n.unresolved = true;
  add(n);
  const Model model = read(box_model(material("<nuclide name=\"X235\" ao=\"1\"/>"), counts(300, 5, 1)));
  EXPECT_EQ(run(model, 1).k_generation, run(model, 3).k_generation);
}

TEST_F(Continuous, ARunThatGoesOnHasTheSameBits) {
  add(test_fuel());
  const Model model = read(box_model(
      material("<nuclide name=\"X235\" ao=\"1\"/><volume>250</volume><depletable>true</depletable>"),
      counts(200, 6, 1) + "<temperature_default>295</temperature_default>"));
  parallel::SoloCommunicator rank;
  Simulation first(model, rank, 1, parallel::LoopSchedule{});
  for (int i = 0; i < 3; ++i) first.run_batch();
  write_statepoint(first, folder_.path("statepoint.3.h5"));
  write_summary(model, folder_.path("summary.h5"));
  Simulation second(model, rank, 1, parallel::LoopSchedule{});
  resume_from_statepoint(second, folder_.path("statepoint.3.h5"));
  while (!second.finished()) second.run_batch();
  EXPECT_EQ(second.criticality().k_generation, run(model).k_generation);
  const Hdf5File summary(folder_.path("summary.h5"), Hdf5File::Mode::read);
  EXPECT_EQ(summary.doubles("/materials/material 1/nuclide_densities"), std::vector<double>{0.1});
  EXPECT_EQ(summary.doubles("/nuclides/awrs"), std::vector<double>{233});
  EXPECT_EQ(summary.doubles("/geometry/cells/cell 1/temperature"), std::vector<double>{295});
  EXPECT_EQ(summary.attribute_number("/materials/material 1", "volume"), 250);
  EXPECT_EQ(summary.attribute_integer("/materials/material 1", "depletable"), 1);
}

TEST_F(Continuous, RefusesWithOneLine) {
  add(test_fuel());
  const std::string good = "<nuclide name=\"X235\" ao=\"1\"/>", settings = counts(10, 2, 1);
  const auto expect = [&](const std::string& model, const std::string& part) {
    const std::string text = refusal(model);
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  };
  expect(box_model(material("<nuclide name=\"Y\" ao=\"1\"/>"), settings), "no data for \"Y\"");
  expect(box_model(material(good + "<sab name=\"c\"/>"), settings), "no data for \"c\"");
  expect(box_model(material("<nuclide name=\"X235\" ao=\"1\" wo=\"1\"/>"), settings), "\"ao\" or \"wo\"");
  expect(box_model("<material id=\"1\"><density units=\"stone/inch\" value=\"1\"/>" + good + "</material>",
                   settings),
         "units \"stone/inch\"");
  expect(box_model(material(good), settings +
                                       "<resonance_scattering><enable>true</enable><nuclides>X235</nuclides>"
                                       "</resonance_scattering>"),
         "no elastic cross section at 0 K");
  expect(box_model(material(good), settings + "<temperature_method>windowed</temperature_method>"),
         "windowed");
}

/// Files with damaged bytes are read or refused with one line, never worse.
TEST_F(Continuous, DamagedFilesAreReadOrRefused) {
  add(test_fuel());
  const std::string model = box_model(material("<nuclide name=\"X235\" ao=\"1\"/>"), counts(10, 2, 1));
  read(model);
  std::ifstream in(folder_.path("X235.h5"), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  Stream random(11, StreamUse::history, 0, 0);
  int refused = 0;
  for (int i = 0; i < 60; ++i) {
    std::string damaged = whole;
    if (i % 4 == 0)
      damaged.resize(static_cast<std::size_t>(random.uniform() * static_cast<double>(damaged.size())));
    for (int j = 0; j < 20 && !damaged.empty(); ++j)
      damaged[static_cast<std::size_t>(random.uniform() * static_cast<double>(damaged.size()))] =
          static_cast<char>(random.next());
    folder_.write("X235.h5", damaged);
    const std::string text = refusal(model);
    refused += text.empty() ? 0 : 1;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
  EXPECT_GT(refused, 15);
}

}  // namespace
}  // namespace taihu::neutron
