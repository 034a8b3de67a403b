// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/known_objects.h"

#include <gtest/gtest.h>

namespace taihu::parallelc {
namespace {

TEST(KnownObjects, FindsTheObjectOfAnAddress) {
  char memory[300] = {};
  const auto at = [&](std::size_t offset) { return reinterpret_cast<std::uintptr_t>(memory) + offset; };
  const taihu_object first[] = {{memory + 100, 50}, {memory + 200, 64}}, second[] = {{memory + 150, 50}};
  KnownObjects objects;
  EXPECT_FALSE(objects.find(at(100)));
  objects.add(first);
  EXPECT_FALSE(objects.find(at(99)));
  EXPECT_EQ(objects.find(at(100)), std::pair(at(100), std::size_t{50}));
  EXPECT_EQ(objects.find(at(149)), std::pair(at(100), std::size_t{50}));
  EXPECT_FALSE(objects.find(at(150))) << "between two objects";
  EXPECT_EQ(objects.find(at(263)), std::pair(at(200), std::size_t{64}));
  EXPECT_FALSE(objects.find(at(264)));
  objects.add(second);
  EXPECT_EQ(objects.find(at(150)), std::pair(at(150), std::size_t{50}));
  objects.remove(first);
  EXPECT_FALSE(objects.find(at(120))) << "its file was unloaded";
  EXPECT_EQ(objects.find(at(199)), std::pair(at(150), std::size_t{50}));
}

TEST(KnownObjects, FindsConstantObjectsOnlyWhereTheyNeedNotBeWritten) {
  char memory[300] = {};
  const auto at = [&](std::size_t offset) { return reinterpret_cast<std::uintptr_t>(memory) + offset; };
  const taihu_object both[] = {{memory, 100 | TAIHU_OBJECT_CONSTANT}, {memory + 100, 100}};
  KnownObjects objects;
  objects.add(both);
  EXPECT_EQ(objects.find(at(99)), std::pair(at(0), std::size_t{100}));
  EXPECT_FALSE(objects.find_writable(at(99)));
  EXPECT_EQ(objects.find_writable(at(100)), std::pair(at(100), std::size_t{100}));
  EXPECT_FALSE(objects.find(at(200)));
  EXPECT_FALSE(objects.find_writable(at(200)));
  objects.remove(both);
  EXPECT_FALSE(objects.find(at(0)));
}

}  // namespace
}  // namespace taihu::parallelc
