// SPDX-License-Identifier: Apache-2.0
// Time of neutrons, cutoffs, periodicity by rotation, triggers, currents through meshes: against values that
// are known.
#include <gtest/gtest.h>

#include <cmath>

#include "taihu/base/error.h"
#include "taihu/neutron/nuclide/kinematics.h"
#include "taihu/neutron/tally/estimate.h"
#include "taihu/neutron/test_models.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

std::string box(const std::string& low, const std::string& boundary) {
  std::string text;
  const char* axes[] = {"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis) {
    const std::string head = "<surface id=\"" + std::to_string(2 * axis + 1), name = axes[axis];
    text += head + "\" type=\"" + name + "-plane\" coeffs=\"" + low + "\" boundary=\"" + boundary + "\"/>";
    text += "<surface id=\"" + std::to_string(2 * axis + 2) + "\" type=\"" + name +
            "-plane\" coeffs=\"4\" boundary=\"vacuum\"/>";
  }
  return text;
}

const std::string point_source =
    "<run_mode>fixed source</run_mode><energy_mode>multi-group</energy_mode><particles>500</particles>"
    "<batches>2</batches><source><space type=\"point\"><parameters>0 0 0</parameters></space>"
    "<energy type=\"discrete\"><parameters>1e6 1</parameters></energy></source>\n";

const std::string void_sphere =
    "<surface id=\"1\" type=\"sphere\" coeffs=\"0 0 0 4\" boundary=\"vacuum\"/>"
    "<cell id=\"1\" region=\"-1\" material=\"void\"/>";

TallyStatistics run(const Model& model) {
  parallel::SoloCommunicator rank;
  Simulation simulation(model, rank, 2, parallel::LoopSchedule{});
  while (!simulation.finished()) simulation.run_batch();
  EXPECT_EQ(simulation.lost_count(), 0);
  return simulation.statistics();
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// In a void sphere of 4 cm each neutron is there for 4 cm over its speed.
TEST(Time, DividesPathsAtTheEdgesOfBins) {
  const Model plain = model_from_text(model_text(void_sphere, point_source));
  const double seconds = 4 / speed(plain.data.energy(GroupId(0)));
  const std::string edges = "0 " + number(0.25 * seconds) + " " + number(0.75 * seconds) + " 1";
  const Model model =
      model_from_text(model_text(void_sphere, point_source,
                                 "<filter id=\"1\" type=\"time\"><bins>" + edges +
                                     "</bins></filter><tally id=\"1\"><filters>1</filters>"
                                     "<scores>flux</scores><estimator>tracklength</estimator></tally>"));
  const TallyStatistics flux = run(model);
  EXPECT_NEAR(flux.sum[0] / 2, 1, 1e-12);
  EXPECT_NEAR(flux.sum[1] / 2, 2, 1e-12);
  EXPECT_NEAR(flux.sum[2] / 2, 1, 1e-12);
}

TEST(Time, EndsNeutronsAtTheCutoff) {
  const Model plain = model_from_text(model_text(void_sphere, point_source));
  const double seconds = 4 / speed(plain.data.energy(GroupId(0)));
  const std::string tally = "<tally id=\"1\"><scores>flux</scores><estimator>tracklength</estimator></tally>";
  const auto flux = [&](double cutoff, double born = 0) {
    std::string settings =
        point_source + "<cutoff><time_neutron>" + number(cutoff) + "</time_neutron></cutoff>";
    settings.insert(settings.find("</source>"),
                    "<time type=\"discrete\"><parameters>" + number(born) + " 1</parameters></time>");
    return run(model_from_text(model_text(void_sphere, settings, tally))).sum[0] / 2;
  };
  EXPECT_NEAR(flux(0.5 * seconds), 2, 1e-12);
  EXPECT_NEAR(flux(2 * seconds), 4, 1e-12);
  EXPECT_EQ(flux(0), 0);
  EXPECT_NEAR(flux(seconds, 0.75 * seconds), 1, 1e-12);
  EXPECT_EQ(flux(seconds, 2 * seconds), 0);
}

TEST(Cutoff, OfEnergyEndsNeutronsThatScatterBelow) {
  const auto slow = [](const std::string& cutoff) {
    const Model model = test_model("rectangular", settings_text(300, 4, 1) + cutoff,
                                   "<filter id=\"1\" type=\"energy\"><bins>1e-5 1 2e7</bins></filter>"
                                   "<tally id=\"1\"><filters>1</filters><scores>flux</scores></tally>");
    return run(model).sum[0];
  };
  EXPECT_GT(slow(""), 0);
  EXPECT_EQ(slow("<cutoff><energy_neutron>2</energy_neutron></cutoff>"), 0);
}

Estimate k_of(const std::string& geometry, const std::string& source, Tracking tracking) {
  Model model = model_from_text(
      model_text(geometry,
                 "<energy_mode>multi-group</energy_mode><particles>2000</particles><batches>25</batches>"
                 "<inactive>5</inactive><source><space type=\"box\"><parameters>" +
                     source + "</parameters></space></source>"));
  model.settings.tracking = tracking;
  parallel::SoloCommunicator rank;
  Simulation simulation(model, rank, 2, parallel::LoopSchedule{});
  while (!simulation.finished()) simulation.run_batch();
  EXPECT_EQ(simulation.lost_count(), 0);
  return simulation.criticality().combined();
}

/// A quarter of a square with a pin off its middle, turned by 90 degrees: the same as all four quarters.
TEST(Periodicity, ByRotationGivesTheWholeModel) {
  const std::string planes =
      "<surface id=\"5\" type=\"z-plane\" coeffs=\"-4\" boundary=\"reflective\"/>"
      "<surface id=\"6\" type=\"z-plane\" coeffs=\"4\" boundary=\"reflective\"/>"
      "<surface id=\"2\" type=\"x-plane\" coeffs=\"4\" boundary=\"vacuum\"/>"
      "<surface id=\"4\" type=\"y-plane\" coeffs=\"4\" boundary=\"vacuum\"/>";
  const auto pin = [](int id, double x, double y) {
    return "<surface id=\"" + std::to_string(id) + "\" type=\"z-cylinder\" coeffs=\"" + number(x) + " " +
           number(y) + " 0.9\"/>";
  };
  const std::string quarter = planes + pin(11, 2.5, 1.2) +
                              "<surface id=\"1\" type=\"x-plane\" coeffs=\"0\" boundary=\"periodic\"/>"
                              "<surface id=\"3\" type=\"y-plane\" coeffs=\"0\" boundary=\"periodic\"/>"
                              "<cell id=\"1\" region=\"1 -2 3 -4 5 -6 -11\" material=\"2\"/>"
                              "<cell id=\"2\" region=\"1 -2 3 -4 5 -6 11\" material=\"1\"/>";
  const std::string whole =
      planes + pin(11, 2.5, 1.2) + pin(12, -1.2, 2.5) + pin(13, -2.5, -1.2) + pin(14, 1.2, -2.5) +
      "<surface id=\"1\" type=\"x-plane\" coeffs=\"-4\" boundary=\"vacuum\"/>"
      "<surface id=\"3\" type=\"y-plane\" coeffs=\"-4\" boundary=\"vacuum\"/>"
      "<cell id=\"1\" region=\"1 -2 3 -4 5 -6 (-11 | -12 | -13 | -14)\" material=\"2\"/>"
      "<cell id=\"2\" region=\"1 -2 3 -4 5 -6 11 12 13 14\" material=\"1\"/>";
  const Estimate expected = k_of(whole, "-4 -4 -4 4 4 4", Tracking::surface);
  for (const Tracking tracking : {Tracking::surface, Tracking::delta}) {
    const Estimate k = k_of(quarter, "0 0 -4 4 4 4", tracking);
    EXPECT_NEAR(k.mean, expected.mean, 4 * std::hypot(k.deviation, expected.deviation));
  }
}

TEST(Periodicity, ByRotationNeedsOneSide) {
  const std::string planes =
      "<surface id=\"1\" type=\"x-plane\" coeffs=\"0\" boundary=\"periodic\" periodic_surface_id=\"2\"/>"
      "<surface id=\"2\" type=\"y-plane\" coeffs=\"0\" boundary=\"periodic\" periodic_surface_id=\"1\"/>";
  const auto refusal = [&](const std::string& cells) {
    try {
      model_from_text(model_text(planes + cells, settings_text()));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal("<cell id=\"1\" region=\"1 2\" material=\"1\"/>"), "accepted");
  EXPECT_NE(
      refusal("<cell id=\"1\" region=\"1 2\" material=\"1\"/><cell id=\"2\" region=\"-1 2\" material=\"1\"/>")
          .find("one side"),
      std::string::npos);
  EXPECT_NE(refusal("<cell id=\"1\" region=\"~(-1 | -2)\" material=\"1\"/>").find("one side"),
            std::string::npos);
}

std::string triggers(const std::string& k, const std::string& more = "") {
  return "<trigger><active>true</active><max_batches>60</max_batches><batch_interval>4</batch_interval></"
         "trigger>" +
         (k.empty() ? ""
                    : "<keff_trigger><type>std_dev</type><threshold>" + k + "</threshold></keff_trigger>") +
         more;
}

int batches_of(const Model& model, parallel::Communicator& ranks) {
  Simulation simulation(model, ranks, 1, parallel::LoopSchedule{});
  while (!simulation.finished()) simulation.run_batch();
  return simulation.batch();
}

int batches_alone(const std::string& settings, const std::string& tallies = "") {
  parallel::SoloCommunicator rank;
  return batches_of(test_model("rectangular", settings_text(200, 8, 2) + settings, tallies), rank);
}

TEST(Triggers, LetARunGoOnUntilItIsPrecise) {
  EXPECT_EQ(batches_alone(triggers("10")), 8);
  EXPECT_EQ(batches_alone(triggers("1e-9")), 60);
  const int enough = batches_alone(triggers("0.012"));
  EXPECT_GT(enough, 8);
  EXPECT_LT(enough, 60);
  EXPECT_EQ(enough % 4, 0);
}

TEST(Triggers, OfTalliesLookAtAllBinsOnAllRanks) {
  const auto tally = [](const std::string& threshold, const std::string& more) {
    return "<filter id=\"1\" type=\"cell\"><bins>1 2</bins></filter><tally id=\"1\"><filters>1</filters>"
           "<scores>fission flux</scores><trigger type=\"rel_err\" threshold=\"" +
           threshold + "\" " + more + "/></tally>";
  };
  EXPECT_EQ(batches_alone(triggers(""), tally("1", "")), 60);  // water has no fission
  EXPECT_EQ(batches_alone(triggers(""), tally("1", "ignore_zeros=\"true\"")), 8);
  EXPECT_EQ(batches_alone(triggers(""), tally("1", "scores=\"flux\"")), 8);
  const std::string precise = tally("0.012", "scores=\"flux\"");
  const int alone = batches_alone(triggers(""), precise);
  EXPECT_GT(alone, 8);
  EXPECT_LT(alone, 60);
  parallel::on_ranks(3, [&](parallel::Communicator& ranks) {
    const Model model = test_model("rectangular", settings_text(200, 8, 2) + triggers(""), precise);
    EXPECT_EQ(batches_of(model, ranks), alone);
  });
}

/// The net current through the faces of a mesh cell is what its cell gains less what it loses.
TEST(MeshCurrents, BalanceInEachCell) {
  const std::string mesh =
      "<mesh id=\"1\"><dimension>2 2 2</dimension><lower_left>-1 -1 -1</lower_left><upper_right>2 2 "
      "2</upper_right>"
      "</mesh><filter id=\"1\" type=\"meshsurface\"><bins>1</bins></filter>"
      "<tally id=\"1\"><filters>1</filters><scores>current</scores></tally>";
  const Model model = model_from_text(model_text(void_sphere, point_source, mesh));
  const TallyStatistics s = run(model);
  double in = 0, out = 0;
  for (int cell = 0; cell < 8; ++cell)
    for (int face = 0; face < 12; ++face) (face % 2 == 0 ? out : in) += s.sum[cell * 12 + face] / 2;
  // The source is in the lowest cell; all neutrons leave the mesh. Each inner face counts once in, once out.
  EXPECT_NEAR(out - in, 1, 1e-12);
  EXPECT_GT(in, 0);
}

/// As in OpenMC.
TEST(MeshCurrents, ThroughAReflectingSideIsNone) {
  const std::string geometry =
      box("-4", "reflective") + "<cell id=\"1\" region=\"1 -2 3 -4 5 -6\" material=\"1\"/>";
  const std::string mesh =
      "<mesh id=\"1\"><dimension>1</dimension><lower_left>-4</lower_left><upper_right>4</upper_right></mesh>"
      "<filter id=\"1\" type=\"meshsurface\"><bins>1</bins></filter><filter id=\"2\" "
      "type=\"surface\"><bins>1 2</bins>"
      "</filter><tally id=\"1\"><filters>1</filters><scores>current</scores></tally>"
      "<tally id=\"2\"><filters>2</filters><scores>current</scores></tally>";
  const Model model = model_from_text(model_text(geometry, point_source, mesh));
  const TallyStatistics s = run(model);
  EXPECT_EQ(s.sum[0], 0);  // x-min, where neutrons come back
  EXPECT_EQ(s.sum[1], 0);
  EXPECT_GT(s.sum[2], 0);
  EXPECT_NEAR(s.sum[2], s.sum[5], 1e-12);  // out at x-max: the leakage through surface 2
  EXPECT_EQ(s.sum[3], 0);
}

TEST(Filters, OfCollisionsCountThem) {
  const Model model = test_model(
      "rectangular", settings_text(500, 4, 1),
      "<filter id=\"1\" type=\"collision\"><bins>1 2 0</bins></filter><tally id=\"1\"><filters>1</filters>"
      "<scores>events</scores><estimator>analog</estimator></tally><tally id=\"2\"><scores>events</scores>"
      "<estimator>analog</estimator></tally>");
  const TallyStatistics s = run(model);
  EXPECT_NEAR(s.sum[0] / 3, 1, 1e-12);  // reflected all around: every neutron collides once
  EXPECT_LT(s.sum[1], s.sum[0]);
  EXPECT_EQ(s.sum[2], 0);
  EXPECT_GT(s.sum[3], s.sum[0] + s.sum[1]);
}

TEST(Filters, OfPlacesOfBirthAndOfMovedMeshesSeeTheSame) {
  const std::string mesh = "<dimension>3 3</dimension>";
  const Model model = test_model(
      "rectangular", settings_text(500, 4, 1),
      "<mesh id=\"1\">" + mesh +
          "<lower_left>-3 -3</lower_left><upper_right>3 3</upper_right></mesh><mesh id=\"2\">" + mesh +
          "<lower_left>-2 -4</lower_left><upper_right>4 2</upper_right></mesh>"
          "<filter id=\"1\" type=\"mesh\"><bins>1</bins></filter>"
          "<filter id=\"2\" type=\"mesh\" translation=\"-1 1 0\"><bins>2</bins></filter>"
          "<filter id=\"3\" type=\"mesh\" rotation=\"0 0 90\"><bins>1</bins></filter>"
          "<filter id=\"4\" type=\"meshborn\"><bins>1</bins></filter>"
          "<tally id=\"1\"><filters>1</filters><scores>flux</scores></tally>"
          "<tally id=\"2\"><filters>2</filters><scores>flux</scores></tally>"
          "<tally id=\"3\"><filters>3</filters><scores>flux</scores></tally>"
          "<tally id=\"4\"><filters>4</filters><scores>flux</scores></tally>"
          "<tally id=\"5\"><scores>flux</scores></tally>");
  const TallyStatistics s = run(model);
  double born = 0;
  bool forwards = true, backwards = true;
  for (int i = 0; i < 9; ++i) {
    EXPECT_NEAR(s.sum[i], s.sum[9 + i], 1e-9 * s.sum[i]);
    const int x = i % 3, y = i / 3, turned = (2 - x) * 3 + y;  // turning by +90 degrees about z
    const int back = x * 3 + (2 - y);
    forwards = forwards && std::fabs(s.sum[18 + turned] - s.sum[i]) < 1e-9 * s.sum[i];
    backwards = backwards && std::fabs(s.sum[18 + back] - s.sum[i]) < 1e-9 * s.sum[i];
    born += s.sum[27 + i];
  }
  EXPECT_NE(forwards, backwards);
  EXPECT_NEAR(born, s.sum[36], 1e-9 * born);
}

TEST(Filters, MomentsOfOrderZeroAreTheTally) {
  const Model model = test_model(
      "rectangular", settings_text(500, 4, 1),
      "<filter id=\"1\" type=\"sphericalharmonics\"><order>2</order></filter>"
      "<filter id=\"2\" type=\"spatiallegendre\" order=\"2\" axis=\"x\" min=\"-3\" max=\"3\"/>"
      "<filter id=\"3\" type=\"zernike\" order=\"2\" x=\"0\" y=\"0\" r=\"5\"/>"
      "<tally id=\"1\"><filters>1</filters><scores>flux</scores><estimator>collision</estimator></tally>"
      "<tally id=\"2\"><filters>2 3</filters><scores>flux</scores><estimator>collision</estimator></tally>"
      "<tally id=\"3\"><scores>flux</scores><estimator>collision</estimator></tally>");
  const TallyStatistics s = run(model);
  const double flux = s.sum[9 + 18];
  EXPECT_NEAR(s.sum[0], flux, 1e-12 * flux);
  EXPECT_NEAR(s.sum[9], flux, 1e-12 * flux);  // P0 times Z00
  for (int i = 1; i < 9; ++i) EXPECT_LT(std::fabs(s.sum[i]), 0.2 * flux);
}

}  // namespace
}  // namespace taihu::neutron
