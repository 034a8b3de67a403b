// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/geometry/region.h"

#include <gtest/gtest.h>

#include "taihu/base/error.h"
#include "taihu/neutron/particle/random.h"

namespace taihu::neutron {
namespace {

const auto same = [](int id) { return SurfaceId(id - 1); };

/// Spheres 1..6 with different centres.
std::vector<Surface> spheres() {
  std::vector<Surface> result(6);
  for (int i = 0; i < 6; ++i) {
    result[i].type = SurfaceType::sphere;
    result[i].coefficients = {0.3 * i, 0.2 * (i % 3), -0.1 * i, 1};
  }
  return result;
}

/// A random expression as text and, evaluated the plain way, as the truth for given sides of the six
/// surfaces.
struct Plain {
  std::string text;
  std::function<bool(unsigned)> holds;
};

Plain random_expression(Stream& random, int depth) {
  const double choice = random.uniform();
  if (depth == 0 || choice < 0.2) {
    const int id = 1 + static_cast<int>(random.uniform() * 6);
    const bool positive = random.uniform() < 0.5;
    return {(positive ? "" : "-") + std::to_string(id),
            [=](unsigned sides) { return ((sides >> (id - 1) & 1) != 0) == positive; }};
  }
  if (choice < 0.4) {
    const Plain inner = random_expression(random, depth - 1);
    return {"~(" + inner.text + ")", [=](unsigned sides) { return !inner.holds(sides); }};
  }
  const Plain a = random_expression(random, depth - 1), b = random_expression(random, depth - 1);
  if (choice < 0.7)
    return {"(" + a.text + ") (" + b.text + ")", [=](unsigned s) { return a.holds(s) && b.holds(s); }};
  return {"(" + a.text + " | " + b.text + ")", [=](unsigned s) { return a.holds(s) || b.holds(s); }};
}

TEST(Region, RandomExpressionsHoldWhereTheirPlainEvaluationDoes) {
  const std::vector<Surface> surfaces = spheres();
  Stream random(1, StreamUse::source, 0, 0);
  for (int i = 0; i < 300; ++i) {
    const Plain plain = random_expression(random, 6);
    const std::vector<HalfSpaceTest> tests = compile_region(plain.text, same);
    for (int point = 0; point < 50; ++point) {
      const Vector r{4 * random.uniform() - 1.5, 3 * random.uniform() - 1.5, 3 * random.uniform() - 1.8};
      unsigned sides = 0;
      for (int s = 0; s < 6; ++s) sides |= evaluate(surfaces[s], r) > 0 ? 1u << s : 0u;
      EXPECT_EQ(contains(tests, surfaces, r), plain.holds(sides)) << plain.text;
    }
  }
}

TEST(Region, AndBindsStrongerThanOr) {
  const std::vector<Surface> surfaces = spheres();
  const std::vector<HalfSpaceTest> a = compile_region("-1 | -2 -3", same),
                                   b = compile_region("-1 | (-2 -3)", same);
  Stream random(2, StreamUse::source, 0, 0);
  for (int i = 0; i < 1000; ++i) {
    const Vector r{3 * random.uniform() - 1, 2 * random.uniform() - 1, 2 * random.uniform() - 1};
    EXPECT_EQ(contains(a, surfaces, r), contains(b, surfaces, r));
  }
}

TEST(Region, AnEmptyTextIsAllOfSpace) {
  EXPECT_TRUE(compile_region(" \n ", same).empty());
  EXPECT_TRUE(contains({}, {}, {1, 2, 3}));
}

std::string region_refusal(const std::string& text) {
  try {
    compile_region(text, same);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Region, MalformedTextsAreRefusedWithTheirPlace) {
  EXPECT_EQ(region_refusal("-1 (2"), "region \"-1 (2\": ')' is missing at character 6");
  EXPECT_EQ(region_refusal("1 |"), "region \"1 |\": a surface number is expected at character 4");
  EXPECT_EQ(region_refusal("1 )"), "region \"1 )\": unexpected ')' at character 3");
  EXPECT_EQ(region_refusal("1 x"), "region \"1 x\": a surface number is expected at character 3");
  EXPECT_EQ(region_refusal("0"), "region \"0\": a surface number is expected at character 1");
  EXPECT_EQ(region_refusal("99999999999"),
            "region \"99999999999\": a surface number is expected at character 1");
  EXPECT_NE(region_refusal(std::string(100000, '(')), "accepted");
  EXPECT_NE(region_refusal(std::string(100000, '~') + "1"), "accepted");
}

}  // namespace
}  // namespace taihu::neutron
