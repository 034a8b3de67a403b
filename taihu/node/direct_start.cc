// SPDX-License-Identifier: Apache-2.0
#include "taihu/node/direct_start.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "taihu/base/mpi_launcher.h"

namespace taihu::node {
namespace {

std::filesystem::path this_library() {
  Dl_info self;
  std::error_code failed;
  if (dladdr(reinterpret_cast<const void*>(&is_node_process), &self) == 0) return {};
  return std::filesystem::canonical(self.dli_fname, failed);
}

std::filesystem::path find_launcher(const std::filesystem::path& library, const char* launcher) {
  std::error_code failed;
  for (std::filesystem::path folder = library.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    const std::filesystem::path candidate = folder / "bin" / launcher;
    if (std::filesystem::exists(candidate, failed)) return candidate;
  }
  return {};
}

/// As launched_processes; 1 also for programs that a rank of one of our jobs starts: they inherit what the
/// launcher said about its node process.
long copies_started_by_mpirun() {
  return std::getenv("TAIHU_RANKS") != nullptr ? 1 : launched_processes(process_environment);
}

}  // namespace

bool is_node_process() noexcept {
  return dlsym(RTLD_DEFAULT, "taihu_node_process") != nullptr;
}

void start_through(const char* launcher, int argc, char** argv) {
  // The launcher does what its environment says, which is the user's.
  if (getauxval(AT_SECURE) != 0) {
    std::fprintf(stderr,
                 "%s: has rights that its user does not have (set-uid, set-gid or capabilities of the file), "
                 "and a job cannot have them; take them away, or run it without them: %s -n 1 %s\n",
                 argv[0], launcher, argv[0]);
    std::_Exit(1);
  }
  if (const long copies = copies_started_by_mpirun(); copies > 1) {
    std::fprintf(stderr, "%s: mpirun would run this as %ld jobs of one rank; use: %s -n %ld %s\n", argv[0],
                 copies, launcher, copies, argv[0]);
    std::_Exit(1);
  }
  const std::filesystem::path library = this_library();
  const std::filesystem::path path = find_launcher(library, launcher);
  std::error_code failed;
  std::string program = std::filesystem::read_symlink("/proc/self/exe", failed).string();
  if (path.empty() || failed) {
    std::fprintf(stderr, "%s: cannot find bin/%s near %s; run the program as: %s -n 1 %s\n", argv[0],
                 launcher, library.c_str(), launcher, argv[0]);
    std::_Exit(1);
  }
  std::string name = path.string(), option = "-n", one = "1", name_option = "--argv0", dashes = "--";
  std::vector<char*> arguments{
      name.data(),   option.data(), one.data(), name_option.data(), argc > 0 ? argv[0] : program.data(),
      dashes.data(), program.data()};
  for (int i = 1; i < argc; ++i) arguments.push_back(argv[i]);
  arguments.push_back(nullptr);
  execv(name.c_str(), arguments.data());
  std::fprintf(stderr, "%s: cannot start %s (%s)\n", argv[0], name.c_str(), std::strerror(errno));
  std::_Exit(1);
}

}  // namespace taihu::node
