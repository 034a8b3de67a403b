// SPDX-License-Identifier: Apache-2.0
// A model whose tallies of nuclides follow from its cross sections.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/neutron/tally/estimate.h"
#include "taihu/neutron/test_library.h"
#include "taihu/neutron/test_models.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {

inline TestNuclide absorber() {
  TestNuclide n;
  n.name = "B", n.awr = 10;
  n.elastic = constant(20), n.capture = constant(3);
  return n;
}

/// A reflective box of fuel and absorber, two atoms of absorber for one of fuel. `nuclides` are its test
/// nuclides.
class NuclideTallies : public ::testing::Test {
 protected:
  Model read(const std::vector<TestNuclide>& nuclides, const std::string& tallies, int particles = 500,
             const std::string& more_settings = "") {
    std::vector<std::string> names;
    for (const TestNuclide& nuclide : nuclides) {
      write_test_nuclide(folder_.path(nuclide.name + ".h5"), nuclide);
      names.push_back(nuclide.name);
    }
    folder_.write("cross_sections.xml", library_xml(names));
    folder_.write("model.xml", text(tallies, particles, more_settings));
    return read_model(folder_.path());
  }

  static std::string text(const std::string& tallies, int particles, const std::string& more_settings) {
    std::string geometry;
    const char* planes[] = {"x-plane", "y-plane", "z-plane"};
    for (int i = 0; i < 6; ++i)
      geometry += "<surface id=\"" + std::to_string(i + 1) + "\" type=\"" + planes[i / 2] + "\" coeffs=\"" +
                  (i % 2 == 0 ? "-5" : "5") + "\" boundary=\"reflective\"/>";
    return "<model><materials><cross_sections>cross_sections.xml</cross_sections>"
           "<material id=\"1\"><density units=\"atom/b-cm\" value=\"0.3\"/><nuclide name=\"X235\" ao=\"1\"/>"
           "<nuclide name=\"B\" ao=\"2\"/></material></materials><geometry>" +
           geometry +
           "<cell id=\"1\" material=\"1\" region=\"1 -2 3 -4 5 -6\"/></geometry><settings><particles>" +
           std::to_string(particles) +
           "</particles><batches>12</batches><inactive>2</inactive><source><space "
           "type=\"box\"><parameters>-4 -4 -4 4 "
           "4 4</parameters></space></source>" +
           more_settings + "</settings>\n<tallies>\n" + tallies + "</tallies></model>";
  }

  static TallyStatistics run(const Model& model, int threads = 1) {
    parallel::SoloCommunicator rank;
    Simulation simulation(model, rank, threads, parallel::LoopSchedule{});
    while (!simulation.finished()) simulation.run_batch();
    return simulation.statistics();
  }

  std::string refusal(const std::string& tallies) {
    try {
      const Model model = read({test_fuel(), absorber()}, tallies);
      parallel::SoloCommunicator rank;
      Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.starts_with(folder_.path()) ? text.substr(folder_.path().size() + 1) : text;
    }
    return "accepted";
  }

  static Estimate at(const TallyStatistics& s, std::size_t bin) {
    return estimate(s.sum[bin], s.sum_sq[bin], s.realizations);
  }

  TemporaryFolder folder_;
};

}  // namespace taihu::neutron
