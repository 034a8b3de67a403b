// SPDX-License-Identifier: Apache-2.0
#include "taihu/node/source_lines.h"

#include <gtest/gtest.h>

namespace taihu::node {
namespace {

__attribute__((noinline)) const void* return_address() {
  return __builtin_return_address(0);
}

TEST(SourcePlace, NamesLineOrFunctionOfACall) {
  const std::string place = source_place(return_address());
  // A build without debug information has no lines.
  EXPECT_TRUE(place.starts_with("source_lines_test.cc:") || place.find(" in taihu_node_test") != place.npos ||
              place.starts_with("taihu_node_test+"))
      << place;
}

const long numbers[4] = {1, 2, 3, 4};

TEST(VariableName, NamesVariablesAndPlacesInThem) {
  EXPECT_NE(variable_name(numbers).find("numbers"), std::string::npos);
  EXPECT_TRUE(variable_name(&numbers[2]).ends_with("+16")) << variable_name(&numbers[2]);
  const int on_stack = 0;
  EXPECT_EQ(variable_name(&on_stack), "");
  EXPECT_EQ(variable_name(nullptr), "");
}

TEST(SourcePlace, IsEmptyWhereNothingIsKnown) {
  EXPECT_EQ(source_place(nullptr), "");
  const int on_stack = 0;
  EXPECT_EQ(source_place(&on_stack), "");
}

}  // namespace
}  // namespace taihu::node
