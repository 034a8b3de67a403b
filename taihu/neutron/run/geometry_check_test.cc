// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/run/geometry_check.h"

#include <gtest/gtest.h>

#include "taihu/base/error.h"
#include "taihu/neutron/test_models.h"

namespace taihu::neutron {
namespace {

const Box whole{{-3, -3, -3}, {3, 3, 3}};

TEST(GeometryCheck, FindsNothingInAWholeGeometry) {
  const Model model = test_model("rectangular");
  EXPECT_EQ(check_geometry(model.geometry, whole, 2000).faulty, 0);
  EXPECT_EQ(check_geometry(model.geometry, whole, 0).faulty, 0);
}

TEST(GeometryCheck, CountsAllPointsOfAGapAndNamesTen) {
  std::string gap = geometry_text("rectangular");
  gap.replace(gap.find("<outer>2</outer>"), 16, "");
  const Model model = model_from_text(model_text(gap, settings_text()));
  const GeometryCheck few = check_geometry(model.geometry, whole, 2000);
  EXPECT_GT(few.faulty, 10);
  EXPECT_LT(few.faulty, 2000);
  ASSERT_EQ(few.first.size(), 10u);
  for (const GeometryFault& fault : few.first) {
    EXPECT_EQ(fault.problem, fault_at(model.geometry, fault.r));
    EXPECT_NE(fault.problem, "");
  }
  // The same points, and more of them.
  const GeometryCheck more = check_geometry(model.geometry, whole, 4000);
  EXPECT_GT(more.faulty, few.faulty);
  EXPECT_EQ(more.first.front().r.x, few.first.front().r.x);
}

TEST(GeometryCheck, RaysFromTheSourcesFindGapsAndNothingOutside) {
  const std::string source =
      "<energy_mode>multi-group</energy_mode><particles>10</particles><batches>1</batches>"
      "<source><space type=\"point\"><parameters>0 0 0</parameters></space></source>";
  const std::string sphere =
      "<surface id=\"1\" type=\"sphere\" coeffs=\"0 0 0 2\" boundary=\"vacuum\"/>"
      "<surface id=\"2\" type=\"sphere\" coeffs=\"0 0 0 1\"/>"
      "<surface id=\"3\" type=\"sphere\" coeffs=\"0 0 0 1.2\"/>"
      "<cell id=\"1\" region=\"-2\" material=\"1\"/>";
  const auto faults = [&](const std::string& cell) {
    return check_along_rays(model_from_text(model_text(sphere + cell, source)), 1000).faulty;
  };
  EXPECT_EQ(faults("<cell id=\"2\" region=\"2 -1\" material=\"1\"/>"), 0);
  EXPECT_GT(faults("<cell id=\"2\" region=\"3 -1\" material=\"1\"/>"), 300);  // a gap
  EXPECT_GT(faults("<cell id=\"2\" region=\"-1\" material=\"1\"/>"), 100);    // an overlap
}

TEST(GeometryCheck, BoxOfSourcesIsAroundAllOfThem) {
  Model model = test_model("rectangular");
  Source one, other;
  one.space = other.space = Source::Space::box;
  one.lower = {-1, 0, 0}, one.upper = {0, 2, 0.5};
  other.lower = {-0.5, -1, 0}, other.upper = {1, 1, 3};
  model.settings.sources = {one, other};
  const std::optional<Box> found = box_of_sources(model);
  ASSERT_TRUE(found);
  const Box box = *found;
  EXPECT_EQ(box.low[0], -1);
  EXPECT_EQ(box.low[1], -1);
  EXPECT_EQ(box.low[2], 0);
  EXPECT_EQ(box.high[0], 1);
  EXPECT_EQ(box.high[1], 2);
  EXPECT_EQ(box.high[2], 3);
  model.settings.sources[1].space = Source::Space::spherical;
  EXPECT_FALSE(box_of_sources(model));
  model.settings.sources.clear();
  EXPECT_FALSE(box_of_sources(model));
}

}  // namespace
}  // namespace taihu::neutron
