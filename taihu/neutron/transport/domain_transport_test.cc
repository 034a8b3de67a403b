// SPDX-License-Identifier: Apache-2.0
// Runs with domains have the same bits as runs without, for many numbers of ranks, threads and domains and
// for difficult models.

#include "taihu/neutron/transport/domain_transport.h"
#include <gtest/gtest.h>
#include <atomic>
#include <cstdio>
#include <cstring>
#include "taihu/base/error.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/neutron/run/domain_report.h"
#include "taihu/neutron/test_library.h"
#include "taihu/neutron/test_models.h"
#include "taihu/neutron/transport/simulation.h"
#include "taihu/parallel/messages.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/shared_error.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

/// Meshes that fit domains (6 cells), do not (5), stick out, or have no third axis; all kinds of estimators.
const char* const domain_tallies =
    "<mesh id=\"1\"><dimension>6 5 2</dimension><lower_left>-3 -3 -3</lower_left><upper_right>3 3 "
    "3</upper_right></mesh>\n"
    "<mesh id=\"2\"><dimension>5 4</dimension><lower_left>-4 -2</lower_left><upper_right>2 "
    "5</upper_right></mesh>\n"
    "<filter id=\"1\" type=\"mesh\"><bins>1</bins></filter><filter id=\"4\" "
    "type=\"mesh\"><bins>2</bins></filter>"
    "<filter id=\"2\" type=\"energy\"><bins>1e-5 1 2e7</bins></filter>"
    "<filter id=\"3\" type=\"material\"><bins>2 1</bins></filter>\n"
    "<tally id=\"1\"><filters>2 1 3</filters><scores>flux nu-fission</scores></tally>"
    "<tally id=\"2\"><filters>4</filters><scores>absorption</scores><estimator>collision</estimator></tally>"
    "<tally id=\"3\"><filters>1 2</filters><scores>absorption events</scores><estimator>analog</estimator>"
    "</tally><tally id=\"4\"><filters>3</filters><scores>total</scores></tally>";

struct DomainOutcome {
  std::vector<double> k, entropy, sum, sum_sq;
  std::array<double, 4> global{};
  std::int64_t lost = 0, flights = 0;
  std::vector<double> source;
  bool operator==(const DomainOutcome&) const = default;
};

/// The sites of all ranks on the root; none elsewhere.
std::vector<Site> on_root(parallel::Communicator& ranks, const std::vector<Site>& sites) {
  std::vector<std::int64_t> counts(ranks.size());
  counts[0] = static_cast<std::int64_t>(sites.size());
  return ranks.exchange<Site>(sites, counts);
}

/// Runs to the end; the outcome is whole on the root.
DomainOutcome run_domains_to_end(Simulation& simulation) {
  while (!simulation.finished()) simulation.run_batch();
  const TallyStatistics statistics = simulation.all_statistics();
  const Criticality& c = simulation.criticality();
  std::int64_t flights = simulation.flights();
  simulation.ranks().sum(std::span<std::int64_t>(&flights, 1));
  DomainOutcome outcome{c.k_generation,    c.entropy, statistics.sum,
                        statistics.sum_sq, c.sum,     simulation.lost_count(),
                        flights,           {}};
  for (const Site& site : on_root(simulation.ranks(), simulation.source()))
    outcome.source.insert(outcome.source.end(),
                          {site.r.x, site.u.y, site.energy.eV(), double(site.group.index())});
  return outcome;
}

DomainOutcome run_without_domains(const Model& model) {
  parallel::SoloCommunicator rank;
  Simulation simulation(model, rank, 1, parallel::LoopSchedule{});
  return run_domains_to_end(simulation);
}

struct Split {
  std::array<int, 3> shape;
  int ranks;
  double half_width = 3;
  bool stand = false;  ///< else they move after each batch
};

/// All outcomes with domains; `arrived`: histories that crossed.
DomainOutcome run_split(const Model& model, const Split& split, std::int64_t* arrived = nullptr) {
  DomainOptions domains{.shape = split.shape, .has_box = true, .lower = {}, .upper = {}};
  domains.lower = Vector{-split.half_width, -split.half_width, -split.half_width};
  domains.upper = -1 * domains.lower;
  domains.stand = split.stand;
  domains.move_every = 1;
  DomainOutcome root;
  std::atomic<std::int64_t> crossed = 0;
  parallel::on_ranks(split.ranks, [&](parallel::Communicator& rank) {
    Simulation simulation(model, rank, 1 + rank.rank() % 2, parallel::LoopSchedule{}, domains);
    const DomainOutcome outcome = run_domains_to_end(simulation);
    crossed += simulation.load().arrived;
    EXPECT_EQ(simulation.last_move() != nullptr, !split.stand && simulation.batch() > 1);
    if (rank.is_root()) root = outcome;
  });
  if (arrived != nullptr) *arrived = crossed;
  return root;
}

void expect_same_bits(const Model& model, const std::vector<Split>& splits) {
  const DomainOutcome expected = run_without_domains(model);
  EXPECT_GT(expected.flights, 0);
  for (const Split& split : splits) {
    std::int64_t arrived = 0;
    EXPECT_EQ(run_split(model, split, &arrived), expected)
        << split.shape[0] << "x" << split.shape[1] << "x" << split.shape[2] << " on " << split.ranks;
    EXPECT_GT(arrived, 0);
  }
}

TEST(Domains, GiveTheBitsOfARunWithoutThem) {
  for (const Tracking tracking : {Tracking::delta, Tracking::surface}) {
    Model model =
        test_model("rectangular", settings_text(plain_or_sanitized(301, 101), 4, 1), domain_tallies);
    model.settings.tracking = tracking;
    expect_same_bits(model, {{{2, 1, 1}, 2},
                             {{1, 3, 1}, 3},
                             {{2, 1, 1}, 5, 3, true},
                             {{2, 2, 2}, 8},
                             {{2, 2, 2}, 8, 3, true},
                             {{3, 1, 2}, 7}});
  }
}

TEST(Domains, GiveTheBitsOfARunWithoutThemInOtherGeometries) {
  for (const char* geometry : {"hexagonal", "rotated", "boolean"}) {
    Model model = test_model(geometry, settings_text(plain_or_sanitized(150, 60), 3, 1), domain_tallies);
    model.settings.survival_biasing = true;
    expect_same_bits(model, {{{2, 2, 1}, 5}});
    model.settings.tracking = Tracking::surface;
    expect_same_bits(model, {{{1, 1, 3}, 3}});
  }
}

TEST(Domains, MayBeEmptyOrTiny) {
  const Model model =
      test_model("rectangular", settings_text(plain_or_sanitized(150, 60), 3, 1), domain_tallies);
  // Ten slabs in a box of a tenth of a millimetre to 100 cm: most are crossed at each flight, or hold
  // nothing.
  expect_same_bits(model, {{{10, 1, 1}, 10, 0.005}, {{9, 1, 1}, 11, 9}, {{1, 5, 2}, 10, 0.3}});
}

TEST(Domains, CarryChainsOfSecondaryNeutrons) {
  std::string settings = settings_text(60, 3, 0);
  settings.replace(settings.find("<energy_mode>"), 0, "<run_mode>fixed source</run_mode>");
  Model model = test_model("boolean", settings, domain_tallies);
  model.settings.has_entropy_mesh = false;
  for (const Tracking tracking : {Tracking::delta, Tracking::surface}) {
    model.settings.tracking = tracking;
    expect_same_bits(model, {{{2, 2, 1}, 4}, {{3, 1, 1}, 5}});
  }
}

/// Continuous energy: (n,2n), levels, and bands of unresolved resonances that a neutron keeps as it crosses.
TEST(Domains, GiveTheBitsOfARunWithoutThemWithContinuousEnergy) {
  const auto constant = [](double value) { return [value](double) { return value; }; };
  TestNuclide fuel;
  fuel.name = "X235", fuel.awr = 30;
  fuel.elastic = constant(4), fuel.capture = constant(1), fuel.fission = constant(2);
  fuel.twice = [](double energy) { return energy > 1e5 ? 1.0 : 0.0; };
  fuel.delayed = 0.1, fuel.unresolved = true;
  const TemporaryFolder folder;
  write_test_nuclide(folder.path("X235.h5"), fuel);
  folder.write("cross_sections.xml", library_xml({"X235"}));
  std::string planes;
  for (int i = 0; i < 6; ++i)
    planes += "<surface id=\"" + std::to_string(i + 1) + "\" type=\"" + "xyz"[i / 2] + "-plane\" coeffs=\"" +
              (i % 2 == 0 ? "-3" : "3") + "\" boundary=\"reflective\"/>";
  std::string settings = settings_text(120, 3, 1);
  settings.replace(settings.find("multi-group"), 11, "continuous-energy");
  folder.write(
      "model.xml",
      "<model><materials><cross_sections>cross_sections.xml</cross_sections><material id=\"1\"><density "
      "units=\"atom/b-cm\" value=\"0.1\"/><nuclide name=\"X235\" ao=\"1\"/></material></materials>"
      "<geometry>" +
          planes + "<cell id=\"1\" material=\"1\" region=\"1 -2 3 -4 5 -6\"/></geometry><settings>" +
          settings +
          "</settings><tallies><mesh id=\"1\"><dimension>4 3 2</dimension><lower_left>-3 -3 -3"
          "</lower_left><upper_right>3 3 3</upper_right></mesh><filter id=\"1\" type=\"mesh\"><bins>1"
          "</bins></filter><tally id=\"1\"><filters>1</filters><scores>flux fission</scores></tally>"
          "</tallies></model>");
  expect_same_bits(read_model(folder.path()), {{{2, 2, 1}, 4}, {{1, 1, 3}, 5}});
}

TEST(Domains, LoseTheSameNeutrons) {
  std::string gap = geometry_text("rectangular");
  gap.replace(gap.find("<outer>2</outer>"), 16, "");
  const Model model = model_from_text(model_text(gap, settings_text(200, 2, 0)));
  const DomainOutcome expected = run_without_domains(model);
  EXPECT_GT(expected.lost, 0);
  EXPECT_EQ(run_split(model, {{2, 2, 1}, 5}), expected);
}

TEST(Domains, OfAChainThatDoesNotEndAreLostToo) {
  std::string settings = settings_text(3, 1, 0);
  settings.replace(settings.find("<energy_mode>"), 0, "<run_mode>fixed source</run_mode>");
  Model model = test_model("rectangular", settings);
  model.settings.has_entropy_mesh = false;
  model.settings.max_events = 7;
  const DomainOutcome expected = run_without_domains(model);
  EXPECT_GT(expected.lost, 0);
  EXPECT_EQ(run_split(model, {{2, 2, 1}, 4}), expected);
}

TEST(Domains, SplitTheMemoryOfTallies) {
  const Model model = test_model("rectangular", settings_text(10, 2, 1), domain_tallies);
  parallel::SoloCommunicator alone;
  const std::int64_t all = Simulation(model, alone, 1, parallel::LoopSchedule{}).layout().bin_count;
  std::atomic<std::int64_t> owned = 0, largest = 0;
  parallel::on_ranks(8, [&](parallel::Communicator& rank) {
    const Simulation simulation(model, rank, 1, parallel::LoopSchedule{}, {.shape = {2, 2, 2}});
    owned += simulation.shares().owned_count();
    const std::int64_t window = simulation.shares().window().size;
    if (rank.is_root()) largest = window;
  });
  EXPECT_EQ(owned, all);
  EXPECT_LT(largest, all / 3);
}

TEST(Domains, EveryBinHasOneOwnerWhoseWindowHasIt) {
  const Model model = test_model("rectangular", settings_text(10, 2, 1), domain_tallies);
  for (const Split& split : {Split{{1, 1, 1}, 3}, Split{{3, 2, 1}, 7}, Split{{1, 1, 5}, 5}}) {
    std::vector<int> owner(1000, -1);
    parallel::on_ranks(split.ranks, [&](parallel::Communicator& rank) {
      const Simulation simulation(model, rank, 1, parallel::LoopSchedule{}, {.shape = split.shape});
      if (!rank.is_root()) return;
      const TallyLayout& layout = simulation.layout();
      std::int64_t bins = 0;
      for (int r = 0; r < split.ranks; ++r) {
        std::int64_t place = 0;
        for (std::size_t tally = 0; tally < layout.compiled.size(); ++tally)
          simulation.shares().for_each_run(r, tally, [&](const BinRun& run) {
            EXPECT_EQ(run.place, place);
            place += run.count;
            for (std::int64_t i = 0; i < run.count; ++i, ++bins) {
              const std::int64_t bin = layout.compiled[tally].first_bin + run.bin_in_tally + i;
              EXPECT_EQ(simulation.shares().owner_of(bin), r);
            }
          });
        EXPECT_EQ(simulation.shares().owned_count(r), place);
      }
      EXPECT_EQ(bins, layout.bin_count);
    });
  }
}

TEST(Domains, AreReportedOneByOne) {
  const Model model = test_model("rectangular", settings_text(200, 2, 0), domain_tallies);
  std::vector<std::string> with, without;
  parallel::on_ranks(5, [&](parallel::Communicator& rank) {
    Simulation split(model, rank, 1, parallel::LoopSchedule{}, {.shape = {2, 1, 2}}),
        whole(model, rank, 1, parallel::LoopSchedule{});
    split.run_batch();
    const std::vector<std::string> lines = domain_report(split), none = domain_report(whole);
    if (rank.is_root()) with = lines, without = none;
  });
  EXPECT_TRUE(without.empty());
  ASSERT_EQ(with.size(), 7u);
  double share = 0;
  int ranks = 0;
  for (int domain = 0; domain < 4; ++domain) {
    int x = -1, y = -1, z = -1, replicas = 0;
    double percent = 0;
    ASSERT_EQ(std::sscanf(with[2 + domain].c_str(), "%d %d %d %d %lf", &x, &y, &z, &replicas, &percent), 5);
    EXPECT_EQ((z * 1 + y) * 2 + x, domain);
    share += percent;
    ranks += replicas;
  }
  EXPECT_NEAR(share, 100, 0.3);
  EXPECT_EQ(ranks, 5);
}

TEST(Domains, ThatCannotBeAreRefused) {
  const Model model = test_model("rectangular");
  const auto refusal = [&](const DomainOptions& domains) -> std::string {
    std::string text = "accepted";
    parallel::on_ranks(4, [&](parallel::Communicator& rank) {
      try {
        const Simulation simulation(model, rank, 1, parallel::LoopSchedule{}, domains);
      } catch (const Error& error) {
        if (rank.is_root()) text = error.what();
      }
    });
    return text;
  };
  EXPECT_EQ(refusal({.shape = {2, 2, 1}}), "accepted");
  EXPECT_EQ(refusal({.shape = {5, 1, 1}}), "5 domains need at least as many ranks; there are 4");
  EXPECT_EQ(refusal({.shape = {65536, 65536, 1}}),
            "4294967296 domains need at least as many ranks; there are 4");
  EXPECT_EQ(refusal({.shape = {1, 2, 1}, .has_box = true, .lower = {0, 1, 0}, .upper = {1, 1, 1}}),
            "the box of the domains has no width along y");
}

TEST(Messages, OfAnyLengthArriveWhole) {
  parallel::on_ranks(3, [&](parallel::Communicator& ranks) {
    std::vector<parallel::Bytes> out(3);
    const std::size_t lengths[] = {0, (std::size_t{64} << 20) + 3, 5};
    for (int to = 0; to < 3; ++to)
      out[to].assign(lengths[to], static_cast<std::byte>(10 * ranks.rank() + to));
    const std::vector<parallel::Bytes> in = parallel::exchange_all(ranks, std::move(out));
    for (int from = 0; from < 3; ++from) {
      ASSERT_EQ(in[from].size(), lengths[ranks.rank()]);
      // At once: vectors of std::byte are compared one by one, which takes seconds under a sanitizer.
      const parallel::Bytes expected(in[from].size(), static_cast<std::byte>(10 * from + ranks.rank()));
      EXPECT_TRUE(expected.empty() || std::memcmp(in[from].data(), expected.data(), expected.size()) == 0);
    }
  });
}

TEST(Messages, AFailureOfOneRankIsToldOnAll) {
  std::atomic<int> told = 0;
  parallel::on_ranks(4, [&](parallel::Communicator& ranks) {
    EXPECT_NO_THROW(parallel::throw_together(ranks, ""));
    try {
      parallel::throw_together(ranks, ranks.rank() >= 2 ? "disk " + std::to_string(ranks.rank()) : "");
    } catch (const parallel::SharedError& error) {
      EXPECT_STREQ(error.what(), "disk 2");
      EXPECT_FALSE(error.wrong_use());
      ++told;
    }
  });
  EXPECT_EQ(told, 4);
}

TEST(Messages, WhatOneRankThrowsIsThrownByAll) {
  for (const int size : {1, 3}) {
    std::atomic<int> told = 0, worked = 0;
    parallel::on_ranks(size, [&](parallel::Communicator& ranks) {
      parallel::together(ranks, ranks.is_root(), [&] { ++worked; });
      try {
        parallel::together(ranks, true, [&] {
          if (ranks.rank() == size - 1) throw UsageError("no such option");
        });
      } catch (const parallel::SharedError& error) {
        EXPECT_STREQ(error.what(), "no such option");
        EXPECT_TRUE(error.wrong_use());
        ++told;
      }
      try {
        parallel::together(ranks, ranks.is_root(), [] { throw std::bad_alloc(); });
      } catch (const parallel::SharedError& error) {
        EXPECT_STREQ(error.what(), "there is not enough memory");
        ++told;
      }
    });
    EXPECT_EQ(told, 2 * size);
    EXPECT_EQ(worked, 1);
  }
}

}  // namespace
}  // namespace taihu::neutron
