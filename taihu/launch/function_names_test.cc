// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/function_names.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace taihu::launch {

// Not exported by the test program, so that the dynamic loader has no name for it.
__attribute__((noinline)) int function_with_a_name(int value) {
  return std::abs(value) + 1;
}

namespace {

std::uint64_t offset_in_this_program(const void* address) {
  Dl_info place{};
  dladdr(address, &place);
  return static_cast<std::uint64_t>(static_cast<const char*>(address) -
                                    static_cast<const char*>(place.dli_fbase));
}

TEST(FunctionNames, KnowsWhatTheDynamicLoaderDoesNot) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  FunctionNames names;
  names.add(program);
  const auto* start = reinterpret_cast<const char*>(&function_with_a_name);
  const FunctionPlace place = names.find(program, offset_in_this_program(start + 1));
  ASSERT_NE(place.name, nullptr);
  EXPECT_NE(std::string(place.name).find("function_with_a_name"), std::string::npos);
  EXPECT_EQ(place.offset, 1U);
  EXPECT_EQ(names.find(program, 0).name, nullptr);
  EXPECT_EQ(names.find(program, ~0ULL).name, nullptr);
  EXPECT_EQ(names.find("/another/file", offset_in_this_program(start)).name, nullptr);
}

TEST(FunctionNames, FilesThatAreNoProgramsAddNothing) {
  const std::string path = testing::TempDir() + "no_program";
  for (const std::string& content : {std::string(),
                                     std::string("\x7f"
                                                 "ELF"),
                                     "\x7f"
                                     "ELF" +
                                         std::string(200, '\xff')}) {
    std::ofstream(path, std::ios::binary) << content;
    FunctionNames names;
    names.add(path);
    EXPECT_EQ(names.find(path, 100).name, nullptr);
  }
  std::filesystem::remove(path);
  FunctionNames names;
  names.add(path);
  EXPECT_EQ(names.find(path, 100).name, nullptr);
}

}  // namespace
}  // namespace taihu::launch
