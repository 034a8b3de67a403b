// SPDX-License-Identifier: Apache-2.0
// Filters whose bins have sums that are known: angles, moments, weights, currents with where they come from.
#include <gtest/gtest.h>

#include <cmath>

#include "taihu/base/error.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/neutron/tally/estimate.h"
#include "taihu/neutron/test_library.h"
#include "taihu/neutron/test_models.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

TallyStatistics statistics_of(const Model& model) {
  parallel::SoloCommunicator rank;
  Simulation simulation(model, rank, 2, parallel::LoopSchedule{});
  while (!simulation.finished()) simulation.run_batch();
  return simulation.statistics();
}

Estimate at(const TallyStatistics& s, std::size_t bin) {
  return estimate(s.sum[bin], s.sum_sq[bin], s.realizations);
}

std::string filter(int id, const std::string& type, const std::string& bins) {
  return "<filter id=\"" + std::to_string(id) + "\" type=\"" + type + "\"><bins>" + bins + "</bins></filter>";
}

std::string tally(int id, const std::string& filters, const std::string& scores,
                  const std::string& more = "") {
  return "<tally id=\"" + std::to_string(id) + "\"><filters>" + filters + "</filters><scores>" + scores +
         "</scores>" + more + "</tally>";
}

std::string tallies_refusal(const std::string& tallies) {
  try {
    const Model model = test_model("rectangular", settings_text(10, 2, 1), tallies);
    parallel::SoloCommunicator rank;
    Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.substr(text.find("model.xml") == std::string::npos ? 0 : text.find("model.xml"));
  }
  return "accepted";
}

/// The library's water scatters with first moments: 0.549 and 0.1 within the fast group, and so on.
TEST(Filters, LegendreMomentsAreThoseOfTheLibrary) {
  const Model model = test_model(
      "rectangular", settings_text(3000, 12, 2),
      filter(1, "material", "2 1") + "<filter id=\"2\" type=\"legendre\"><order>2</order></filter>" +
          filter(3, "energy", "1e-5 1 2e7") + filter(4, "energyout", "1e-5 1 2e7") + filter(5, "mu", "4") +
          tally(1, "1 3 4 2", "scatter") + tally(2, "1 3 4 5", "scatter") + tally(3, "1 3 4", "scatter"));
  const TallyStatistics s = statistics_of(model);
  const auto moment = [&](int material, int from, int to, int l) {
    return s.sum[((material * 2 + from) * 2 + to) * 3 + l];
  };
  const double* by_mu = s.sum.data() + 24;
  const double* plain = by_mu + 32;
  for (int row = 0; row < 8; ++row) {
    double all = 0;
    for (int bin = 0; bin < 4; ++bin) all += by_mu[4 * row + bin];
    EXPECT_EQ(s.sum[3 * row], plain[row]);
    EXPECT_NEAR(all, plain[row], 1e-12);
  }
  // Energies rise: group 1 is the fast one.
  EXPECT_NEAR(moment(0, 1, 1, 1) / moment(0, 1, 1, 0), 0.1 / 0.549, 0.01);
  EXPECT_NEAR(moment(0, 1, 0, 1) / moment(0, 1, 0, 0), 0.01 / 0.05, 0.03);
  EXPECT_NEAR(moment(0, 0, 0, 1) / moment(0, 0, 0, 0), 0.3 / 1.97, 0.01);
  EXPECT_NEAR(moment(0, 0, 0, 2) / moment(0, 0, 0, 0), 0, 0.01);
  EXPECT_NEAR(moment(1, 1, 1, 1) / moment(1, 1, 1, 0), 0, 0.03);  // fuel: isotropic
  EXPECT_GT(by_mu[4 * 3 + 3], 1.2 * by_mu[4 * 3]);
}

TEST(Filters, DirectionsHaveTheSharesOfAnIsotropicFlux) {
  const std::string more[] = {"", "<estimator>tracklength</estimator>"};
  for (const std::string& estimator : more) {
    const Model model =
        test_model("boolean", settings_text(plain_or_sanitized(3000, 1000), 12, 2),
                   filter(1, "polar", "0 0.5 1.5707963267948966 3.2") + filter(2, "azimuthal", "4") +
                       filter(3, "particle", "neutron") + tally(1, "1 2 3", "flux", estimator) +
                       tally(2, "3", "flux", estimator));
    const TallyStatistics s = statistics_of(model);
    const double shares[] = {(1 - std::cos(0.5)) / 2, std::cos(0.5) / 2, 0.5};
    double all = 0;
    for (int bin = 0; bin < 12; ++bin) {
      const double expected = s.sum[12] / s.realizations * shares[bin / 4] / 4;
      EXPECT_NEAR(at(s, bin).mean, expected, plain_or_sanitized(0.05, 0.09) * expected) << bin;
      all += s.sum[bin];
    }
    EXPECT_NEAR(all, s.sum[12], 1e-12 * all);
  }
}

/// In a steady state as many neutrons go from one cell to another as come back plus those absorbed there.
TEST(Filters, CurrentsBetweenCellsAreThoseThroughTheirSurface) {
  const std::string surface = "<estimator>analog</estimator>";
  Model model =
      test_model("rectangular", settings_text(500, 6, 1),
                 filter(1, "surface", "7") + filter(2, "cellfrom", "1 2 3") + filter(3, "cell", "1 2 3") +
                     filter(4, "materialfrom", "1 2") + filter(5, "cellborn", "1 2") +
                     filter(6, "surface", "1 2") + tally(1, "1", "current") + tally(2, "2 3", "current") +
                     tally(3, "1 3", "current") + tally(4, "1 4", "current") + tally(5, "5", "absorption") +
                     tally(6, "6", "current") + "<tally id=\"7\"><scores>absorption</scores></tally>");
  const TallyStatistics s = statistics_of(model);
  const double net = s.sum[0], *between = s.sum.data() + 1, *into = s.sum.data() + 10,
               *from = s.sum.data() + 13;
  EXPECT_NEAR(between[1] - between[3], net, 1e-9);  // out of the pins, less into them
  EXPECT_NEAR(into[0], -between[3], 1e-9);          // against the normal
  EXPECT_NEAR(into[1], between[1], 1e-9);
  EXPECT_EQ(into[2], 0);
  EXPECT_NEAR(from[0], between[1], 1e-9);
  EXPECT_NEAR(from[1], -between[3], 1e-9);
  EXPECT_GT(between[0], 0);  // reflected at the top or the bottom
  EXPECT_GT(between[4], 0);  // from one element of the lattice to the next
  const double* born = s.sum.data() + 15;
  EXPECT_EQ(born[1], 0);  // no neutron is born in water
  EXPECT_EQ(born[0], s.sum[19]);
  // Reflected neutrons pass the surface both ways.
  EXPECT_NEAR(s.sum[17], 0, 1e-9);
  EXPECT_NEAR(s.sum[18], 0, 1e-9);
}

/// Between two periodic planes, and out of a vacuum plane: neutrons that leave at one periodic plane enter at
/// the other.
TEST(Filters, CurrentsThroughBoundariesAreCountedWhereTheNeutronIsThen) {
  std::string geometry = geometry_text("rectangular");
  for (const char* kind : {"periodic", "periodic", "vacuum"})
    geometry.replace(geometry.find("reflective"), 10, kind);
  const Model model = model_from_text(model_text(geometry, settings_text(2000, 5, 1),
                                                 filter(1, "surface", "1 2 3") + filter(2, "cell", "9") +
                                                     tally(1, "1 2", "current") + tally(2, "1", "current")));
  parallel::SoloCommunicator rank;
  Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
  while (!simulation.finished()) simulation.run_batch();
  const TallyStatistics& s = simulation.statistics();
  EXPECT_GT(std::fabs(s.sum[0]), 0);
  const Estimate leak = at(s, 2);
  EXPECT_LT(leak.mean, 0);  // against the normal
  const Criticality& c = simulation.criticality();
  EXPECT_NEAR(-s.sum[2], c.sum[3], 1e-9);  // leakage
  for (int i = 0; i < 3; ++i) EXPECT_EQ(s.sum[i], s.sum[3 + i]);
}

TEST(Filters, HaveTheSameBitsWithDomains) {
  const Model model = test_model(
      "rectangular", settings_text(301, 4, 1),
      "<mesh id=\"1\"><dimension>3 3</dimension><lower_left>-3 -3</lower_left><upper_right>3 "
      "3</upper_right></mesh>" +
          filter(1, "mesh", "1") + filter(2, "cellborn", "1") +
          "<filter id=\"3\" type=\"legendre\"><order>1</order></filter>" + filter(4, "distribcell", "1") +
          tally(1, "1 2", "flux") + tally(2, "1 3", "scatter") + tally(3, "4 2", "total"));
  const TallyStatistics expected = statistics_of(model);
  parallel::on_ranks(4, [&](parallel::Communicator& rank) {
    Simulation simulation(model, rank, 1, parallel::LoopSchedule{}, {.shape = {2, 2, 1}});
    while (!simulation.finished()) simulation.run_batch();
    const TallyStatistics all = simulation.all_statistics();
    if (rank.is_root()) {
      EXPECT_EQ(all.sum, expected.sum);
    }
  });
}

TEST(Filters, ThatDoNotFitAreRefused) {
  const std::pair<std::string, std::string> cases[] = {
      {filter(1, "mu", "4") + tally(1, "1", "flux"),
       "model.xml:21:49: tally 1: score flux has no outgoing angle"},
      {filter(1, "mu", "4") + tally(1, "1", "nu-fission"),
       "model.xml:21:49: tally 1: score nu-fission has no outgoing angle"},
      {filter(1, "mu", "1") + tally(1, "1", "scatter"),
       "model.xml:21:1: <filter>: \"bins\" is a number of bins from 2 on"},
      {filter(1, "polar", "1 0.5") + tally(1, "1", "flux"),
       "model.xml:21:1: <filter>: \"bins\" has at least two edges that rise"},
      {filter(1, "particle", "photon") + tally(1, "1", "flux"),
       "model.xml:21:1: <filter>: \"neutron\" is the only particle that is followed"},
      {filter(1, "cellfrom", "1") + tally(1, "1", "flux"),
       "model.xml:21:55: tally 1: cellfrom and materialfrom filters are for the score current"},
      {filter(1, "cellfrom", "77") + tally(1, "1", "current"),
       "model.xml:21:1: <filter>: there is no cell 77"},
      {filter(1, "materialfrom", "77") + tally(1, "1", "current"),
       "model.xml:21:1: <filter>: there is no material 77"},
      {filter(1, "material", "1") + tally(1, "1", "current"),
       "model.xml:21:55: tally 1: score current needs a surface, meshsurface, cell or cellfrom filter"},
      {"<filter id=\"1\" type=\"legendre\"><order>-1</order></filter>" + tally(1, "1", "scatter"),
       "model.xml:21:1: <filter>: \"order\" is from 0 to 999"},
      {"<filter id=\"1\" type=\"energyfunction\"><energy>1 2</energy><y>1 2</y></filter>" +
           tally(1, "1", "flux"),
       "model.xml:21:1: <filter>: an energyfunction filter needs continuous-energy data"},
      {filter(1, "zernike", "4") + tally(1, "1", "flux"), "model.xml:21:1: <filter>: \"order\" is missing"},
      {filter(1, "weight", "4") + tally(1, "1", "flux"),
       "model.xml:21:1: <filter>: filter \"weight\" is not supported"},
      {filter(1, "meshsurface", "1") + tally(1, "1", "flux"), "model.xml:21:1: <filter>: there is no mesh 1"},
      {filter(1, "musurface", "4") + tally(1, "1", "current"),
       "model.xml:21:56: tally 1: a musurface filter needs a surface filter"},
      {filter(1, "collision", "1 1") + tally(1, "1", "scatter"),
       "model.xml:21:1: <filter>: 1 is in \"bins\" twice"},
      {filter(1, "time", "-1 1") + tally(1, "1", "flux"),
       "model.xml:21:1: <filter>: \"bins\" has a negative time"},
      {"<filter id=\"1\" type=\"sphericalharmonics\"><order>11</order></filter>" + tally(1, "1", "flux"),
       "model.xml:21:1: <filter>: \"order\" is from 0 to 10"},
      {"<filter id=\"1\" type=\"spatiallegendre\" order=\"1\" axis=\"z\" min=\"1\" max=\"1\"/>" +
           tally(1, "1", "flux"),
       "model.xml:21:1: <filter>: \"max\" has to be above \"min\""}};
  for (const auto& [tallies, message] : cases) EXPECT_EQ(tallies_refusal(tallies), message);
}

}  // namespace
}  // namespace taihu::neutron
