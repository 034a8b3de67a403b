// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/material/cross_sections.h"

#include <gtest/gtest.h>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

/// One group, scattering with the given moments, probabilities that are easy to check.
CrossSections one_group(std::vector<double> moments, AngleFormat format = AngleFormat::legendre) {
  MultigroupData data;
  data.name = "test";
  data.groups = 1;
  data.format = format;
  data.moments = static_cast<int>(moments.size());
  data.total = {1};
  data.absorption = {0.2};
  data.scatter = std::move(moments);
  return CrossSections({data}, {{{0, 1.0}}}, {1, 2});
}

/// Means of the Legendre polynomials P1 and P2 of the sampled cosines.
std::pair<double, double> sampled_moments(const CrossSections& data, int samples) {
  Stream random(5, StreamUse::history, 0, 0);
  double p1 = 0, p2 = 0;
  const Vector before = unit({0.3, -0.5, 0.7});
  for (int i = 0; i < samples; ++i) {
    Vector u = before;
    data.sample_scattering(MaterialId(0), GroupId(0), u, random);
    EXPECT_NEAR(length(u), 1, 1e-12);
    const double mu = dot(u, before);
    p1 += mu;
    p2 += 1.5 * mu * mu - 0.5;
  }
  return {p1 / samples, p2 / samples};
}

TEST(CrossSections, AnglesHaveTheMomentsOfTheLibrary) {
  constexpr int samples = 200000;
  constexpr double sigma = 0.0013;  // of the mean of a cosine: 0.58 / sqrt(samples)
  EXPECT_NEAR(sampled_moments(one_group({0.8}), samples).first, 0, 4 * sigma);
  const auto [p1, p2] = sampled_moments(one_group({0.8, 0.16, 0.04}), samples);
  EXPECT_NEAR(p1, 0.2, 4 * sigma);
  EXPECT_NEAR(p2, 0.05, 4 * sigma + 1e-3);  // straight lines between 33 points
  // Ten equal bins of a histogram, only the last one open: mean cosine 0.9.
  std::vector<double> last_bin(10, 0.0);
  last_bin[9] = 0.8;
  EXPECT_NEAR(sampled_moments(one_group(last_bin, AngleFormat::histogram), samples).first, 0.9, 4 * sigma);
  // A density that rises from 0 at -1 to 1 at 1: mean cosine 1/3.
  EXPECT_NEAR(sampled_moments(one_group({0, 0.8}, AngleFormat::tabular), samples).first, 1.0 / 3, 4 * sigma);
}

TEST(CrossSections, NegativeExpansionsAreReported) {
  EXPECT_FALSE(one_group({0.8, 0.1}).has_negative_angles());
  EXPECT_TRUE(one_group({0.8, 0.5}).has_negative_angles());
}

TEST(AliasTable, DrawsEachOutcomeAsOftenAsItsWeightSays) {
  const std::vector<double> weights{0.1, 0, 3, 0.4, 1e-9, 1.5};
  const std::vector<AliasEntry> table = make_alias_table(weights, 10);
  Stream random(1, StreamUse::history, 0, 0);
  constexpr int samples = 500000;
  std::vector<int> counts(weights.size());
  for (int i = 0; i < samples; ++i) ++counts[sample(table, random) - 10];
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double p = weights[i] / 5.000000001;
    EXPECT_NEAR(counts[i], samples * p, 4 * std::sqrt(samples * p) + (weights[i] > 0 ? 1 : 0)) << i;
  }
  EXPECT_EQ(counts[1], 0);
}

TEST(CrossSections, GroupsAreCountedFromTheFastest) {
  MultigroupData data;
  data.groups = 3;
  data.total = {1, 2, 3};
  data.absorption = {1, 2, 3};
  data.scatter.assign(9, 0);
  const CrossSections sections({data}, {{{0, 2.0}}}, {1, 10, 100, 1000});
  EXPECT_EQ(sections.group_of(Energy(500)), GroupId(0));
  EXPECT_EQ(sections.group_of(Energy(5)), GroupId(2));
  EXPECT_EQ(sections.group_of(Energy(1e9)), GroupId(0));
  EXPECT_EQ(sections.group_of(Energy(1e-9)), GroupId(2));
  for (int g = 0; g + 1 < 3; ++g)  // edges rise, groups fall
    EXPECT_EQ(sections.group_of(Energy(sections.group_edges()[3 - g - 1])), GroupId(g + 1));
  for (int g = 0; g < 3; ++g) EXPECT_EQ(sections.group_of(sections.energy(GroupId(g))), GroupId(g));
  EXPECT_EQ(sections.total(MaterialId(0), GroupId(2)), 6);  // density 2
  EXPECT_EQ(sections.majorant()[1], 4);
}

TEST(CrossSections, ImpossibleDataAreRefused) {
  MultigroupData data;
  data.name = "bad";
  data.groups = 1;
  data.total = {1};
  data.absorption = {2};
  data.scatter = {0};
  EXPECT_THROW(check(data), Error);
  data.absorption = {0.5};
  EXPECT_THROW(check(data), Error);  // nothing to scatter to
  data.scatter = {0.5};
  EXPECT_NO_THROW(check(data));
  data.total = {std::nan("")};
  EXPECT_THROW(check(data), Error);
}

}  // namespace
}  // namespace taihu::neutron
