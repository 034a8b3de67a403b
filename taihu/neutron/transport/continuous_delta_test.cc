// SPDX-License-Identifier: Apache-2.0
// Delta and hybrid tracking with continuous energy: the bound of the cross sections, and results that do not
// depend on the way of tracking.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "taihu/base/error.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/neutron/nuclide/majorant.h"
#include "taihu/neutron/tally/estimates_for_tests.h"
#include "taihu/neutron/test_library.h"
#include "taihu/neutron/test_models.h"
#include "taihu/neutron/transport/tracking_choice.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

constexpr double energy_low = 1e-5, energy_high = 2e7;

std::vector<double> fine_grid(int points) {
  std::vector<double> grid;
  for (int i = 0; i <= points; ++i)
    grid.push_back(energy_low * std::pow(energy_high / energy_low, static_cast<double>(i) / points));
  grid.back() = energy_high;
  return grid;
}

/// Narrow peaks on a flat ground.
double resonances(double e) {
  double sum = 1;
  for (const double at : {6.7, 21.0, 37.0, 190.0, 2300.0}) {
    const double x = (e - at) / (2e-3 * at);
    sum += 500 / (1 + x * x);
  }
  return sum;
}

/// Fuel with resonances and unresolved bands, hydrogen with a thermal table, an absorber.
void write_library(const TemporaryFolder& folder) {
  TestNuclide fuel;
  fuel.name = "X235", fuel.awr = 233, fuel.energy = fine_grid(20000);
  fuel.elastic = [](double) { return 8; };
  fuel.capture = [](double e) { return 0.1 * resonances(e); };
  fuel.fission = [](double e) { return 0.6 * resonances(e) + 3 / std::sqrt(e + 0.01); };
  fuel.nu = 2.5, fuel.delayed = 0.1, fuel.unresolved = true;
  TestNuclide hydrogen;
  hydrogen.name = "H", hydrogen.energy = fine_grid(300);
  hydrogen.elastic = [](double) { return 20; };
  hydrogen.capture = [](double e) { return 0.05 / std::sqrt(e); };
  TestNuclide absorber;
  absorber.name = "B", absorber.awr = 10, absorber.energy = fine_grid(700);
  absorber.elastic = [](double) { return 3; };
  absorber.capture = [](double e) { return 2 / std::sqrt(e); };
  for (const TestNuclide& nuclide : {fuel, hydrogen, absorber})
    write_test_nuclide(folder.path(nuclide.name + ".h5"), nuclide);
  write_test_thermal(folder.path("c_H.h5"), "c_H", "H");
  folder.write("cross_sections.xml", library_xml({"X235", "H", "B"}, {"c_H"}));
}

const char* const pin_materials =
    "<materials><cross_sections>cross_sections.xml</cross_sections>"
    "<material id=\"1\"><density units=\"atom/b-cm\" value=\"0.05\"/><nuclide name=\"X235\" ao=\"0.1\"/>"
    "<nuclide name=\"B\" ao=\"0.9\"/></material>"
    "<material id=\"2\"><density units=\"atom/b-cm\" value=\"0.09\"/><nuclide name=\"H\" ao=\"1\"/>"
    "<sab name=\"c_H\" fraction=\"0.75\"/></material></materials>";

/// A cylinder of fuel in water, with a void around the fuel, in a box of +-3 cm.
std::string pin(const char* boundary) {
  std::string text;
  const char* planes[] = {"x-plane", "y-plane", "z-plane"};
  for (int i = 0; i < 6; ++i)
    text += "<surface id=\"" + std::to_string(i + 1) + "\" type=\"" + planes[i / 2] + "\" coeffs=\"" +
            (i % 2 == 0 ? "-3" : "3") + "\" boundary=\"" + boundary + "\"/>";
  return "<geometry>" + text +
         "<surface id=\"7\" type=\"z-cylinder\" coeffs=\"0.1 0.2 1.5\"/>"
         "<surface id=\"8\" type=\"z-cylinder\" coeffs=\"0.1 0.2 1.7\"/>"
         "<cell id=\"1\" material=\"1\" region=\"-7 5 -6\"/>"
         "<cell id=\"2\" material=\"void\" region=\"7 -8 5 -6\"/>"
         "<cell id=\"3\" material=\"2\" region=\"8 1 -2 3 -4 5 -6\"/></geometry>";
}

const char* const pin_tallies =
    "<tallies><mesh id=\"1\"><dimension>3 3</dimension><lower_left>-3 -3</lower_left><upper_right>3 "
    "3</upper_right></mesh><filter id=\"1\" type=\"mesh\"><bins>1</bins></filter>"
    "<filter id=\"2\" type=\"energy\"><bins>1e-5 1 1e3 1e5 2e7</bins></filter>"
    "<filter id=\"3\" type=\"cell\"><bins>1 2 3</bins></filter>"
    "<tally id=\"1\"><filters>1</filters><scores>flux fission</scores></tally>"
    "<tally id=\"2\"><filters>2 3</filters><scores>flux total absorption</scores></tally></tallies>";

std::string settings(int particles, int batches, int inactive) {
  return "<settings><particles>" + std::to_string(particles) + "</particles><batches>" +
         std::to_string(batches) + "</batches><inactive>" + std::to_string(inactive) +
         "</inactive><source><space type=\"box\"><parameters>-1 -1 -2 1 1 2</parameters></space></source>"
         "</settings>";
}

class ContinuousDelta : public ::testing::Test {
 protected:
  ContinuousDelta() { write_library(folder_); }
  Model read(const std::string& geometry, const std::string& settings, const std::string& tallies) {
    folder_.write("model.xml",
                  "<model>" + std::string(pin_materials) + geometry + settings + tallies + "</model>");
    return read_model(folder_.path());
  }
  /// All tally bins, and the three estimates of k where there are.
  static std::vector<Estimate> results(Simulation& simulation) {
    while (!simulation.finished()) simulation.run_batch();
    EXPECT_EQ(simulation.lost_count(), 0);
    std::vector<Estimate> found;
    const TallyStatistics all = simulation.all_statistics();
    for (std::size_t i = 0; i < all.sum.size(); ++i)
      found.push_back(estimate(all.sum[i], all.sum_sq[i], all.realizations));
    const Criticality& c = simulation.criticality();
    for (int i = 0; i < 4; ++i) found.push_back(estimate(c.sum[i], c.sum_sq[i], c.realizations));
    return found;
  }
  static void expect_agreement(Model model) {
    std::vector<std::vector<Estimate>> found;
    for (const Tracking tracking : {Tracking::surface, Tracking::delta, Tracking::hybrid}) {
      model.settings.tracking = tracking;
      parallel::SoloCommunicator rank;
      Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
      EXPECT_EQ(simulation.tracking(), tracking);
      found.push_back(results(simulation));
      if (tracking != Tracking::hybrid) continue;
      EXPECT_GT(simulation.choice()->delta_share(), 0.1);  // both kinds of flights happen
      EXPECT_LT(simulation.choice()->delta_share(), 0.9);
    }
    expect_same_expectations(found[0], found[1], 30, 2.5);
    expect_same_expectations(found[0], found[2], 30, 2.5);
    expect_same_expectations(found[1], found[2], 30, 2.5);
  }
  TemporaryFolder folder_;
};

TEST_F(ContinuousDelta, TheBoundIsAboveAllMediaWhateverTheBand) {
  const Model model = read(pin("reflective"), settings(10, 2, 1), "");
  const NuclearData& data = *model.nuclear;
  const Majorant majorant(data, parallel::Team(1));
  Stream random(5, StreamUse::history, 0, 0);
  double sum_largest = 0, sum_bound = 0;
  for (int i = 0; i < 200000; ++i) {
    double e = std::exp(std::log(energy_low) + random.uniform() * std::log(energy_high / energy_low));
    if (i % 5 == 1) e = 4;      // the end of the thermal table
    if (i % 5 == 2) e = 6.7;    // a peak
    if (i % 50 == 3) e = 0.01;  // a Bragg edge
    if (i % 50 == 4) e = energy_high;
    if (i % 50 == 5) e = energy_low;
    if (i % 3 == 1)
      e = std::bit_cast<double>(std::bit_cast<std::uint64_t>(e) >> 36 << 36);  // an edge of a bin
    e = std::clamp(i % 7 == 1 ? std::nextafter(e, 0) : e, data.energy_min().eV(), data.energy_max().eV());
    double largest = 0;
    for (int medium = 0; medium < data.media(); ++medium) {
      MacroXs xs;
      data.look_up(MediumId(medium), Energy(e), random.next(), xs);
      largest = std::max(largest, xs[static_cast<int>(Reaction::total)]);
    }
    ASSERT_GE(majorant.at(Energy(e)), largest) << e;
    if (i % 5 != 0 || data.unresolved_at(Energy(e))) continue;
    sum_largest += largest;
    sum_bound += majorant.at(Energy(e));
  }
  EXPECT_LT(sum_bound, 1.05 * sum_largest);
  EXPECT_LT(majorant.bytes(), 400000u);
}

TEST_F(ContinuousDelta, HasTheResultsOfSurfaceTracking) {
  const int particles = plain_or_sanitized(600, 200);
  expect_agreement(read(pin("reflective"), settings(particles, 24, 4), pin_tallies));
  expect_agreement(read(pin("vacuum"), settings(particles, 24, 4), pin_tallies));
  std::string fixed = settings(5 * particles / 2, 16, 0);
  fixed.replace(fixed.find("<particles>"), 0,
                "<run_mode>fixed source</run_mode><create_fission_neutrons>false</create_fission_neutrons>");
  expect_agreement(read(pin("white"), fixed, pin_tallies));
}

TEST_F(ContinuousDelta, HasTheSameBitsForAnyRanksAndThreads) {
  Model model = read(pin("reflective"), settings(101, 4, 1), pin_tallies);
  const auto numbers = [&](parallel::Communicator& rank, int threads, const DomainOptions& domains) {
    Simulation simulation(model, rank, threads, parallel::LoopSchedule{}, domains);
    std::vector<double> values;
    for (const Estimate& one : results(simulation)) values.insert(values.end(), {one.mean, one.deviation});
    const std::vector<double>& k = simulation.criticality().k_generation;
    values.insert(values.end(), k.begin(), k.end());
    return values;
  };
  for (const Tracking tracking : {Tracking::delta, Tracking::hybrid}) {
    model.settings.tracking = tracking;
    parallel::SoloCommunicator alone;
    const std::vector<double> expected = numbers(alone, 1, {});
    EXPECT_EQ(numbers(alone, 3, {}), expected);
    for (const DomainOptions& domains : {DomainOptions{}, DomainOptions{.shape = {2, 1, 1}}}) {
      std::vector<double> root;
      parallel::on_ranks(3, [&](parallel::Communicator& rank) {
        std::vector<double> mine = numbers(rank, 1 + rank.rank() % 2, domains);
        if (rank.is_root()) root = std::move(mine);
      });
      EXPECT_EQ(root, expected);
    }
  }
}

TEST_F(ContinuousDelta, IsChosenByItselfAndRefusesTrackLengths) {
  Model model = read(pin("reflective"), settings(10, 2, 1), pin_tallies);
  EXPECT_EQ(choose_tracking(model), Tracking::hybrid);
  for (const Tracking tracking : {Tracking::delta, Tracking::hybrid}) {
    model.settings.tracking = tracking;
    model.tallies[0].estimator = Estimator::automatic;
    EXPECT_EQ(choose_tracking(model), tracking);
    model.tallies[0].estimator = Estimator::tracklength;
    EXPECT_THROW(choose_tracking(model), Error);
  }
}

}  // namespace
}  // namespace taihu::neutron
