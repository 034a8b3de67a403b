// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/library_sharing.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace taihu::memory {
namespace {

namespace fs = std::filesystem;

bool is_private(const std::string& path, const std::vector<std::string>& more = {}) {
  return LibrarySharing(more).is_private(path.substr(path.rfind('/') + 1), path);
}

/// The file of the C library that this test runs with.
std::string c_library() {
  Dl_info found{};
  dladdr(reinterpret_cast<const void*>(&dlsym), &found);
  return found.dli_fname;
}

TEST(LibrarySharing, own_libraries_are_private_those_of_the_system_are_not) {
  EXPECT_TRUE(is_private("/home/me/lib/libpart.so"));
  EXPECT_TRUE(is_private("/usr/local/lib/libpart.so.1"));
  EXPECT_FALSE(is_private("/usr/lib/x86_64-linux-gnu/libpng16.so.16"));
  EXPECT_TRUE(is_private("/usr/lib/x86_64-linux-gnu/libpng16.so.16", {"libpng"}));
  EXPECT_FALSE(is_private("/usr/lib/x86_64-linux-gnu/libpng16.so.16", {"libpn6"}));
}

TEST(LibrarySharing, a_name_alone_makes_no_library_shared) {
  for (const char* name : {"libutil.so", "libutil.so.1", "libm.so", "libm.so.6", "libmpiwrap.so",
                           "libmpi.so.40", "libopen-foo.so", "libuclib.so", "libcudahelp.so", "libcuda.so.1",
                           "libompute.so", "libomp.so", "libgomp.so.1", "libgcc_s.so.1", "libhwloc.so.15",
                           "libtaihu.so", "libjemalloc.so.2", "libmpi_abi.so.1", "libparallelc.so.0"})
    EXPECT_TRUE(is_private(std::string("/home/me/lib/") + name)) << name;
}

TEST(LibrarySharing, plugins_of_the_system_are_private) {
  EXPECT_TRUE(is_private("/usr/lib/python3/dist-packages/array.cpython-311-x86_64-linux-gnu.so"));
  EXPECT_TRUE(is_private("/usr/lib/R/library/stats/libs/stats.so"));
}

TEST(LibrarySharing, libraries_that_call_their_user_are_private) {
  EXPECT_TRUE(is_private("/usr/lib/x86_64-linux-gnu/libhdf5_serial.so.103"));
  EXPECT_TRUE(is_private("/usr/lib/x86_64-linux-gnu/libhdf5_serial_hl.so.100"));
  EXPECT_TRUE(is_private("/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0"));
}

TEST(LibrarySharing, libraries_in_which_their_users_register_are_private) {
  for (const char* name :
       {"libtorch_python.so.1.13", "libc10.so.1.13", "libprotobuf.so.32", "libgflags.so.2.2", "libglog.so.1",
        "libLLVM-14.so.1", "libboost_serialization.so.1.74.0", "libfftw3.so.3", "libfftw3f_mpi.so.3",
        "libmetis.so.5", "libruby-3.1.so.3.1", "libguile-3.0.so.1", "libglib-2.0.so.0", "libgsl.so.27"}) {
    const std::string path = std::string("/usr/lib/x86_64-linux-gnu/") + name;
    EXPECT_TRUE(LibrarySharing().has_state_of_rank(name, path)) << name;
    EXPECT_TRUE(is_private(path)) << name;
  }
  const std::string picture = "/usr/lib/libtorch/libpng16.so.16";
  EXPECT_FALSE(LibrarySharing().has_state_of_rank(picture, picture));
}

TEST(LibrarySharing, libraries_in_fortran_are_private_but_for_those_without_state) {
  const std::string folder = "/usr/lib/x86_64-linux-gnu/";
  EXPECT_TRUE(LibrarySharing().makes_private("libgfortran.so.5", folder + "libarpack.so.2"));
  EXPECT_FALSE(LibrarySharing().makes_private("libgfortran.so.5", folder + "lapack/liblapack.so.3"));
  EXPECT_FALSE(LibrarySharing().makes_private("libgfortran.so.5",
                                              folder + "openblas-pthread/libopenblasp-r0.3.21.so"));
  EXPECT_FALSE(LibrarySharing().makes_private("libpng16.so.16", folder + "libarpack.so.2"));
}

TEST(LibrarySharing, those_that_the_user_names_have_state_but_never_the_c_library_and_taihus) {
  const LibrarySharing sharing({"libpng", "libc", "libmpi"});
  EXPECT_TRUE(sharing.has_state_of_rank("libpng16.so.16", "/usr/lib/x86_64-linux-gnu/libpng16.so.16"));
  EXPECT_FALSE(sharing.has_state_of_rank("libc.so.6", c_library()));
  EXPECT_FALSE(sharing.has_state_of_rank("libmpi_abi.so.1", "/usr/lib/libmpi_abi.so.1"));
}

TEST(LibrarySharing, what_exists_once_is_never_copied) {
  EXPECT_FALSE(LibrarySharing().may_be_copied("libc.so.6", c_library()));
  EXPECT_FALSE(LibrarySharing().may_be_copied("libgomp.so.1", "/usr/lib/x86_64-linux-gnu/libgomp.so.1"));
  EXPECT_FALSE(LibrarySharing().may_be_copied("libmpi_abi.so.1", "/usr/lib/libmpi_abi.so.1"));
  EXPECT_TRUE(LibrarySharing().may_be_copied("libpng16.so.16", "/usr/lib/x86_64-linux-gnu/libpng16.so.16"));
}

TEST(LibrarySharing, the_processes_own_libraries_are_shared_wherever_they_are) {
  EXPECT_FALSE(is_private(c_library()));
  EXPECT_FALSE(LibrarySharing().is_private("libother.so", c_library()));
  EXPECT_FALSE(is_private(c_library(), {"libc"})) << "two C libraries in a process do not work";
}

TEST(LibrarySharing, a_runtime_outside_of_the_system_is_known_by_what_it_defines) {
  const fs::path folder = fs::path(testing::TempDir()) / "library_sharing";
  fs::create_directories(folder);
  const fs::path runtime = folder / "libgcc_s.so.1";
  void* const real = dlopen("libgcc_s.so.1", RTLD_LAZY);
  Dl_info found{};
  ASSERT_TRUE(real && dladdr(dlsym(real, "_Unwind_RaiseException"), &found));
  fs::copy_file(found.dli_fname, runtime, fs::copy_options::overwrite_existing);
  EXPECT_FALSE(is_private(runtime));
  fs::copy_file(runtime, folder / "libgomp.so.1", fs::copy_options::overwrite_existing);
  EXPECT_TRUE(is_private(folder / "libgomp.so.1"));
  fs::remove_all(folder);
}

TEST(LibrarySharing, language_runtimes_with_state_are_private) {
  EXPECT_TRUE(is_private("/usr/lib/x86_64-linux-gnu/libgfortran.so.5"));
  EXPECT_TRUE(is_private("/usr/lib/x86_64-linux-gnu/libstdc++.so.6"));
  EXPECT_FALSE(is_private("/usr/lib/x86_64-linux-gnu/libstdc++fs.so.6"));
  EXPECT_FALSE(is_private("/usr/lib/x86_64-linux-gnu/libc.so.6"));
}

TEST(LibrarySharing, mpi_is_one_for_all_ranks_its_fortran_part_is_private) {
  EXPECT_FALSE(is_private("/usr/lib/libmpi_abi.so.1"));
  EXPECT_FALSE(is_private("/usr/lib/libmpi_abi.so.1", {"libm"}));
  EXPECT_TRUE(is_private("/opt/taihu/lib/libmpi_abi_fortran.so"));
  EXPECT_TRUE(is_private("/usr/lib/libmpi_abi_fortran.so.1"));
  EXPECT_FALSE(is_private("/usr/lib/x86_64-linux-gnu/libmpich.so.12"));
  EXPECT_TRUE(is_private("/usr/lib/x86_64-linux-gnu/libmpichfort.so.12"));
  EXPECT_TRUE(is_private("/opt/intel/lib/libmpifort.so.12"));
}

}  // namespace
}  // namespace taihu::memory
