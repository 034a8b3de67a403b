// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/input_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "taihu/base/error.h"

namespace taihu {
namespace {

std::string refusal_to_read(const std::string& name, const std::string& what = {}) {
  try {
    read_file(name, what);
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

TEST(InputFile, IsReadWhole) {
  const std::string name = testing::TempDir() + "input_file_test";
  std::string text(200'000, 'x');
  text[100'000] = '\0';
  std::ofstream(name) << text;
  EXPECT_EQ(read_file(name), text);
  std::filesystem::remove(name);
  EXPECT_EQ(read_file("/dev/null"), "");
}

TEST(InputFile, WhatCannotBeReadIsNamed) {
  const std::string folder = testing::TempDir();
  EXPECT_EQ(refusal_to_read(folder), "cannot read " + folder + " (Is a directory)");
  EXPECT_EQ(refusal_to_read("/nowhere/file", "the table"),
            "cannot read the table /nowhere/file (No such file or directory)");
  // It can be opened, and its first page is mapped nowhere.
  EXPECT_EQ(refusal_to_read("/proc/self/mem"), "cannot read /proc/self/mem (Input/output error)");
}

}  // namespace
}  // namespace taihu
