// SPDX-License-Identifier: Apache-2.0
// What needs no files made for it. RPATH and its relatives: case `folders` of tests/ranks.
#include "taihu/memory/image/library_search.h"

#include <gtest/gtest.h>

#include "taihu/memory/image/folders.h"

namespace taihu::memory {
namespace {

TEST(LibrarySearch, lists_of_folders) {
  using List = std::vector<std::string>;
  EXPECT_EQ(split_folders("", ":"), List{});
  EXPECT_EQ(split_folders("/a", ":"), List{"/a"});
  EXPECT_EQ(split_folders("/a:/b;c", ":;"), (List{"/a", "/b", "c"}));
  EXPECT_EQ(split_folders(":/a::/b:", ":"), (List{".", "/a", ".", "/b", "."}));
}

TEST(LibrarySearch, finds_libraries_of_the_system_and_paths) {
  const ElfObject program(TAIHU_PROGRAM_FOR_TESTS);
  const auto found = find_library("libm.so.6", program);
  ASSERT_TRUE(found);
  EXPECT_EQ(find_library(*found, program), found);
  EXPECT_FALSE(find_library("libno-such-library.so.1", program));
  EXPECT_FALSE(find_library("/no/such/libm.so.6", program));
  EXPECT_EQ(find_library("$ORIGIN/" + last_part(program.path()), program), program.path());
  EXPECT_EQ(find_library("${ORIGIN}/" + last_part(program.path()), program), program.path());
  EXPECT_FALSE(find_library("$ORIGINAL/" + last_part(program.path()), program));
}

}  // namespace
}  // namespace taihu::memory
