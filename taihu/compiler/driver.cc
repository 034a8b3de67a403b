// SPDX-License-Identifier: Apache-2.0
// Finding the files and starting clang.
#include "taihu/compiler/driver.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "taihu/base/error.h"

namespace taihu::compiler {

namespace {

namespace fs = std::filesystem;
using std::string;

string if_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) ? path.string() : string();
}

string find_in_path(const string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (string folder; std::getline(folders, folder, ':');) {
    const string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
  }
  return {};
}

std::vector<char*> pointers(const std::vector<string>& words) {
  std::vector<char*> result;
  for (const string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

/// What a command prints, without the last newline. Empty when it fails.
string output_of(const std::vector<string>& words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  const pid_t child = fork();
  if (child < 0) throw system_error("cannot start " + words[0], errno);
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execvp(words[0].c_str(), pointers(words).data());
    _exit(127);
  }
  close(ends[1]);
  string text;
  char part[4096];
  for (ssize_t bytes = 0; (bytes = read(ends[0], part, sizeof part)) != 0;) {
    if (bytes < 0 && errno != EINTR) break;
    if (bytes > 0) text.append(part, static_cast<size_t>(bytes));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return {};
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

/// A clang of any name must be of the version the plugin was built for, or it crashes in it.
void check_version(const string& clang) {
  const string version = output_of({clang, "-dumpversion"});
  const string wanted = std::to_string(TAIHU_CLANG_MAJOR);
  if (version.empty()) throw Error(clang + ": cannot be run; set TAIHU_CLANG to a clang " + wanted);
  if (!version.starts_with(wanted + "."))
    throw Error(clang + " is version " + version + " but parcc's plugin was built for clang " + wanted +
                "; set TAIHU_CLANG to a clang " + wanted);
}

string find_clang() {
  const string name = "clang-" + std::to_string(TAIHU_CLANG_MAJOR);
  if (const char* given = std::getenv("TAIHU_CLANG"); given != nullptr && *given != 0) {
    check_version(given);
    return given;
  }
  if (const string found = find_in_path(name); !found.empty()) return found;
  if (const string found = find_in_path("clang"); !found.empty()) {
    check_version(found);
    return found;
  }
  throw Error("cannot find " + name + " in PATH; install the package " + name + " or set TAIHU_CLANG");
}

int start(const std::vector<string>& words) {
  execvp(words[0].c_str(), pointers(words).data());
  throw system_error("cannot start " + words[0], errno);
}

int compile(const std::vector<string>& arguments) {
  const Command command = read_command(arguments);
  if (command.help) {
    std::fputs(help_text(), stdout);
    return 0;
  }
  Toolchain tools = find_toolchain(fs::read_symlink("/proc/self/exe"));
  if (command.version) {
    std::printf("parcc (Taihu) %s\n", TAIHU_VERSION);
    std::fflush(stdout);
  }
  if (command.shared_sanitizer)
    tools.sanitizer_folder = output_of({tools.clang, "-print-resource-dir"}) + "/lib/linux";
  string start_file;
  if (command.output == Output::program) start_file = output_of({tools.clang, "-print-file-name=Scrt1.o"});
  return start(clang_command(command, tools, start_file));
}

}  // namespace

Toolchain find_toolchain(const string& executable) {
  Toolchain tools;
  const fs::path root = fs::path(executable).parent_path().parent_path();
  // The build tree always has lib/; an installation has what it was configured with.
  const fs::path installed = root / TAIHU_LIBRARY_FOLDER;
  const fs::path folder = fs::exists(installed / "libparallelc-plugin.so") ? installed : root / "lib";
  tools.clang = find_clang();
  tools.plugin = if_there(folder / "libparallelc-plugin.so");
  if (tools.plugin.empty())
    throw Error("cannot find " + (folder / "libparallelc-plugin.so").string() +
                "; the installation is incomplete");
  tools.include = (root / "include").string();
  tools.library_folder = folder.string();
  tools.library = if_there(folder / "libparallelc.so");
  tools.start_object = if_there(folder / "taihu/start.o");
  tools.program_script = if_there(folder / "taihu/program.ld");
  tools.program_exports = if_there(folder / "taihu/exports.map");
  tools.library_script = if_there(folder / "taihu/library.ld");
  return tools;
}

int run_parcc(int argc, char** argv) {
  try {
    return compile(std::vector<string>(argv + 1, argv + argc));
  } catch (const UsageError& error) {
    std::fprintf(stderr, "parcc: error: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "parcc: error: %s\n", error.what());
    return 1;
  }
}

}  // namespace taihu::compiler
