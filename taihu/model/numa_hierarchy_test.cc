// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/numa_hierarchy.h"

#include <gtest/gtest.h>

#include "taihu/base/error.h"

namespace taihu::model {
namespace {

NumaMachine small_machine() {
  return parse_numa_machine(R"({"name": "two sockets", "nodes": 2, "cores_per_node": 4, "memory_gb_s": 20,
      "link_gb_s": 8, "core_local_gb_s": 10, "core_remote_gb_s": 6, "barrier_us": 100})",
                            "test");
}

constexpr const char* two_levels = R"({"iterations": 10, "traffic": [
    {"rows": 100, "matrix": 2e9, "prolongation": 1e9, "restriction": 0.5e9, "vectors": 0.5e9, "runs": 6},
    {"rows": 10, "matrix": 0, "prolongation": 0, "restriction": 0, "vectors": 0, "runs": 0}]})";

TEST(NumaHierarchy, OneThreadHasNothingToPlace) {
  const HierarchyTraffic hierarchy = parse_hierarchy(two_levels, "test");
  EXPECT_DOUBLE_EQ(hierarchy.operator_share(), 0.75);
  for (const Placed placed : {Placed::nothing, Placed::matrix_and_prolongation, Placed::everything})
    EXPECT_DOUBLE_EQ(hierarchy_time(small_machine(), hierarchy, 1, placed).seconds, 10 * 0.4);
}

TEST(NumaHierarchy, PlacedPartsLeaveTheLink) {
  const HierarchyTraffic hierarchy = parse_hierarchy(two_levels, "test");
  const double barriers = 7 * 100e-6 * 3;  // six on the finest level, one on the other
  const NumaTime nothing = hierarchy_time(small_machine(), hierarchy, 8, Placed::nothing);
  EXPECT_NEAR(nothing.sweep_seconds, 2e9 / 8e9 + barriers, 1e-12);
  EXPECT_EQ(nothing.limit, "link from node 0 to node 1");
  // The memory of node 0 serves the unplaced quarter and its half of the rest.
  const NumaTime operators = hierarchy_time(small_machine(), hierarchy, 8, Placed::matrix_and_prolongation);
  EXPECT_NEAR(operators.sweep_seconds, 2.5e9 / 20e9 + barriers, 1e-12);
  const NumaTime everything = hierarchy_time(small_machine(), hierarchy, 8, Placed::everything);
  EXPECT_NEAR(everything.sweep_seconds, 2e9 / 20e9 + barriers, 1e-12);
  EXPECT_NEAR(everything.seconds, 10 * everything.sweep_seconds, 1e-12);
}

TEST(NumaHierarchy, ScalesBytesAndNotBarriers) {
  const HierarchyTraffic large = scaled(parse_hierarchy(two_levels, "test"), 16);
  EXPECT_NEAR(hierarchy_time(small_machine(), large, 8, Placed::everything).sweep_seconds,
              32e9 / 20e9 + 7 * 3e-4, 1e-12);
  EXPECT_THROW(scaled(large, 0), Error);
}

TEST(NumaHierarchy, WhatDoesNotReadIsTheSameEverywhere) {
  const HierarchyTraffic hierarchy = parse_hierarchy(two_levels, "test");
  // Half of one thread's time reads, the other half divides among the threads.
  EXPECT_DOUBLE_EQ(hierarchy_time(small_machine(), hierarchy, 1, Placed::everything, 0.5).seconds, 10 * 0.8);
  for (const Placed placed : {Placed::nothing, Placed::matrix_and_prolongation, Placed::everything})
    EXPECT_NEAR(hierarchy_time(small_machine(), hierarchy, 8, placed, 0.5).seconds,
                hierarchy_time(small_machine(), hierarchy, 8, placed).seconds + 10 * 0.4 / 8, 1e-12);
}

TEST(NumaHierarchy, DamagedFilesAreRefused) {
  for (const char* text :
       {"", "[]", "{}", R"({"iterations": 3})", R"({"iterations": 3, "traffic": []})",
        R"({"iterations": 3, "traffic": [{"rows": 3}]})", R"({"iterations": "x", "traffic": []})",
        R"({"iterations": 3, "traffic": [{"matrix": -1, "prolongation": 0, "restriction": 0,
                               "vectors": 0, "runs": 1}]})"})
    EXPECT_THROW(parse_hierarchy(text, "file"), Error) << text;
  EXPECT_THROW(hierarchy_time(small_machine(), parse_hierarchy(two_levels, "test"), 9, Placed::nothing),
               Error);
}

}  // namespace
}  // namespace taihu::model
