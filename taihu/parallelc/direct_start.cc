// SPDX-License-Identifier: Apache-2.0
// A Parallel C program that is started without parcrun (./prog, a configure check, a debugger) runs as a job
// of one process: when this library finds itself loaded by such a program it re-executes it as `parcrun -n 1
// prog arguments`. This happens in a constructor, before any code of the program.
#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace taihu::parallelc {
namespace {

/// parcrun stands in ../bin beside this library, in the build tree as in an installation (lib/ may have
/// sub-folders).
std::filesystem::path find_parcrun() {
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&find_parcrun), &self) == 0) return {};
  std::error_code failed;
  const std::filesystem::path library = std::filesystem::canonical(self.dli_fname, failed);
  for (std::filesystem::path folder = library.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    const std::filesystem::path candidate = folder / "bin" / "parcrun";
    if (std::filesystem::exists(candidate, failed)) return candidate;
  }
  return {};
}

__attribute__((constructor)) void run_directly_started_program(int argc, char** argv, char**) {
  if (dlsym(RTLD_DEFAULT, "taihu_node_process") != nullptr)
    return;                                                     // loaded by the node process: the usual way
  if (dlsym(RTLD_DEFAULT, "taihu_program") == nullptr) return;  // not a program made by parcc
  const std::filesystem::path parcrun = find_parcrun();
  std::error_code failed;
  std::string program = std::filesystem::read_symlink("/proc/self/exe", failed).string();
  if (parcrun.empty() || failed) {
    std::fprintf(stderr, "%s: parcrun is not beside libparallelc.so; run the program as: parcrun -n 1 %s\n",
                 argv[0], argv[0]);
    std::_Exit(1);
  }
  std::string name = parcrun.string(), option = "-n", one = "1";
  std::vector<char*> arguments{name.data(), option.data(), one.data(), program.data()};
  for (int i = 1; i < argc; ++i) arguments.push_back(argv[i]);
  arguments.push_back(nullptr);
  execv(name.c_str(), arguments.data());
  std::fprintf(stderr, "%s: cannot start %s (%s)\n", argv[0], name.c_str(), std::strerror(errno));
  std::_Exit(1);
}

}  // namespace
}  // namespace taihu::parallelc
