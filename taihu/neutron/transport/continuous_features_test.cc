// SPDX-License-Identifier: Apache-2.0
// With continuous energy: cells whose instances differ, boundaries inside universes, isotropic nuclides,
// resonances of moving nuclei, uniform fission sites, analog scores, collisions for a file.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "taihu/base/error.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/neutron/nuclide/kinematics.h"
#include "taihu/neutron/output/collision_track.h"
#include "taihu/neutron/tally/estimate.h"
#include "taihu/neutron/test_library.h"
#include "taihu/neutron/test_models.h"
#include "taihu/neutron/transport/tracking_choice.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

const std::string materials =
    "<materials><cross_sections>cross_sections.xml</cross_sections>"
    "<material id=\"1\"><density units=\"g/cm3\" value=\"10\"/><nuclide name=\"F235\" ao=\"1\"/></material>"
    "<material id=\"2\"><density units=\"g/cm3\" value=\"20\"/><nuclide name=\"F235\" ao=\"1\"/></material>"
    "<material id=\"3\"><density units=\"g/cm3\" value=\"1\"/><nuclide name=\"M12\" "
    "ao=\"1\"/></material></materials>";

const std::string reflecting_box =
    "<surface id=\"1\" type=\"x-plane\" coeffs=\"-2\" boundary=\"reflective\"/>"
    "<surface id=\"2\" type=\"x-plane\" coeffs=\"2\" boundary=\"reflective\"/>"
    "<surface id=\"3\" type=\"y-plane\" coeffs=\"-1\" boundary=\"reflective\"/>"
    "<surface id=\"4\" type=\"y-plane\" coeffs=\"1\" boundary=\"reflective\"/>"
    "<surface id=\"5\" type=\"z-plane\" coeffs=\"-1\" boundary=\"reflective\"/>"
    "<surface id=\"6\" type=\"z-plane\" coeffs=\"1\" boundary=\"reflective\"/>"
    "<surface id=\"7\" type=\"z-cylinder\" coeffs=\"0 0 0.6\"/>";

const std::string two_pins =
    "<cell id=\"9\" region=\"1 -2 3 -4 5 -6\" fill=\"10\"/><lattice id=\"10\"><dimension>2 1</dimension>"
    "<lower_left>-2 -1</lower_left><pitch>2 2</pitch><universes>U</universes></lattice>";

std::string with(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

const std::string short_run =
    "<particles>600</particles><batches>8</batches><inactive>2</inactive><source><space "
    "type=\"box\"><parameters>"
    "-2 -1 -1 2 1 1</parameters></space><constraints><fissionable>true</fissionable></constraints></source>";

class ContinuousFeatures : public ::testing::Test {
 protected:
  ContinuousFeatures() {
    TestNuclide fuel;
    fuel.name = "F235", fuel.awr = 233;
    fuel.elastic = constant(4), fuel.capture = constant(1), fuel.fission = constant(2);
    fuel.nu = 2.5, fuel.delayed = 0.1;
    TestNuclide water;
    water.name = "M12", water.awr = 12;
    water.elastic = constant(5), water.capture = constant(0.01);
    for (TestNuclide* nuclide : {&fuel, &water}) {
      nuclide->temperatures = {293.6, 600};
      nuclide->factor = {1, 1.25};
      write_test_nuclide(folder_.path(nuclide->name + ".h5"), *nuclide);
    }
    folder_.write("cross_sections.xml", library_xml({"F235", "M12"}));
  }

  Model read(const std::string& geometry, const std::string& settings, const std::string& tallies = "",
             const std::string& of = materials) const {
    folder_.write("model.xml", "<model>" + of + "<geometry>" + geometry + "</geometry><settings>" + settings +
                                   "</settings><tallies>" + tallies + "</tallies></model>");
    return read_model(folder_.path());
  }

  std::string refusal(const std::string& geometry, const std::string& settings = short_run) const {
    try {
      read(geometry, settings);
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.substr(text.rfind(">: ") == text.npos ? 0 : text.rfind(">: ") + 3);
    }
    return "accepted";
  }

  struct Outcome {
    std::vector<double> k, sum;
    bool operator==(const Outcome&) const = default;
  };
  static Outcome run(const Model& model, int threads = 1) {
    parallel::SoloCommunicator rank;
    Simulation simulation(model, rank, threads, parallel::LoopSchedule{});
    while (!simulation.finished()) simulation.run_batch();
    EXPECT_EQ(simulation.lost_count(), 0);
    return {simulation.criticality().k_generation, simulation.statistics().sum};
  }

  TemporaryFolder folder_;
};

std::string pin(int universe, int first, const std::string& fuel) {
  return "<cell id=\"" + std::to_string(first) + "\" universe=\"" + std::to_string(universe) +
         "\" region=\"-7\" " + fuel + "/><cell id=\"" + std::to_string(first + 1) + "\" universe=\"" +
         std::to_string(universe) + "\" region=\"7\" material=\"3\"/>";
}

const std::string by_pin =
    "<filter id=\"1\" type=\"F\"><bins>B</bins></filter><tally id=\"1\"><filters>1</filters>"
    "<scores>fission absorption</scores></tally>";

/// A cell with a list of materials, temperatures or densities is the same as one cell for each.
TEST_F(ContinuousFeatures, InstancesThatDifferAreLikeCellsOfTheirOwn) {
  const struct {
    const char *list, *first, *second;
  } cases[] = {
      {"material=\"1 2\"", "material=\"1\"", "material=\"2\""},
      {"material=\"2 void\"", "material=\"2\"", "material=\"void\""},
      {"material=\"1\" temperature=\"600 293.6\"", "material=\"1\" temperature=\"600\"", "material=\"1\""},
      {"material=\"1\" density=\"10 20\"", "material=\"1\"", "material=\"2\""},
      {"material=\"1\" density=\"20\"", "material=\"2\"", "material=\"2\""}};
  const std::string list = with(with(by_pin, "F", "distribcell"), "B", "1");
  const std::string cells = with(with(by_pin, "F", "cell"), "B", "1 3");
  const std::string settings = with(short_run, "600", std::to_string(plain_or_sanitized(600, 200)));
  for (const auto& [all, first, second] : cases) {
    const Model one = read(reflecting_box + pin(1, 1, all) + with(two_pins, "U", "1 1"), settings, list);
    const Outcome expected = run(read(
        reflecting_box + pin(1, 1, first) + pin(2, 3, second) + with(two_pins, "U", "1 2"), settings, cells));
    const Outcome outcome = run(one, 3);
    ASSERT_EQ(outcome.k.size(), expected.k.size());
    for (std::size_t i = 0; i < outcome.k.size(); ++i) EXPECT_NEAR(outcome.k[i], expected.k[i], 1e-9) << all;
    for (std::size_t i = 0; i < outcome.sum.size(); ++i)
      EXPECT_NEAR(outcome.sum[i], expected.sum[i], 1e-9 * expected.sum[0]) << all;
    parallel::on_ranks(2, [&](parallel::Communicator& ranks) {
      DomainOptions domains;
      domains.shape = {2, 1, 1};
      Simulation simulation(one, ranks, 2, parallel::LoopSchedule{}, domains);
      while (!simulation.finished()) simulation.run_batch();
      EXPECT_EQ(simulation.criticality().k_generation, outcome.k);
    });
  }
}

/// Neutrons of tracks have a time, delayed ones a late one, without which results have the same bits.
TEST_F(ContinuousFeatures, DelaysOfTracksChangeNothing) {
  std::string track = "<track>";
  for (int history = 1; history <= 600; ++history) track += "2 1 " + std::to_string(history) + " ";
  const std::string geometry = reflecting_box + pin(1, 1, "material=\"1\"") + with(two_pins, "U", "1 1");
  const std::string tally = with(with(by_pin, "F", "cell"), "B", "1");
  const Model tracked = read(geometry, short_run + track + "</track>", tally);
  EXPECT_EQ(run(tracked), run(read(geometry, short_run, tally)));
  parallel::SoloCommunicator rank;
  Simulation simulation(tracked, rank, 2, parallel::LoopSchedule{});
  while (simulation.batch() < 2) simulation.run_batch();
  ASSERT_EQ(simulation.tracks().size(), 1u);
  std::set<double> delays;
  for (const TrackPoint& point : simulation.tracks()[0].points)
    if (point.number == 0 && point.time > 1e-3) delays.insert(point.time);
  // One of 25 neutrons is late, by 10 s on the average.
  EXPECT_NEAR(static_cast<double>(delays.size()), 24, 15);
  const double mean = std::accumulate(delays.begin(), delays.end(), 0.0) / static_cast<double>(delays.size());
  EXPECT_NEAR(mean, 10, 6);
}

TEST_F(ContinuousFeatures, ListsForInstancesHaveTheirNumber) {
  const auto cell = [&](const std::string& what) {
    return refusal(reflecting_box + pin(1, 1, what) + with(two_pins, "U", "1 1"));
  };
  EXPECT_EQ(cell("material=\"1 2\""), "accepted");
  EXPECT_EQ(cell("material=\"1 2 1\""), "3 values are given for the instances of the cell, which has 2");
  EXPECT_EQ(cell("material=\"1\" temperature=\"600 600 600\""),
            "3 values are given for the instances of the cell, which has 2");
  EXPECT_EQ(cell("material=\"1\" density=\"10 0\""), "\"density\" has a number that is not positive");
  EXPECT_EQ(cell("material=\"1 7\""), "there is no material 7");
}

/// The box inside a universe that fills a turned and shifted cell, against the plain box.
TEST_F(ContinuousFeatures, BoundariesInsideUniversesActInTheirCoordinates) {
  const std::string box = "region=\"1 -2 3 -4 5 -6\"";
  const std::string sphere = "<surface id=\"20\" type=\"sphere\" coeffs=\"0 0 0 50\" boundary=\"vacuum\"/>";
  const std::string planes =
      with(reflecting_box, "coeffs=\"2\" boundary=\"reflective\"", "coeffs=\"2\" boundary=\"vacuum\"");
  const std::string inside = "<cell id=\"1\" universe=\"1\" material=\"1\" " + box + "/>";
  const std::string source = with(short_run, "-2 -1 -1 2 1 1", "4.5 4.5 4.5 5.5 5.5 5.5");
  const Outcome plain = run(read(planes + "<cell id=\"1\" material=\"1\" " + box + "/>",
                                 with(short_run, "-2 -1 -1 2 1 1", "-0.5 -0.5 -0.5 0.5 0.5 0.5")));
  const Outcome turned =
      run(read(planes + sphere + inside +
                   "<cell id=\"2\" region=\"-20\" fill=\"1\" rotation=\"20 30 40\" translation=\"5 5 5\"/>",
               source));
  const auto mean = [](const Outcome& outcome) {
    double sum = 0;
    for (std::size_t i = 2; i < 8; ++i) sum += outcome.k[i] / 6;
    return sum;
  };
  EXPECT_NEAR(mean(turned), mean(plain), 0.12 * mean(plain));
  EXPECT_LT(mean(plain), 2.2);  // it leaks
  Model model = read(planes + sphere + inside + "<cell id=\"2\" region=\"-20\" fill=\"1\"/>", source);
  EXPECT_EQ(choose_tracking(model), Tracking::surface);
  model.settings.tracking = Tracking::delta;
  EXPECT_THROW(choose_tracking(model), Error);
  EXPECT_NE(refusal(with(planes, "boundary=\"vacuum\"", "boundary=\"periodic\"") + sphere + inside +
                    "<cell id=\"2\" region=\"-20\" fill=\"1\"/>"),
            "accepted");
}

TEST_F(ContinuousFeatures, IsotropicNuclidesScatterEvenly) {
  const std::string geometry = reflecting_box +
                               "<cell id=\"1\" material=\"1\" region=\"1 -2 3 -4 5 -6 -7\"/>"
                               "<cell id=\"2\" material=\"3\" region=\"1 -2 3 -4 5 -6 7\"/>";
  const std::string tally =
      "<filter id=\"1\" type=\"legendre\"><order>1</order></filter><filter id=\"2\" "
      "type=\"material\"><bins>3</bins>"
      "</filter><tally id=\"1\"><filters>2 1</filters><scores>scatter</scores></tally>";
  const Outcome usual = run(read(geometry, short_run, tally));
  EXPECT_NEAR(usual.sum[1] / usual.sum[0], 2.0 / 36, 0.02);  // 2 / (3 A)
  const std::string even = with(materials, "<nuclide name=\"M12\" ao=\"1\"/>",
                                "<nuclide name=\"M12\" ao=\"1\"/><isotropic>M12</isotropic>");
  const Outcome isotropic = run(read(geometry, short_run, tally, even));
  EXPECT_NEAR(isotropic.sum[1] / isotropic.sum[0], 0, 0.02);
}

/// Uniform sites change where neutrons are made and with which weight, not k.
TEST_F(ContinuousFeatures, UniformSitesHaveTheSameK) {
  const std::string geometry =
      with(reflecting_box, "coeffs=\"2\" boundary=\"reflective\"", "coeffs=\"2\" boundary=\"vacuum\"") +
      "<cell id=\"1\" material=\"1\" region=\"1 -2 3 -4 5 -6\"/>";
  const std::string mesh =
      "<mesh id=\"3\"><dimension>4 1 1</dimension><lower_left>-2 -1 -1</lower_left>"
      "<upper_right>2 1 1</upper_right></mesh><ufs_mesh>3</ufs_mesh>";
  const std::string settings =
      with(with(short_run, "<batches>8", "<batches>30"), "<particles>600", "<particles>2000");
  const auto k = [&](const std::string& more, double* spread) {
    parallel::SoloCommunicator rank;
    const Model model = read(geometry, settings + more);
    Simulation simulation(model, rank, 2, parallel::LoopSchedule{});
    while (!simulation.finished()) simulation.run_batch();
    std::array<double, 4> count{};
    for (const Site& site : simulation.source()) count[static_cast<int>((site.r.x + 2) * 0.99999)] += 1;
    *spread = *std::max_element(count.begin(), count.end()) / *std::min_element(count.begin(), count.end());
    return simulation.criticality().combined();
  };
  double plain = 0, even = 0;
  const Estimate usual = k("", &plain), uniform = k(mesh, &even);
  EXPECT_NEAR(uniform.mean, usual.mean, 4 * std::hypot(uniform.deviation, usual.deviation));
  EXPECT_LT(even, 1.25);
  EXPECT_GT(plain, 1.4);
}

/// Shares of the absorptions, and events of fission neutrons.
TEST_F(ContinuousFeatures, AnalogScoresAreThoseOfTracks) {
  const std::string geometry = reflecting_box + "<cell id=\"1\" material=\"1\" region=\"1 -2 3 -4 5 -6\"/>";
  const std::string scores =
      "<scores>decay-rate (n,gamma) inverse-velocity prompt-nu-fission delayed-nu-fission"
      "</scores>";
  const Outcome outcome =
      run(read(geometry, with(short_run, "<particles>600", "<particles>3000"),
               "<filter id=\"1\" type=\"delayedgroup\"><bins>1 2</bins></filter>"
               "<tally id=\"1\">" +
                   scores + "<estimator>analog</estimator></tally><tally id=\"2\">" + scores +
                   "<estimator>tracklength</estimator></tally><tally id=\"3\"><filters>1</filters>"
                   "<scores>delayed-nu-fission</scores><estimator>analog</estimator></tally>"));
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(outcome.sum[i] / outcome.sum[5 + i], 1, i == 4 ? 0.12 : 0.05) << i;
  EXPECT_DOUBLE_EQ(outcome.sum[10], outcome.sum[4]);  // the test nuclide has one group
  EXPECT_EQ(outcome.sum[11], 0);
}

TEST_F(ContinuousFeatures, CollisionsForAFileAreThoseThatAreWanted) {
  const std::string geometry = reflecting_box +
                               "<cell id=\"1\" material=\"1\" region=\"1 -2 3 -4 5 -6 -7\"/>"
                               "<cell id=\"2\" material=\"3\" region=\"1 -2 3 -4 5 -6 7\"/>";
  const std::string settings = with(short_run, "600", std::to_string(plain_or_sanitized(600, 200)));
  const auto track = [&](const std::string& what) {
    return read(geometry, settings + "<collision_track>" + what +
                              "<max_collisions>200</max_collisions></collision_track>");
  };
  const auto collisions = [](const Model& model, parallel::Communicator& ranks, int threads) {
    Simulation simulation(model, ranks, threads, parallel::parse_loop_schedule("dynamic,4"));
    while (!simulation.finished()) simulation.run_batch();
    return simulation.collision_bank().take();
  };
  parallel::SoloCommunicator rank;
  const Model elastic = track("<material_ids>3</material_ids><reactions>elastic</reactions>");
  const std::vector<CollisionRecord> expected = collisions(elastic, rank, 1);
  ASSERT_EQ(expected.size(), 200u);
  for (const CollisionRecord& one : expected) {
    EXPECT_EQ(one.mt, 2);
    EXPECT_EQ(elastic.materials[one.material].id, 3);
    EXPECT_GE(one.collision, 1);
    EXPECT_GT(one.weight, 0);
  }
  parallel::on_ranks(3, [&](parallel::Communicator& ranks) {
    const std::vector<CollisionRecord> mine = collisions(elastic, ranks, 2);
    ASSERT_EQ(mine.size(), ranks.is_root() ? 200u : 0u);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      EXPECT_EQ(mine[i].r.x, expected[i].r.x);
      EXPECT_EQ(mine[i].loss, expected[i].loss);
    }
  });
  for (const CollisionRecord& one : collisions(track("<reactions>18 101</reactions>"), rank, 1)) {
    EXPECT_TRUE(one.mt == 18 || one.mt == 101);
    EXPECT_EQ(one.weight, 0);
    EXPECT_EQ(one.loss, 0);
  }
  for (const CollisionRecord& one : collisions(
           track("<nuclides>F235</nuclides><deposited_E_threshold>10</deposited_E_threshold>"), rank, 1))
    EXPECT_GT(one.loss, 10);
  EXPECT_EQ(nuclide_number("U235"), 922350);
  EXPECT_EQ(nuclide_number("Am242_m1"), 952421);
  EXPECT_EQ(nuclide_number("C0"), 60000);
  EXPECT_EQ(nuclide_number("lwtr"), 0);
  EXPECT_EQ(nuclide_number(""), 0);
  for (const char* const name : {"U", "235", "U1235", "U99999999999", "U235_m", "U235_m99", "U235_m-1",
                                 "U235_m1x", "U235x", "U-235", "U235_m99999999999"})
    EXPECT_EQ(nuclide_number(name), 0) << name;
}

/// With a cross section that is the same at all energies the nuclei are those of a free gas; with a resonance
/// above the neutron's energy, nuclei that come towards it are hit more often and give it energy.
TEST(ResonanceScattering, PrefersNucleiThatMeetTheResonance) {
  const AngleTable isotropic;
  const double awr = 238, energy = 6.5;
  const Energy kT(0.1);
  const std::vector<double> grid{1e-5, 6.4, 6.6, 6.65, 6.7, 6.75, 6.8, 100}, flat(8, 10),
      resonance{10, 10, 10, 500, 3000, 500, 10, 10};
  const auto mean = [&](const std::vector<double>* elastic) {
    Stream random(3, StreamUse::history, 0, 0);
    double sum = 0;
    constexpr int count = 20000;
    for (int i = 0; i < count; ++i) {
      const Flight in{Energy(energy), {0, 0, 1}};
      sum += (elastic == nullptr ? scatter_elastically(in, awr, kT, isotropic, random)
                                 : scatter_resonantly(in, awr, kT, isotropic,
                                                      {grid, *elastic, Energy(0.01), Energy(1000)}, random))
                 .energy.eV() /
             count;
    }
    return sum;
  };
  EXPECT_NEAR(mean(&flat), mean(nullptr), 0.005);
  EXPECT_GT(mean(&resonance), mean(nullptr) + 0.02);
  Stream random(1, StreamUse::history, 0, 0);
  const Flight fast = scatter_resonantly({Energy(energy), {0, 0, 1}}, awr, kT, isotropic,
                                         {grid, resonance, Energy(0.01), Energy(6)}, random);
  EXPECT_LT(fast.energy, Energy(energy));  // above the highest energy nuclei are at rest
}

/// As in OpenMC; sources often have the energy of an edge.
TEST_F(ContinuousFeatures, AnEnergyOnAnEdgeCountsBelowIt) {
  const std::string settings =
      "<run_mode>fixed source</run_mode><particles>50</particles><batches>1</batches><source><energy "
      "type=\"discrete\"><parameters>1e6 1</parameters></energy></source>";
  const std::string box = with(reflecting_box, "reflective", "vacuum") +
                          "<cell id=\"1\" region=\"1 -2 3 -4 5 -6\" material=\"3\"/>";
  const auto flux = [&](const std::string& edges) {
    return run(read(box, settings,
                    "<filter id=\"1\" type=\"energy\"><bins>" + edges +
                        "</bins></filter><tally id=\"1\"><filters>1</filters><scores>flux</scores></tally>"))
        .sum;
  };
  const std::vector<double> inside = flux("1e5 1e6 2e7"), last = flux("1e-5 1e5 1e6"), all = flux("1e-5 2e7");
  EXPECT_GT(inside[0], 0);
  EXPECT_EQ(inside[1], 0);
  EXPECT_EQ(last[1], inside[0]);
  EXPECT_NEAR(last[0] + last[1], all[0], 1e-9 * all[0]);
}

}  // namespace
}  // namespace taihu::neutron
