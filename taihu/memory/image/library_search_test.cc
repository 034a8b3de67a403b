// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/library_search.h"

#include <gtest/gtest.h>

namespace taihu::memory {
namespace {

bool is_private(const std::string& path, const std::vector<std::string>& more = {}) {
  return is_private_library(path.substr(path.rfind('/') + 1), path, more);
}

TEST(LibrarySearch, own_libraries_are_private_those_of_the_system_are_not) {
  EXPECT_TRUE(is_private("/home/me/lib/libpart.so"));
  EXPECT_FALSE(is_private("/usr/lib/x86_64-linux-gnu/libpng16.so.16"));
  EXPECT_TRUE(is_private("/usr/lib/x86_64-linux-gnu/libpng16.so.16", {"libpng"}));
  EXPECT_FALSE(is_private("/usr/lib/x86_64-linux-gnu/libpng16.so.16", {"libpn6"}));
}

TEST(LibrarySearch, language_runtimes_with_state_are_private) {
  EXPECT_TRUE(is_private("/usr/lib/x86_64-linux-gnu/libgfortran.so.5"));
  EXPECT_TRUE(is_private("/usr/lib/x86_64-linux-gnu/libstdc++.so.6"));
  EXPECT_FALSE(is_private("/usr/lib/x86_64-linux-gnu/libc.so.6"));
  EXPECT_FALSE(is_private("/opt/compiler/lib/libgomp.so.1"));
}

TEST(LibrarySearch, mpi_is_one_for_all_ranks_its_fortran_part_is_private) {
  EXPECT_FALSE(is_private("/opt/taihu/lib/libmpi_abi.so.1"));
  EXPECT_TRUE(is_private("/opt/taihu/lib/libmpi_abi_fortran.so"));
  EXPECT_TRUE(is_private("/usr/lib/libmpi_abi_fortran.so.1"));
  EXPECT_FALSE(is_private("/usr/lib/x86_64-linux-gnu/libmpich.so.12"));
  EXPECT_TRUE(is_private("/usr/lib/x86_64-linux-gnu/libmpichfort.so.12"));
  EXPECT_TRUE(is_private("/opt/intel/lib/libmpifort.so.12"));
}

}  // namespace
}  // namespace taihu::memory
