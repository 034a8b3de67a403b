// SPDX-License-Identifier: Apache-2.0
// Laws of secondary neutrons against the means of their formulas.
#include "taihu/neutron/nuclide/laws.h"

#include <gtest/gtest.h>

#include <functional>

#include "taihu/base/error.h"
#include "taihu/neutron/nuclide/energy_grid.h"
#include "taihu/neutron/nuclide/kinematics.h"
#include "taihu/neutron/nuclide/probability_table.h"
#include "taihu/neutron/nuclide/thermal_table.h"

namespace taihu::neutron {
namespace {

/// Expects the mean of 40,000 samples within 4.5 standard deviations of `expected`.
void expect_mean(double expected, const std::function<double(Stream&)>& sample) {
  Stream random(7, StreamUse::history, 0, 0);
  constexpr int n = 40000;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double x = sample(random);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / n, deviation = std::sqrt((squares / n - mean * mean) / (n - 1));
  EXPECT_NEAR(mean, expected, 4.5 * deviation + 1e-9 * std::fabs(expected));
}

Function1d constant_function(double value) {
  return Function1d::polynomial({value}, "test");
}

TabulatedDistribution distribution(std::vector<double> x, std::vector<double> p, std::vector<double> c,
                                   bool histogram) {
  TabulatedDistribution table;
  table.x = std::move(x), table.p = std::move(p), table.c = std::move(c);
  table.histogram = histogram;
  table.check("test");
  return table;
}

TEST(Function1d, FollowsEachLawAndKeepsItsEndsOutside) {
  const Function1d f =
      Function1d::table({1, 2, 4, 8, 16, 32}, {1, 3, 5, 7, 9, 18}, {2, 3, 4, 5, 6}, {1, 2, 3, 4, 5}, "f");
  EXPECT_DOUBLE_EQ(f(0.5), 1);
  EXPECT_DOUBLE_EQ(f(1.9), 1);
  EXPECT_DOUBLE_EQ(f(3), 4);
  EXPECT_DOUBLE_EQ(f(std::sqrt(32.0)), 6);
  EXPECT_DOUBLE_EQ(f(12), std::sqrt(63.0));
  EXPECT_DOUBLE_EQ(f(std::sqrt(512.0)), std::sqrt(162.0));
  EXPECT_DOUBLE_EQ(f(99), 18);
  EXPECT_DOUBLE_EQ(Function1d::polynomial({1, 2, 3}, "f")(2), 17);
  EXPECT_EQ(Function1d::polynomial({2}, "f").whole_constant(), 2);
  EXPECT_EQ(Function1d::polynomial({2.5}, "f").whole_constant(), 0);
  EXPECT_THROW(Function1d::polynomial({1, std::nan("")}, "f"), Error);
  EXPECT_THROW(Function1d::table({2, 1}, {0, 0}, {}, {2}, "f"), Error);
  EXPECT_THROW(Function1d::table({1, 2}, {0, 0}, {3}, {2}, "f"), Error);
  EXPECT_THROW(Function1d::table({1, 2}, {0, 0}, {}, {6}, "f"), Error);
}

TEST(EnergyIndex, FindsTheIntervalOfEveryEnergy) {
  std::vector<double> grid{1e-5, 1e-3, 1e-3, 0.0253, 1, 1.0000001, 1.0000002, 3, 1e5, 1e5 + 1, 2e7};
  const EnergyIndex index(grid.data(), grid.size());
  Stream random(3, StreamUse::history, 0, 0);
  for (int i = 0; i < 20000; ++i) {
    const double e = i % 3 == 0 ? grid[i % grid.size()] : std::exp(std::log(1e-6) + random.uniform() * 31);
    const std::size_t found = index.find(grid.data(), e);
    ASSERT_LT(found, grid.size() - 1);
    if (e < grid.front()) {
      ASSERT_EQ(found, 0u);
    } else if (e >= grid.back()) {
      ASSERT_EQ(found, grid.size() - 2);
    } else {
      ASSERT_LE(grid[found], e);
      ASSERT_GT(grid[found + 1], e);
    }
  }
}

TEST(Laws, SpectraHaveTheMeansOfTheirFormulas) {
  const double far = -1e12;  // no cut-off
  const SpectrumLaw maxwell(SpectrumLaw::Kind::maxwell, constant_function(2), {}, far);
  const SpectrumLaw evaporation(SpectrumLaw::Kind::evaporation, constant_function(2), {}, far);
  const SpectrumLaw watt(SpectrumLaw::Kind::watt, constant_function(1), constant_function(2), far);
  expect_mean(3, [&](Stream& r) { return maxwell.sample(1, r); });
  expect_mean(4, [&](Stream& r) { return evaporation.sample(1, r); });
  expect_mean(1.5 + 0.5, [&](Stream& r) { return watt.sample(1, r); });
  // Cut at E - U = 1 with temperature 1: the mean of x exp(-x) on [0, 1].
  const SpectrumLaw cut(SpectrumLaw::Kind::evaporation, constant_function(1), {}, 4);
  expect_mean((2 - 5 / std::exp(1.0)) / (1 - 2 / std::exp(1.0)), [&](Stream& r) { return cut.sample(5, r); });
  EXPECT_EQ(cut.sample(4, *std::make_unique<Stream>(1, StreamUse::history, 0, 0)), 0);
}

TEST(Laws, TablesAreMovedBetweenIncidentEnergies) {
  EnergyTable table;
  table.grid.energy = {10, 20};
  table.tables = {distribution({0, 2}, {0, 1}, {0, 1}, false),
                  distribution({4, 8}, {0.25, 0.25}, {0, 1}, true)};
  expect_mean(4.0 / 3, [&](Stream& r) { return table.sample(10, r).energy; });
  expect_mean(6, [&](Stream& r) { return table.sample(20, r).energy; });
  // Halfway both are stretched over [2, 5]: means 2 + 2 / 3 * 3 and 3.5.
  expect_mean(0.5 * (4 + 3.5), [&](Stream& r) { return table.sample(15, r).energy; });
  table.grid.histogram = {true};
  expect_mean(4.0 / 3, [&](Stream& r) { return table.sample(19, r).energy; });
  TabulatedDistribution lines = distribution({1, 2, 5, 7}, {0.3, 0.3, 0.2, 0}, {0.3, 0.6, 0.6, 1}, true);
  lines.lines = 2;
  expect_mean(0.3 * 1 + 0.3 * 2 + 0.4 * 6, [&](Stream& r) { return lines.sample(r); });
}

TEST(TabulatedDistribution, MayEndWithAPointThatWasRounded) {
  const TabulatedDistribution rounded =
      distribution({1e6, 8.9990e6, 8.9982e6}, {0.25e-6, 0, 0}, {0, 1, 1}, false);
  EXPECT_EQ(rounded.x.back(), rounded.x[1]);
  EXPECT_THROW(distribution({1e6, 8.9990e6, 8.9e6}, {0.25e-6, 0, 0}, {0, 1, 1}, false), Error);
}

TEST(Laws, KalbachCosinesHaveTheMeanOfTheirFormula) {
  EnergyTable table;
  table.grid.energy = {10};
  table.tables = {distribution({1, 2}, {1, 1}, {0, 1}, false)};
  for (const double r : {0.0, 0.4, 1.0})
    for (const double a : {0.0, 0.5, 3.0}) {
      const KalbachLaw law(table, {{r, r}}, {{a, a}});
      const double mean = a > 0 ? r * (1 / std::tanh(a) - 1 / a) : 0;
      expect_mean(mean, [&](Stream& random) { return law.sample(10, random).mu; });
    }
}

TEST(Laws, CorrelatedCosinesBelongToTheirEnergies) {
  EnergyTable table;
  table.grid.energy = {10};
  table.tables = {distribution({0, 1, 2}, {0.5, 0.5, 0}, {0, 0.5, 1}, true)};
  const CorrelatedLaw law(
      table, {{distribution({-1, 0}, {1, 1}, {0, 1}, true), distribution({0, 1}, {1, 1}, {0, 1}, true),
               distribution({0, 1}, {1, 1}, {0, 1}, true)}});
  Stream random(1, StreamUse::history, 0, 0);
  for (int i = 0; i < 1000; ++i) {
    const Outgoing out = law.sample(10, random);
    EXPECT_EQ(out.energy >= 1, out.mu >= 0);
  }
}

/// Each of n equal bodies gets 1 / n of the energy on average.
TEST(Laws, PhaseSpaceSharesTheEnergy) {
  for (const int bodies : {3, 4, 5}) {
    const PhaseSpaceLaw law(bodies, bodies, 1e9, 6);
    // The most that one body of n equal ones can have is (n - 1) / n of all.
    const double all = 10 + 6;
    expect_mean(all / bodies, [&](Stream& r) { return law.sample(10, r).energy; });
  }
}

TEST(Kinematics, LevelsLoseTheEnergyThatTheyTake) {
  const double a = 12, q = -4.4e6, e = 8e6;
  const LevelLaw law(-q * (a + 1) / a, a * a / ((a + 1) * (a + 1)));
  Stream random(1, StreamUse::history, 0, 0);
  const double centre = law.sample(e, random);
  expect_mean(centre + e / ((a + 1) * (a + 1)), [&](Stream& r) {
    double out = centre, mu = 2 * r.uniform() - 1;
    to_laboratory(Energy(e), a, out, mu);
    // Energy of the nucleus from its momentum: all energies balance.
    const double nucleus = (e + out - 2 * mu * std::sqrt(e * out)) / a;
    EXPECT_NEAR(out + nucleus, e + q, 1e-6 * e);
    return out;
  });
}

/// Mean energy after elastic scattering, isotropic in the centre of mass, by a nucleus at rest.
TEST(Kinematics, ElasticScatteringSlowsDown) {
  const Flight in{Energy(1), {0, 0, 1}};
  for (const double a : {0.999167, 12.0, 236.0}) {
    const double alpha = (a - 1) * (a - 1) / ((a + 1) * (a + 1));
    expect_mean(0.5 * (1 + alpha),
                [&](Stream& r) { return scatter_elastically(in, a, Energy{}, {}, r).energy.eV(); });
    expect_mean(2 / (3 * a), [&](Stream& r) { return scatter_elastically(in, a, Energy{}, {}, r).u.z; });
  }
}

TEST(Thermal, ElasticCosinesFollowTheirFormulas) {
  ThermalElastic elastic;
  elastic.bound = 80, elastic.debye_waller = 10;
  const double e = 0.05, c = 2 * e * 10;
  EXPECT_NEAR(elastic.cross_section(e), 40 * (1 - std::exp(-2 * c)) / c, 1e-12);
  expect_mean(1 / std::tanh(c) - 1 / c, [&](Stream& r) { return elastic.sample_mu(e, r); });
  ThermalElastic crystal;
  crystal.bragg.energy = {0.01, 0.02}, crystal.bragg.strength = {0.3, 0.4};
  EXPECT_EQ(crystal.cross_section(0.009), 0);
  EXPECT_DOUBLE_EQ(crystal.cross_section(0.015), 20);
  EXPECT_DOUBLE_EQ(crystal.cross_section(0.04), 10);
  expect_mean(0.75 * 0.5 + 0.25 * 0, [&](Stream& r) { return crystal.sample_mu(0.04, r); });
}

/// Equal samples, and equally many random numbers, at energies of all kinds.
template <typename One, typename Other>
void expect_same_samples(const One& one, const Other& other) {
  Stream energies(3, StreamUse::source, 0, 0), a(5, StreamUse::history, 0, 0), b = a;
  for (int i = 0; i < 20000; ++i) {
    const double e = std::pow(10.0, 8 * energies.uniform() - 4);
    ASSERT_EQ(one(e, a), other(e, b)) << e;
  }
  EXPECT_EQ(a.next(), b.next());
}

TEST(Laws, EvenCosinesNeedNoTable) {
  AngleTable plain;
  plain.grid.energy = {1e-3, 1, 50, 1000};
  const auto even = [](bool steps) { return distribution({-1, 1}, {0.5, 0.5}, {0, 1}, steps); };
  plain.tables = {even(true), even(false), even(true), distribution({-1, 1}, {0, 1}, {0, 1}, false)};
  const auto sample = [](const AngleTable& table) {
    return [&table](double e, Stream& random) { return table.sample(e, random); };
  };
  AngleTable fast = plain;
  fast.find_isotropic();
  EXPECT_EQ(fast.isotropic_below, 50);
  expect_same_samples(sample(plain), sample(fast));
  plain.tables.back() = even(false);
  fast = plain;
  fast.find_isotropic();
  EXPECT_EQ(fast.isotropic_below, std::numeric_limits<double>::infinity());
  expect_same_samples(sample(plain), sample(fast));
  plain.tables.front() = distribution({-1, 0, 1}, {0.5, 0.5, 0.5}, {0, 0.5, 1}, false);
  fast = plain;
  fast.find_isotropic();
  EXPECT_EQ(fast.isotropic_below, 0);
}

TEST(Laws, IndexedEnergiesHaveTheSameIntervals) {
  const std::vector<double> energy{1e-3, 1e-3, 0.2, 0.2, 0.3, 7, 7.0000001, 1e3, 1e3};
  IncidentGrid plain;
  plain.energy = energy;
  IncidentGrid indexed = plain;
  indexed.index_energies();
  std::vector<double> values;
  for (std::size_t i = 0; i < energy.size(); ++i) values.push_back(static_cast<double>(i * i));
  const Function1d function = Function1d::line(energy, values, "test");
  Function1d fast = function;
  fast.index_energies();
  std::vector<double> places = energy;
  Stream random(3, StreamUse::source, 0, 0);
  for (int i = 0; i < 5000; ++i) places.push_back(std::pow(10.0, 9 * random.uniform() - 5));
  for (const double e : places) {
    double f, g;
    EXPECT_EQ(plain.find(e, f), indexed.find(e, g)) << e;
    EXPECT_EQ(f, g) << e;
    EXPECT_EQ(function(e), fast(e)) << e;
  }
}

TEST(ProbabilityTable, BandsHaveTheirProbabilities) {
  ProbabilityTable table;
  table.energy = {1, 100}, table.bands = 2, table.log_log = true;
  table.cumulative = {0.25, 1, 0.5, 1};
  table.values = {0, 1, 2, 3, 0, 10, 20, 30, 0, 4, 8, 12, 0, 40, 80, 120};
  table.check("test");
  EXPECT_NEAR(table.at(10, 0.1).elastic, 2, 1e-12);
  EXPECT_NEAR(table.at(10, 0.9).fission, 40, 1e-12);
  EXPECT_NEAR(table.at(10, 0.4).capture, std::sqrt(30 * 12.0), 1e-12);
  table.cumulative = {0.25, 1, 0.5};
  EXPECT_THROW(table.check("test"), Error);
}

}  // namespace
}  // namespace taihu::neutron
