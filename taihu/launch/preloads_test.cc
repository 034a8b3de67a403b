// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/preloads.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace taihu::launch {
namespace {

namespace fs = std::filesystem;

/// A library of one function, compiled here.
std::string library(const fs::path& folder, const std::string& name, const std::string& code) {
  fs::create_directories(folder);
  const std::string path = folder / name;
  std::ofstream(path + ".c") << code;
  const std::string command = "cc -shared -fPIC " + path + ".c -o " + path;
  EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
  return path;
}

TEST(Preloads, libraries_with_calls_of_mpi_are_tools) {
  const fs::path folder = fs::path(testing::TempDir()) / ("preloads" + std::to_string(getpid()));
  const std::string in_c = library(folder, "libtool.so",
                                   "int PMPI_Init(void*, void*);"
                                   "int MPI_Init(void* a, void* b) { return PMPI_Init(a, b); }");
  const std::string in_fortran = library(folder, "libfortran.so", "void mpi_init_(int* e) { *e = 0; }");
  // It only uses MPI: in a program of its own it would come before nothing.
  const std::string user = library(folder, "libuser.so",
                                   "int MPI_Init(void*, void*);"
                                   "int own(void) { return MPI_Init(0, 0); }");
  const Preloads split = split_preloads(in_c + " /no/such.so:" + user + ":" + in_fortran + ":libc.so.6", "");
  EXPECT_EQ(split.tools, in_c + ":" + in_fortran);
  EXPECT_EQ(split.others, "/no/such.so:" + user + ":libc.so.6");
  EXPECT_EQ(split_preloads("libtool.so", "/none:" + folder.string()).tools, in_c) << "by LD_LIBRARY_PATH";
  EXPECT_EQ(split_preloads("libtool.so", "").others, "libtool.so");
  EXPECT_EQ(split_preloads("", "").tools + split_preloads("", "").others, "");
  fs::remove_all(folder);
}

TEST(Preloads, programs_are_linked_to_a_malloc) {
  const fs::path folder = fs::path(testing::TempDir()) / ("linked" + std::to_string(getpid()));
  const std::string malloc = library(folder, "libjemalloc.so.2", "int own;");
  const std::string program = folder / "program";
  std::ofstream(program + ".c") << "int main(void) { return 0; }";
  const std::string command = "cc -fPIE -pie -Wl,--no-as-needed -Wl,-rpath,'$ORIGIN' " + program + ".c -o ";
  ASSERT_EQ(std::system((command + program + " " + malloc).c_str()),
            0);  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
  EXPECT_TRUE(fs::equivalent(linked_malloc(program), malloc));
  ASSERT_EQ(std::system((command + program).c_str()), 0);  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
  EXPECT_EQ(linked_malloc(program), "");
  EXPECT_EQ(linked_malloc("/no/such/program"), "");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace taihu::launch
