// SPDX-License-Identifier: Apache-2.0
// Domains that are cut where the work is, and statistics that go to the bins' new owners.
#include <gtest/gtest.h>

#include <mutex>

#include "taihu/neutron/tally/move_statistics.h"
#include "taihu/neutron/test_models.h"
#include "taihu/neutron/transport/simulation.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::neutron {
namespace {

Domains even_domains(const std::array<int, 3>& shape, int ranks) {
  const DomainOptions options{.shape = shape, .has_box = true, .lower = {-3, -3, -3}, .upper = {3, 3, 3}};
  return {options, Geometry{}, ranks};
}

/// A point, mostly in a corner; some are outside of the box.
Vector point_with_load(Stream& random) {
  Vector r;
  for (int axis = 0; axis < 3; ++axis) r[axis] = -3 + 0.5 * random.exponential();
  return random.uniform() < 0.1 ? -1 * r : r;
}

constexpr int point_count = 20000;

LoadMap loaded(const Domains& domains) {
  LoadMap load = domains.load_map();
  Stream random(3, StreamUse::source, 0, 0);
  for (int i = 0; i < point_count; ++i) load.add(point_with_load(random));
  return load;
}

/// Points of the busiest rank over the mean, counted point by point.
double counted_imbalance(const Domains& domains) {
  std::vector<double> counts(domains.count());
  Stream random(3, StreamUse::source, 0, 0);
  for (int i = 0; i < point_count; ++i) ++counts[domains.of_point(point_with_load(random))];
  double most = 0;
  for (int domain = 0; domain < domains.count(); ++domain)
    most = std::max(most, counts[domain] / domains.replicas(domain));
  return most * domains.ranks() / point_count;
}

struct Grid {
  std::array<int, 3> shape;
  int ranks;
};
const std::vector<Grid> grids{
    {{2, 1, 1}, 2}, {{1, 5, 1}, 7}, {{1, 1, 3}, 3}, {{2, 2, 2}, 8}, {{3, 2, 4}, 31}};

TEST(MovedDomains, ShareTheWorkEvenly) {
  for (const auto& [shape, ranks] : grids) {
    const Domains even = even_domains(shape, ranks);
    const LoadMap load = loaded(even);
    const Domains moved = even.moved(load, 0);
    EXPECT_GT(counted_imbalance(even), 1.5);
    EXPECT_NEAR(even.imbalance(load), counted_imbalance(even), 0.25);
    EXPECT_LT(counted_imbalance(moved), 1.2) << shape[0] << "x" << shape[1] << "x" << shape[2];
    EXPECT_NEAR(moved.imbalance(load), 1, 1e-6);
  }
}

TEST(MovedDomains, FillSpaceWithoutOverlapping) {
  for (const auto& [shape, ranks] : grids) {
    const Domains domains = even_domains(shape, ranks).moved(loaded(even_domains(shape, ranks)), 0.1);
    Stream random(4, StreamUse::source, 0, 0);
    for (int i = 0; i < 2000; ++i) {
      const Vector r = 5 * Vector{random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.7};
      int holders = 0;
      for (int domain = 0; domain < domains.count(); ++domain) holders += !domains.box(domain).left_by(r);
      EXPECT_EQ(holders, 1);
      EXPECT_FALSE(domains.box(domains.of_point(r)).left_by(r));
    }
  }
}

TEST(MovedDomains, AreNotLargerThanTheEvenPartOfTheWorkAllows) {
  const Domains even = even_domains({2, 2, 2}, 8);
  const LoadMap load = loaded(even);
  const auto largest = [](const Domains& domains) {
    double most = 0;
    for (int domain = 0; domain < 8; ++domain) {
      double volume = 1;
      const DomainBox box = domains.box(domain);
      for (int axis = 0; axis < 3; ++axis)
        volume *= std::min(box.upper[axis], 3.0) - std::max(box.lower[axis], -3.0);
      most = std::max(most, volume / 27);
    }
    return most;
  };
  EXPECT_NEAR(largest(even), 1, 1e-9);
  EXPECT_GT(largest(even.moved(load, 0)), 4.0);
  EXPECT_LE(largest(even.moved(load, 0.25)), 4 * (1 + 1e-9));
  EXPECT_LE(even.moved(load, 0.25).imbalance(load), 1 / 0.75 * (1 + 1e-9));
  EXPECT_NEAR(largest(even.moved(load, 1)), 1, 1e-9);
}

TEST(MovedDomains, StayWithoutCountsAndWhereTheWorkIsEven) {
  for (const std::int64_t count : {0, 5}) {
    const Domains even = even_domains({3, 2, 1}, 6);
    LoadMap load = even.load_map();
    load.counts.assign(load.counts.size(), count);
    const Domains moved = even.moved(load, 0);
    for (int domain = 0; domain < 6; ++domain)
      for (int axis = 0; axis < 2; ++axis) {
        const double before = even.box(domain).upper[axis], after = moved.box(domain).upper[axis];
        EXPECT_TRUE(before == after || std::fabs(before - after) < 1e-9) << before << " " << after;
      }
  }
}

TEST(MovedDomains, MayHaveAllTheirWorkAtOnePlace) {
  const Domains even = even_domains({4, 3, 2}, 24);
  LoadMap load = even.load_map();
  for (int i = 0; i < 100; ++i) load.add({1, 1, 1});
  const Domains moved = even.moved(load, 0);
  EXPECT_NEAR(moved.imbalance(load), 1, 1e-6);
  for (const double x : {-3.0, 0.9, 1.0, 1.1, 3.0}) EXPECT_LT(moved.of_point({x, 1, 1}), 24);
}

TEST(MovedStatistics, ArriveAtTheBinsOwners) {
  const Model model = test_model(
      "rectangular", settings_text(10, 2, 1),
      "<mesh id=\"1\"><dimension>6 5 2</dimension><lower_left>-3 -3 -3</lower_left><upper_right>3 3 "
      "3</upper_right></mesh><mesh id=\"2\"><dimension>190 170</dimension><lower_left>-4 -2</lower_left>"
      "<upper_right>2 5</upper_right></mesh><filter id=\"1\" type=\"mesh\"><bins>1</bins></filter>"
      "<filter id=\"4\" type=\"mesh\"><bins>2</bins></filter><filter id=\"3\" type=\"material\"><bins>2 1"
      "</bins></filter><tally id=\"1\"><filters>3 1</filters><scores>flux nu-fission</scores></tally>"
      "<tally id=\"2\"><filters>4</filters><scores>absorption</scores></tally>"
      "<tally id=\"3\"><filters>3</filters><scores>total flux fission</scores></tally>");
  parallel::SoloCommunicator alone;
  const Simulation simulation(model, alone, 1, parallel::LoopSchedule{});
  const TallyLayout& layout = simulation.layout();
  for (const auto& [shape, count] : grids) {
    const Domains even = even_domains(shape, count), moved = even.moved(loaded(even), 0);
    std::mutex mutex;
    std::int64_t arrived = 0, foreign = 0;
    parallel::on_ranks(count, [&, &shape = shape, &count = count](parallel::Communicator& ranks) {
      const BinShares before(layout, &even, ranks.rank(), count), after(layout, &moved, ranks.rank(), count);
      const auto for_each_bin = [&](const BinShares& shares, const auto& f) {
        for (std::size_t tally = 0; tally < layout.compiled.size(); ++tally)
          shares.for_each_run(ranks.rank(), tally, [&](const BinRun& run) {
            for (std::int64_t i = 0; i < run.count; ++i)
              f(run.place + i, layout.compiled[tally].first_bin + run.bin_in_tally + i);
          });
      };
      TallyStatistics own;
      own.realizations = 7;
      own.resize(before.owned_count());
      for_each_bin(before, [&](std::int64_t place, std::int64_t bin) {
        own.sum[place] = static_cast<double>(bin) + 0.5;
        own.sum_sq[place] = -static_cast<double>(bin);
      });
      const TallyStatistics result = move_statistics(ranks, layout, before, after, own);
      const std::lock_guard lock(mutex);
      EXPECT_EQ(result.realizations, 7);
      for_each_bin(after, [&](std::int64_t place, std::int64_t bin) {
        EXPECT_EQ(result.sum[place], static_cast<double>(bin) + 0.5) << shape[0] << shape[1] << shape[2];
        EXPECT_EQ(result.sum_sq[place], -static_cast<double>(bin));
        ++arrived;
        foreign += before.owner_of(bin) != ranks.rank();
      });
    });
    EXPECT_EQ(arrived, layout.bin_count);
    EXPECT_GT(foreign, 0);
  }
}

}  // namespace
}  // namespace taihu::neutron
