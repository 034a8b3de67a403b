// SPDX-License-Identifier: Apache-2.0
// Finding the files and starting clang.
#include "taihu/compiler/driver.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/base/program.h"
#include "taihu/base/search_path.h"
#include "taihu/compiler/tools.h"

namespace taihu::compiler {

namespace {

namespace fs = std::filesystem;
using std::string;

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

/// The program that clang would link with.
string linker_of(const Command& command, const string& clang) {
  for (auto argument = command.arguments.rbegin(); argument != command.arguments.rend(); ++argument)
    if (argument->starts_with("--ld-path=")) return argument->substr(10);
  const string name = command.linker.empty() || command.linker == "ld" ? "ld" : "ld." + command.linker;
  return output_of({clang, "-print-prog-name=" + name});
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
  if (command.output == Output::program) {
    if (command.whole_program) tools.linker = linker_of(command, tools.clang);
    tools.program.start_file = file_of_compiler({tools.clang}, "Scrt1.o");
    if (command.fast_math) tools.program.fast_math_file = file_of_compiler({tools.clang}, "crtfastmath.o");
  }
  become(clang_command(command, tools));
}

}  // namespace

Toolchain find_toolchain(const string& executable) {
  Toolchain tools;
  const fs::path root = fs::path(executable).parent_path().parent_path();
  const fs::path folder = folder_with("libparallelc-plugin.so", root, TAIHU_LIBRARY_FOLDER, "lib");
  tools.clang = find_clang();
  tools.plugin = if_there(folder / "libparallelc-plugin.so");
  if (tools.plugin.empty())
    throw Error("cannot find " + (folder / "libparallelc-plugin.so").string() +
                "; the installation is incomplete");
  tools.include = folder_with("parallelc.h", root, TAIHU_INCLUDE_FOLDER, "include").string();
  tools.library_folder = folder.string();
  tools.library = if_there(folder / "libparallelc.so");
  tools.program.start_object = if_there(folder / "taihu/start.o");
  tools.program.start_script = if_there(folder / "taihu/start.ld");
  tools.program.exports = if_there(folder / "taihu/exports.map");
  tools.program_script = if_there(folder / "taihu/program.ld");
  tools.library_script = if_there(folder / "taihu/library.ld");
  tools.whole_program_linker = if_there(root / "libexec/taihu/parcc-link");
  return tools;
}

int run_parcc(int argc, char** argv) {
  return run_program("parcc: error", [&] { return compile(std::vector<string>(argv + 1, argv + argc)); });
}

}  // namespace taihu::compiler
