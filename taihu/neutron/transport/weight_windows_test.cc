// SPDX-License-Identifier: Apache-2.0
// Weight windows keep expectations and bring neutrons to where few would come.
#include "taihu/neutron/transport/weight_windows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/base/formatted.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/neutron/tally/estimate.h"
#include "taihu/neutron/test_models.h"
#include "taihu/neutron/transport/simulation.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

constexpr int slab_cells = 10;
constexpr double slab_width = 30;  // cm

/// A slab of water that neutrons enter on one side; flux along its depth.
std::string slab_text(const std::string& windows) {
  const std::string geometry =
      "<surface id=\"1\" type=\"x-plane\" coeffs=\"0\" boundary=\"vacuum\"/><surface id=\"2\" "
      "type=\"x-plane\" "
      "coeffs=\"30\" boundary=\"vacuum\"/><surface id=\"3\" type=\"y-plane\" coeffs=\"-5\" "
      "boundary=\"reflective\"/>"
      "<surface id=\"4\" type=\"y-plane\" coeffs=\"5\" boundary=\"reflective\"/><surface id=\"5\" "
      "type=\"z-plane\" "
      "coeffs=\"-5\" boundary=\"reflective\"/><surface id=\"6\" type=\"z-plane\" coeffs=\"5\" "
      "boundary=\"reflective\"/>\n<cell id=\"1\" region=\"1 -2 3 -4 5 -6\" material=\"2\"/>";
  const std::string settings =
      "<run_mode>fixed source</run_mode><energy_mode>multi-group</energy_mode><particles>" +
      std::to_string(plain_or_sanitized(2000, 200)) +
      "</particles><batches>10</batches><source><space type=\"point\"><parameters>0.1 0 "
      "0</parameters></space>"
      "</source>" +
      windows;
  const std::string tallies =
      "<mesh id=\"1\"><dimension>10</dimension><lower_left>0</lower_left><upper_right>30</upper_right></mesh>"
      "<filter id=\"1\" type=\"mesh\"><bins>1</bins></filter><tally id=\"1\"><filters>1</filters><scores>flux"
      "</scores></tally>";
  return model_text(geometry, settings, tallies);
}

std::string numbers_text(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += formatted("%.17g ", number);
  return text;
}

/// Bounds that fall with the depth about as the flux does.
std::vector<double> slab_bounds(double factor) {
  std::vector<double> bounds;
  for (int cell = 0; cell < slab_cells; ++cell) bounds.push_back(factor * std::exp(-0.45 * cell));
  return bounds;
}

const std::string window_mesh =
    "<mesh id=\"7\"><dimension>10</dimension><lower_left>0</lower_left><upper_right>30</upper_right></mesh>";

std::string slab_windows(const std::string& more = "") {
  return window_mesh +
         "<weight_windows id=\"1\"><mesh>7</mesh><particle_type>neutron</particle_type><lower_ww_bounds>" +
         numbers_text(slab_bounds(0.4)) + "</lower_ww_bounds><upper_ww_bounds>" +
         numbers_text(slab_bounds(2)) + "</upper_ww_bounds>" + more + "</weight_windows>";
}

struct SlabOutcome {
  std::vector<Estimate> flux;
  std::vector<double> balance;
  std::int64_t flights = 0;
};

SlabOutcome run_slab(const Model& model) {
  parallel::SoloCommunicator rank;
  Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
  while (!simulation.finished()) simulation.run_batch();
  SlabOutcome outcome;
  const TallyStatistics& statistics = simulation.statistics();
  for (int cell = 0; cell < slab_cells; ++cell)
    outcome.flux.push_back(estimate(statistics.sum[cell], statistics.sum_sq[cell], statistics.realizations));
  outcome.balance = simulation.balance();
  outcome.flights = simulation.flights();
  EXPECT_EQ(simulation.lost_count(), 0);
  return outcome;
}

TEST(WeightWindows, KeepExpectationsAndSharpenWhatIsFarFromTheSource) {
  const std::string surfaces =
      "<weight_window_checkpoints><collision>true</collision><surface>true</surface></"
      "weight_window_checkpoints>";
  for (const Tracking tracking : {Tracking::surface, Tracking::delta, Tracking::hybrid}) {
    Model without = model_from_text(slab_text("")),
          with = model_from_text(slab_text(slab_windows() + surfaces));
    without.settings.tracking = with.settings.tracking = tracking;
    const SlabOutcome analog = run_slab(without), windowed = run_slab(with);
    for (int cell = 0; cell < slab_cells; ++cell) {
      const Estimate &a = analog.flux[cell], &b = windowed.flux[cell];
      EXPECT_LT(std::fabs(a.mean - b.mean), 5 * std::hypot(a.deviation, b.deviation))
          << name_of(tracking) << " cell " << cell << ": " << a.mean << " " << b.mean;
    }
    const Estimate &a = analog.flux[slab_cells - 1], &b = windowed.flux[slab_cells - 1];
    // Of the fewer neutrons under a sanitizer none may come so far without windows.
    EXPECT_GT(b.mean, 0) << name_of(tracking);
    if (a.mean > 0 || plain_or_sanitized(1, 0) == 1) {
      EXPECT_LT(b.deviation / b.mean, 0.6 * a.deviation / a.mean) << name_of(tracking);
    }
    EXPECT_GT(windowed.flights, 2 * analog.flights) << name_of(tracking);
    for (const SlabOutcome& outcome : {analog, windowed}) {
      const auto total = [&](Total which) { return outcome.balance[static_cast<int>(which)]; };
      EXPECT_NEAR(total(Total::leakage) + total(Total::absorbed) - total(Total::gained), 10, 1e-9);
    }
  }
}

TEST(WeightWindows, HaveTheSameBitsWithDomainsAndRanks) {
  const Model model = model_from_text(slab_text(slab_windows()));
  std::vector<double> alone;
  {
    parallel::SoloCommunicator rank;
    Simulation simulation(model, rank, 2, parallel::LoopSchedule{});
    while (!simulation.finished()) simulation.run_batch();
    alone = simulation.statistics().sum;
  }
  for (const int layers : {1, 3})
    parallel::on_ranks(3, [&](parallel::Communicator& ranks) {
      Simulation simulation(model, ranks, 1, parallel::LoopSchedule{},
                            {.shape = {layers, 1, 1}, .move_every = 2});
      while (!simulation.finished()) simulation.run_batch();
      const TallyStatistics all = simulation.all_statistics();
      EXPECT_EQ(all.sum, ranks.is_root() ? alone : std::vector<double>{}) << layers;
    });
}

TEST(WeightWindows, AreThoseOfThePlaceAndTheEnergy) {
  WindowMesh windows;
  windows.mesh.dimensions = 1;
  windows.mesh.shape = {2, 1, 1};
  windows.mesh.width = {1, 1, 1};
  windows.energies = {1, 10, 100};
  windows.lower = {1, 2, 3, -1}, windows.upper = {10, 20, 30, -10};
  EXPECT_EQ(windows.at({0.5, 7, 7}, Energy(5)).lower, 1);
  EXPECT_EQ(windows.at({1.5, 0, 0}, Energy(1)).upper, 20);
  EXPECT_EQ(windows.at({0.5, 0, 0}, Energy(10)).lower, 1);
  EXPECT_EQ(windows.at({0.5, 0, 0}, Energy(11)).lower, 3);
  EXPECT_EQ(windows.at({0.5, 0, 0}, Energy(100)).survival, 9);
  EXPECT_FALSE(windows.at({1.5, 0, 0}, Energy(50)).valid());
  EXPECT_FALSE(windows.at({0.5, 0, 0}, Energy(0.9)).valid());
  EXPECT_FALSE(windows.at({0.5, 0, 0}, Energy(101)).valid());
  EXPECT_FALSE(windows.at({2.5, 0, 0}, Energy(5)).valid());
  WindowMesh behind = windows;
  behind.energies.clear();
  behind.lower = {5, 6}, behind.upper = {7, 8};
  WeightWindows both;
  both.meshes = {windows, behind};
  EXPECT_EQ(both.at({0.5, 0, 0}, Energy(5)).lower, 1);
  EXPECT_EQ(both.at({1.5, 0, 0}, Energy(50)).lower, 6);
}

/// Windows of the slab in a file, with these energies and lower bounds.
void write_windows_file(const TemporaryFolder& folder, const std::vector<double>& energies,
                        const std::vector<double>& lower) {
  Hdf5File file(folder.path("windows.h5"), Hdf5File::Mode::create);
  file.write_attribute("/", "filetype", std::string("weight_windows"));
  file.write_attribute("/", "version", std::vector<int>{1, 0});
  for (const char* group :
       {"/meshes", "/meshes/mesh 3", "/weight_windows", "/weight_windows/weight_windows_1"})
    file.make_group(group);
  file.write_text("/meshes/mesh 3/type", "regular");
  file.write_integers("/meshes/mesh 3/dimension", std::vector<int>{slab_cells});
  file.write("/meshes/mesh 3/lower_left", {0});
  file.write("/meshes/mesh 3/width", {slab_width / slab_cells});
  const std::string group = "/weight_windows/weight_windows_1/";
  file.write_integer(group + "mesh", 3);
  file.write_text(group + "particle_type", "neutron");
  file.write(group + "energy_bounds", energies);
  file.write(group + "lower_ww_bounds", lower, {1, slab_cells});
  file.write(group + "upper_ww_bounds", slab_bounds(2), {1, slab_cells});
  file.write_number(group + "survival_ratio", 3);
  file.write_number(group + "max_lower_bound_ratio", 1);
  file.write_integer(group + "max_split", 10);
  file.write_number(group + "weight_cutoff", 1e-38);
  file.close();
}

std::string model_of_file() {
  return slab_text(
      "<weight_windows_on>true</weight_windows_on><weight_windows_file>windows.h5</weight_windows_file>");
}

TEST(WeightWindows, OfAFileAreThoseOfTheModel) {
  const TemporaryFolder folder;
  write_windows_file(folder, {0, 1e8}, slab_bounds(0.4));
  folder.write("library.json", library_text());
  folder.write("model.xml", model_of_file());
  const SlabOutcome of_file = run_slab(read_model(folder.path())),
                    of_model = run_slab(model_from_text(slab_text(slab_windows())));
  EXPECT_EQ(of_file.flights, of_model.flights);
  for (int cell = 0; cell < slab_cells; ++cell) EXPECT_EQ(of_file.flux[cell].mean, of_model.flux[cell].mean);
  folder.write("model.xml", slab_text("<weight_windows_file>windows.h5</weight_windows_file>"));
  const Model off = read_model(folder.path());
  EXPECT_FALSE(off.settings.weight_windows.wanted);
  ASSERT_EQ(off.warnings.size(), 1u);
  EXPECT_NE(off.warnings[0].find("weight windows of a file are off"), std::string::npos) << off.warnings[0];
}

TEST(WeightWindows, ThatAreOnWithoutAnyAreReported) {
  const Model none = model_from_text(slab_text("<weight_windows_on>true</weight_windows_on>"));
  EXPECT_FALSE(none.settings.weight_windows.wanted);
  ASSERT_EQ(none.warnings.size(), 1u);
  EXPECT_NE(none.warnings[0].find("weight windows are on, but there are none"), std::string::npos)
      << none.warnings[0];
  for (const char* said : {"", "<weight_windows_on>false</weight_windows_on>"})
    EXPECT_TRUE(model_from_text(slab_text(slab_windows() + said)).warnings.empty()) << said;
}

TEST(WeightWindows, OfAFileAreNumbers) {
  const double none = std::numeric_limits<double>::quiet_NaN(),
               endless = std::numeric_limits<double>::infinity();
  std::vector<double> lower = slab_bounds(0.4), without = lower;
  without[3] = none;
  const std::pair<std::vector<double>, std::vector<double>> wrong[] = {
      {{0, none}, lower}, {{none, 1e8}, lower}, {{0, endless}, lower}, {{0, 1e8}, without}};
  for (const auto& [energies, bounds] : wrong) {
    const TemporaryFolder folder;
    write_windows_file(folder, energies, bounds);
    folder.write("library.json", library_text());
    folder.write("model.xml", model_of_file());
    try {
      read_model(folder.path());
      FAIL() << "accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("an energy or a lower bound is not a number"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(WeightWindows, OfASplitHistoryAreLimited) {
  const Model model =
      model_from_text(slab_text(slab_windows() + "<max_history_splits>0</max_history_splits>"));
  Model all = model;
  all.settings.weight_windows.most_splits = 1000;
  EXPECT_LT(run_slab(model).flights * 2, run_slab(all).flights);
}

TEST(WeightWindows, ThatAreWrongAreRefused) {
  const auto refused = [](const std::string& windows) {
    try {
      model_from_text(slab_text(windows));
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.substr(text.find('<'));
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused(slab_windows()), "accepted");
  EXPECT_EQ(refused(slab_windows("<survival_ratio>1</survival_ratio>")),
            "<weight_windows>: \"survival_ratio\" has to be above 1");
  EXPECT_EQ(refused(slab_windows("<energy_bounds>0 1 2</energy_bounds>")),
            "<weight_windows>: the bounds need 20 numbers, one for each energy and mesh cell");
  EXPECT_EQ(refused(slab_windows("<energy_bounds>2 1</energy_bounds>")),
            "<weight_windows>: \"energy_bounds\" has at least two numbers that rise");
  EXPECT_EQ(refused(slab_windows("<max_split>1</max_split>")),
            "<weight_windows>: \"max_split\" has to be above 1 and at most 10^6");
  EXPECT_EQ(refused("<weight_windows id=\"1\"><mesh>8</mesh></weight_windows>"),
            "<weight_windows>: there is no mesh 8 in <settings>");
  EXPECT_EQ(refused("<weight_windows_file>none.h5</weight_windows_file>").find("<settings>: "), 0u);
  EXPECT_NE(refused("<weight_window_generators/>").find("is not supported inside <settings>"),
            std::string::npos);
}

}  // namespace
}  // namespace taihu::neutron
