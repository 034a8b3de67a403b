// SPDX-License-Identifier: Apache-2.0
// Published benchmarks: the analytic criticality set LA-13511 and the void problem of Kobayashi. Data and
// sources are in test_data/.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "taihu/base/sanitized_for_tests.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/neutron/tally/estimate.h"
#include "taihu/neutron/test_models.h"
#include "taihu/neutron/transport/simulation.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

using nlohmann::json;

json test_data(const std::string& name) {
  return json::parse(std::ifstream(TAIHU_NEUTRON_TEST_DATA "/" + name));
}

/// Cross sections of a problem; angles beyond its order are left out.
json library_of(const json& data, const json& problem) {
  json library{{"materials", json::object()}};
  const std::size_t moments = problem.at("scatter_order").get<std::size_t>() + 1;
  for (const json& name : problem.at("materials")) {
    json material = data.at("materials").at(name.get<std::string>());
    for (json& row : material.at("scatter"))
      for (json& transfer : row)
        while (transfer.size() > moments) transfer.erase(transfer.size() - 1);
    library["materials"][name.get<std::string>()] = material;
  }
  return library;
}

/// Layers between x or r values: `edges` with the boundary of the first and the last one, a material per gap.
std::string layers(const char* type, const std::vector<double>& edges, const char* first, const char* last,
                   const std::vector<int>& materials) {
  std::string text;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::string value = std::to_string(edges[i]);
    const std::string place = std::string(type) == "sphere"       ? "0 0 0 "
                              : std::string(type) == "z-cylinder" ? "0 0 "
                                                                  : "";
    text += "<surface id=\"" + std::to_string(i + 1) + "\" type=\"" + type + "\" coeffs=\"" + place + value +
            "\"" + (i == 0 && *first != 0 ? std::string(" boundary=\"") + first + "\"" : "") +
            (i + 1 == edges.size() ? std::string(" boundary=\"") + last + "\"" : "") + "/>";
  }
  const bool slab = *first != 0;
  for (std::size_t i = 0; i < materials.size(); ++i) {
    const std::size_t inner = slab ? i + 1 : i, outer = inner + 1;
    text += "<cell id=\"" + std::to_string(i + 1) + "\" material=\"" + std::to_string(materials[i]) +
            "\" region=\"" + (inner > 0 ? std::to_string(inner) : "") + " -" + std::to_string(outer) + "\"/>";
  }
  return text;
}

std::string sood_geometry(const json& problem) {
  const std::string kind = problem.at("geometry");
  std::vector<double> r;
  for (const json& value : problem.at("r_cm")) r.push_back(value.get<double>());
  std::vector<int> materials;
  for (std::size_t i = 0; i < problem.at("materials").size(); ++i)
    materials.push_back(static_cast<int>(i) + 1);
  if (kind == "IN") return layers("x-plane", {-1, 1}, "reflective", "reflective", {1});
  if (kind == "SP") return layers("sphere", r, "", "vacuum", materials);
  if (kind == "CY") return layers("z-cylinder", r, "", "vacuum", materials);
  if (kind == "SL-NS") return layers("x-plane", {-r[0], r[0], r[1]}, "vacuum", "vacuum", materials);
  r.insert(r.begin(), 0.0);
  if (kind == "FENA") return layers("x-plane", r, "vacuum", "vacuum", materials);
  return layers("x-plane", r, "reflective", kind == "ISLC" ? "reflective" : "vacuum", materials);
}

Model sood_model(const json& data, const json& problem) {
  std::string text = "<model><materials><cross_sections>library.json</cross_sections>";
  int id = 0;
  for (const json& name : problem.at("materials"))
    text += "<material id=\"" + std::to_string(++id) + "\"><density units=\"macro\"/><macroscopic name=\"" +
            name.get<std::string>() + "\"/></material>";
  text += "</materials><geometry>" + sood_geometry(problem) +
          "</geometry><settings><energy_mode>multi-group</energy_mode><particles>1000</"
          "particles><batches>60</batches>"
          "<inactive>20</inactive><source><space type=\"box\"><parameters>-5 -1 -1 5 1 1</parameters></space>"
          "<constraints><fissionable>true</fissionable></constraints></source></settings></model>";
  const TemporaryFolder folder;
  folder.write("library.json", library_of(data, problem).dump());
  folder.write("model.xml", text);
  return read_model(folder.path());
}

// Of even and odd numbers, so with both trackings.
constexpr int one_of = plain_or_sanitized(1, 25);

TEST(Benchmark, AnalyticCriticalitySet) {
  const json data = test_data("sood.json");
  int done = 0;
  for (const json& problem : data.at("problems")) {
    const int number = problem.at("number");
    // Left out: optically huge or infinitely thick (60, 61, 64, 68, 69, 73), whose source converges too
    // slowly here.
    if (number == 60 || number == 61 || number == 64 || number == 68 || number == 69 || number == 73)
      continue;
    if (number % one_of != 0) continue;
    Model model = sood_model(data, problem);
    // Angles that are negative somewhere cannot be sampled as they are.
    if (model.data.has_negative_angles()) continue;
    model.settings.tracking = number % 2 == 0 ? Tracking::surface : Tracking::delta;
    parallel::SoloCommunicator rank;
    Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
    while (!simulation.finished()) simulation.run_batch();
    const Estimate k = simulation.criticality().combined();
    EXPECT_NEAR(k.mean, problem.at("k_ref").get<double>(), 4.5 * k.deviation + 5e-4) << problem.at("name");
    EXPECT_LT(k.deviation, 0.012) << problem.at("name");
    ++done;
  }
  EXPECT_GE(done, 60 / one_of);
}

/// Problem 1 of Kobayashi, pure absorber: fluxes along the y axis through a void, with three reflective
/// planes.
TEST(Benchmark, FluxesBehindAVoid) {
  std::string geometry;
  const char* axes[] = {"x-plane", "y-plane", "z-plane"};
  for (int axis = 0; axis < 3; ++axis)
    for (int i = 0; i < 4; ++i) {
      const char* places[] = {"0", "10", "50", "100"};
      geometry += "<surface id=\"" + std::to_string(4 * axis + i + 1) + "\" type=\"" + axes[axis] +
                  "\" coeffs=\"" + places[i] + "\"" +
                  (i == 0   ? " boundary=\"reflective\""
                   : i == 3 ? " boundary=\"vacuum\""
                            : "") +
                  "/>";
    }
  geometry +=
      "<cell id=\"1\" material=\"1\" region=\"1 -2 5 -6 9 -10\"/>"
      "<cell id=\"2\" material=\"2\" region=\"1 -3 5 -7 9 -11 ~(-2 -6 -10)\"/>"
      "<cell id=\"3\" material=\"1\" region=\"1 -4 5 -8 9 -12 ~(-3 -7 -11)\"/>";
  const std::string text =
      "<model><materials><cross_sections>library.json</cross_sections><material id=\"1\"><density "
      "units=\"macro\"/><macroscopic "
      "name=\"absorber\"/>"
      "</material><material id=\"2\"><density units=\"macro\"/><macroscopic "
      "name=\"void\"/></material></materials><geometry>" +
      geometry +
      "</geometry><settings><run_mode>fixed "
      "source</run_mode><energy_mode>multi-group</energy_mode><particles>" +
      std::to_string(plain_or_sanitized(40000, 8000)) +
      "</particles><batches>20</batches><source strength=\"1000\"><space type=\"box\"><parameters>0 0 0 10 "
      "10 10"
      "</parameters></space></source></settings><tallies><mesh id=\"2\"><dimension>1 25 1</dimension>"
      "<lower_left>3 0 3</lower_left><upper_right>7 50 7</upper_right></mesh><filter id=\"2\" "
      "type=\"mesh\"><bins>2</bins>"
      "</filter><tally id=\"1\"><filters>2</filters><scores>flux</scores></tally></tallies></model>";
  const TemporaryFolder folder;
  folder.write("library.json",
               R"({"materials": {"absorber": {"total": [0.1], "absorption": [0.1], "scatter": [[0]]},
                   "void": {"total": [1e-4], "absorption": [1e-4], "scatter": [[0]]}}})");
  folder.write("model.xml", text);
  Model model = read_model(folder.path());
  const json reference = test_data("kobayashi.json").at("cases").at("1A");
  for (const Tracking tracking : {Tracking::surface, Tracking::delta}) {
    model.settings.tracking = tracking;
    parallel::SoloCommunicator rank;
    Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
    while (!simulation.finished()) simulation.run_batch();
    for (int i = 0; i < 5; ++i) {
      // The mesh cell of 2 cm around y = 5, 15, ...; its volume is 4 x 2 x 4 cm^3.
      const int bin = 2 + 5 * i;
      const Estimate flux = estimate(simulation.statistics().sum[bin], simulation.statistics().sum_sq[bin],
                                     simulation.statistics().realizations);
      const double expected = reference.at(i).at("flux").get<double>();
      EXPECT_NEAR(flux.mean / 32, expected, 4 * flux.deviation / 32 + 0.01 * expected) << "point " << i;
      EXPECT_LT(flux.deviation, 0.2 * flux.mean);
    }
  }
}

}  // namespace
}  // namespace taihu::neutron
