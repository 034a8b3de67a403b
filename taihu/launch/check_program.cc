// SPDX-License-Identifier: Apache-2.0
// Whether marun and parcrun can run a file, before any process starts.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "taihu/base/error.h"
#include "taihu/launch/launch_plan.h"
#include "taihu/launch/python_program.h"

namespace taihu::launch {
namespace {

constexpr std::string_view elf_begin =
    "\x7f"
    "ELF";

/// The interpreter behind a script that stands for one, such as those of pyenv; "" when it is none.
std::string interpreter_behind(const std::string& script, const Surroundings& surroundings) {
  if (!script.substr(script.rfind('/') + 1).starts_with("python")) return {};
  std::string path = surroundings.output_of({script, "-c", "import sys; print(sys.executable)"});
  path.resize(std::min(path.size(), path.find('\n')));
  return path;
}

bool begins_with(const std::filesystem::path& path, std::string_view bytes) {
  std::string start(bytes.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) && start == bytes;
}

/// Programs of Taihu that run as one process have another one for ranks beside them, as they have for
/// launchers of other libraries (parallel::become_mpi_program). Its path, beside what a link leads to; ""
/// when there is none.
std::string program_for_ranks(const std::filesystem::path& path, const LaunchCommand& command) {
  namespace fs = std::filesystem;
  if (command.language != LaunchCommand::Language::mpi) return {};
  std::error_code ignored;
  const fs::path own_folder = fs::read_symlink("/proc/self/exe", ignored).parent_path(),
                 program = fs::weakly_canonical(path, ignored);
  const std::string beside = program.string() + "-taihu";
  return program.parent_path() == own_folder && fs::exists(beside, ignored) ? beside : "";
}

}  // namespace

CheckedProgram check_program(const std::string& program, const std::string& working_directory,
                             const Surroundings& surroundings) {
  namespace fs = std::filesystem;
  const LaunchCommand& command = *surroundings.command;
  std::error_code ignored;
  check_input(!program.empty(), "cannot run a program without a name");
  const bool in_path = program.find('/') == program.npos;
  std::string found = in_path ? surroundings.find_program(program) : program;
  // With a directory per rank ("%r") a relative path of the program starts at the directory in which the
  // command was started.
  const bool per_rank = working_directory.find("%r") != working_directory.npos;
  const fs::path here = per_rank ? fs::path() : fs::path(working_directory);
  if (in_path && found.empty())
    throw Error("cannot find the program " + program + " in PATH" +
                (fs::is_regular_file(here / program, ignored)
                     ? "; it is in the working directory: write ./" + program
                     : ""));
  if (const std::string other = program_for_ranks(here / found, command); !other.empty()) found = other;
  if (here.empty() && fs::path(found).is_relative())
    check_input(!fs::current_path(ignored).empty(),
                "cannot run " + program + " (the working directory no longer exists); change to another one");
  fs::path path = here / found;  // an absolute `found` replaces `here`
  check_input(fs::exists(path, ignored) || here.empty() || fs::is_directory(here, ignored),
              "cannot run " + program + " (no working directory " + here.string() + "); check --wdir");
  check_input(fs::exists(path, ignored), "cannot run " + program + " (no such file)");
  check_input(!fs::is_directory(path, ignored),
              "cannot run " + program + " (it is a directory); name the program in it");
  check_input(fs::is_regular_file(path, ignored), "cannot run " + program + " (it is not a regular file)");
  check_input(access(path.c_str(), R_OK) == 0, "cannot run " + program + " (no permission to read it)");
  const auto python = python_script(path);
  if (python && per_rank) found = fs::absolute(path).string();  // the interpreter opens it in there
  CheckedProgram result{found, {}};
  if (python && begins_with(python->interpreter, "#!")) {
    result = {interpreter_behind(python->interpreter, surroundings), python->arguments};
    result.arguments.push_back(found);
    check_input(begins_with(result.path, elf_begin),
                "cannot run " + program + " (its interpreter " + python->interpreter +
                    " is a script); name the compiled interpreter in its first line");
  }
  if (!python && begins_with(path, "#!")) {
    result.path = interpreter_behind(path, surroundings);
    path = result.path;
    check_input(begins_with(path, elf_begin),
                "cannot run " + program + " (it is a script; ranks are copies of a compiled program); call " +
                    command.name + " inside the script");
  }
  check_input(python || begins_with(path, elf_begin),
              "cannot run " + program + " (it is not a compiled program); " +
                  (program.ends_with(".py")
                       ? "name its interpreter: " + std::string(command.name) + " python3 " + program
                       : "build it with " + std::string(command.compiler)));
  check_input(access(path.c_str(), X_OK) == 0,
              "cannot run " + program + " (no permission); make it executable with chmod +x");
  return result;
}

}  // namespace taihu::launch
