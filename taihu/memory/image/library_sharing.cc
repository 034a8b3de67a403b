// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/library_sharing.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "taihu/base/error.h"
#include "taihu/memory/image/elf_object.h"
#include "taihu/memory/image/folders.h"

namespace taihu::memory {
namespace {

using namespace std::string_view_literals;

constexpr std::array system_folders = {"/lib/"sv, "/lib64/"sv, "/usr/lib/"sv, "/usr/lib64/"sv};

// Parts of the C library. Those of the system are never copied, even when asked for.
constexpr std::array c_libraries = {"libc.so.6"sv,
                                    "libm.so.6"sv,
                                    "libpthread.so.0"sv,
                                    "libdl.so.2"sv,
                                    "librt.so.1"sv,
                                    "libresolv.so.2"sv,
                                    "libutil.so.1"sv,
                                    "libanl.so.1"sv,
                                    "libmvec.so.1"sv,
                                    "ld-linux-x86-64.so.2"sv,
                                    "ld-linux-aarch64.so.1"sv};

// Once per process wherever they are installed: two of them do not work, or their state belongs to the
// process. Outside of the folders of the system a file of this name counts only when it defines the call.
struct Runtime {
  std::string_view name, call;
};
constexpr std::array own_runtimes = {
    Runtime{"libmpi_abi.so.1", "taihu_run_node_process"},
    Runtime{"libparallelc.so.0", "taihu_run_node_process"}, Runtime{"libnaalloc.so.0", "naalloc"},
    Runtime{"libtaihu_heap.so", "malloc"}, Runtime{"libtaihu_heap_checked.so", "malloc"}};
constexpr std::array process_runtimes = {
    Runtime{"libgcc_s.so.1", "_Unwind_RaiseException"},
    Runtime{"libgomp.so.1", "GOMP_parallel"},
    Runtime{"libomp.so.5", "__kmpc_fork_call"},
    Runtime{"libomp.so", "__kmpc_fork_call"},
    Runtime{"libiomp5.so", "__kmpc_fork_call"},
    Runtime{"libubsan.so.1", "__ubsan_handle_add_overflow"},
    Runtime{"libclang_rt.ubsan_standalone.so", "__ubsan_handle_add_overflow"},
    Runtime{"libclang_rt.ubsan_standalone-x86_64.so", "__ubsan_handle_add_overflow"},
    Runtime{"libclang_rt.ubsan_standalone-aarch64.so", "__ubsan_handle_add_overflow"},
    Runtime{"libtcmalloc.so.4", "malloc"},
    Runtime{"libtcmalloc_minimal.so.4", "malloc"},
    Runtime{"libjemalloc.so.2", "malloc"},
    Runtime{"libmimalloc.so.2", "malloc"},
    Runtime{"libtbbmalloc_proxy.so.2", "malloc"},
    Runtime{"libcuda.so.1", "cuInit"},
    Runtime{"libhsa-runtime64.so.1", "hsa_init"},
    Runtime{"libucp.so.0", "ucp_init_version"},
    Runtime{"libuct.so.0", "uct_md_open"},
    Runtime{"libucs.so.0", "ucs_config_parser_fill_opts"},
    Runtime{"libucm.so.0", "ucm_set_event_handler"}};

// Runtimes of languages, and what MPICH, its relatives and Open MPI have around the library for C.
constexpr std::array language_runtimes = {"libstdc++"sv,
                                          "libgfortran"sv,
                                          "libquadmath"sv,
                                          "libmpi_abi_fortran"sv,
                                          "libmpichfort"sv,
                                          "libmpifort"sv,
                                          "libmpichcxx"sv,
                                          "libmpicxx"sv,
                                          "libmpi_mpifh"sv,
                                          "libmpi_usempif08"sv,
                                          "libmpi_usempi_ignore_tkr"sv,
                                          "libmpi_cxx"sv};

// What their users have told them is a rank's: objects and functions of its interpreter, open files; classes,
// options and kernels that constructors of the users register, which copies of one user would do twice, and
// at the same time. FFTW's plans have no locks, an interpreter is the only one of a process, and METIS takes
// random numbers from the C library. GLib has one main loop for all of a process, and the classes of GObject
// and of GTS, which need it, have a name once. GSL calls its user's handler of errors.
constexpr std::array told_by_users = {"libpython"sv,
                                      "libruby"sv,
                                      "libguile"sv,
                                      "libgc.so"sv,
                                      "libfftw"sv,
                                      "librfftw"sv,
                                      "libmetis"sv,
                                      "libglib-2.0"sv,
                                      "libgsl.so"sv,
                                      "libhdf5"sv,
                                      "libtorch"sv,
                                      "libc10"sv,
                                      "libcaffe2"sv,
                                      "libonnx"sv,
                                      "libgflags"sv,
                                      "libglog"sv,
                                      "libprotobuf"sv,
                                      "libLLVM"sv,
                                      "libboost_serialization"sv,
                                      "libboost_wserialization"sv};

// Written in Fortran, but without variables that keep their values (LAPACK's old xLACON apart, which xLACN2
// has replaced), and without open files.
constexpr std::array stateless_fortran = {"libblas"sv,   "liblapack"sv, "libopenblas"sv, "libatlas"sv,
                                          "libsatlas"sv, "libtatlas"sv, "libf77blas"sv,  "libptf77blas"sv,
                                          "libblis"sv,   "libflame"sv};

template <std::size_t count>
bool is_one_of(std::string_view name, const std::array<std::string_view, count>& list) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

template <class List>
bool begins_with_one_of(std::string_view name, const List& list) {
  return std::any_of(list.begin(), list.end(), [&](const auto& begin) { return name.starts_with(begin); });
}

/// "libpng16.so.16.37.0", not "libplugin.so".
bool is_versioned(std::string_view name) {
  const std::size_t at = name.find(".so.");
  if (at == std::string_view::npos) return false;
  const std::string_view version = name.substr(at + 4);
  return !version.empty() && std::all_of(version.begin(), version.end(),
                                         [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; });
}

bool defines(const std::string& path, std::string_view call) {
  try {
    return ElfObject(path).find_definition(call, {}) != nullptr;
  } catch (const Error&) {
    return false;  // whoever loads it says what is wrong
  }
}

template <std::size_t count>
bool is_runtime(std::string_view name, const std::string& path, const std::array<Runtime, count>& list) {
  return std::any_of(list.begin(), list.end(), [&](const Runtime& runtime) {
    return name == runtime.name && (begins_with_one_of(path, system_folders) || defines(path, runtime.call));
  });
}

/// Whether the user has the process load the library at `path`: what a program also needs is its own.
bool is_preloaded(const std::string& path) {
  const char* list = std::getenv("LD_PRELOAD");
  const std::vector<std::string> names = split_folders(list != nullptr ? list : "", ": ");
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name.find('/') == std::string::npos ? name == last_part(path) : real_path(name) == path;
  });
}

}  // namespace

LibrarySharing::LibrarySharing(std::vector<std::string> private_libraries)
    : private_libraries_(std::move(private_libraries)) {
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* paths) {
        if (object->dlpi_name != nullptr && *object->dlpi_name != '\0')
          static_cast<std::set<std::string>*>(paths)->insert(real_path(object->dlpi_name));
        return 0;
      },
      &loaded_by_process_);
  std::erase_if(loaded_by_process_, is_preloaded);
}

bool LibrarySharing::is_never_copied(const std::string& file, const std::string& real) const {
  const bool is_c_library = is_one_of(file, c_libraries) &&
                            (begins_with_one_of(real, system_folders) || loaded_by_process_.contains(real));
  return is_c_library || is_runtime(file, real, own_runtimes);
}

bool LibrarySharing::has_state_of_rank(const std::string& name, const std::string& path) const {
  const std::string file = last_part(name);
  return (begins_with_one_of(file, private_libraries_) || begins_with_one_of(file, told_by_users)) &&
         !is_never_copied(file, real_path(path));
}

bool LibrarySharing::makes_private(const std::string& needed, const std::string& user) const {
  return last_part(needed).starts_with("libgfortran.so") &&
         !begins_with_one_of(last_part(user), stateless_fortran);
}

bool LibrarySharing::may_be_copied(const std::string& name, const std::string& path) const {
  const std::string file = last_part(name), real = real_path(path);
  return !is_never_copied(file, real) && !loaded_by_process_.contains(real) &&
         !is_runtime(file, real, process_runtimes);
}

bool LibrarySharing::is_private(const std::string& name, const std::string& path) const {
  const std::string file = last_part(name), real = real_path(path);
  if (is_never_copied(file, real)) return false;
  if (has_state_of_rank(name, path)) return true;
  if (is_one_of(file.substr(0, file.find(".so")), language_runtimes)) return true;
  if (loaded_by_process_.contains(real) || is_runtime(file, real, process_runtimes)) return false;
  return !begins_with_one_of(real, system_folders) || !(is_versioned(file) || is_versioned(last_part(real)));
}

}  // namespace taihu::memory
