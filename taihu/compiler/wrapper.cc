// SPDX-License-Identifier: Apache-2.0
// Finding compiler and files, and starting the compiler.
#include "taihu/compiler/wrapper.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/base/program.h"
#include "taihu/base/search_path.h"
#include "taihu/compiler/response_file.h"
#include "taihu/compiler/tools.h"

namespace taihu::compiler {

namespace {

namespace fs = std::filesystem;
using std::string;
using Words = std::vector<string>;

Words find_compiler(const WrapperKind& kind, const WrapperCommand& command) {
  const char* variable = std::getenv(kind.variable);
  string text = command.compiler;
  if (text.empty() && variable != nullptr) text = variable;
  Words words = split_arguments(text.empty() ? kind.usual : text);
  if (words.empty()) words = {kind.usual};
  const string& program = words.front();
  const bool there =
      program.find('/') != string::npos ? !if_there(program).empty() : !find_in_path(program).empty();
  check_input(there, "cannot find the compiler " + program + "; install it, or name another with " +
                         kind.variable + " or " + kind.option + "NAME");
  return words;
}

/// The name of the compiler's program without its folder, ccache and the like left out.
string compiler_name(const Words& compiler) {
  string name = fs::path(compiler.front()).filename();
  for (std::size_t i = 1; i < compiler.size() && !compiler[i].starts_with("-"); ++i)
    name = fs::path(compiler[i]).filename();
  return name;
}

Words with(Words words, const string& word) {
  words.push_back(word);
  return words;
}

/// Whether the compiler is one of the LLVM project or made of it; asked of itself when its name does not say.
bool is_of_llvm(const Words& compiler) {
  const string name = compiler_name(compiler);
  if (name.find("clang") != string::npos || name.find("flang") != string::npos) return true;
  for (const char* word : {"gcc", "g++", "gfortran"})
    if (name.find(word) != string::npos) return false;
  const string text = output_of(with(compiler, "--version"));
  for (const char* word : {"clang", "flang", "LLVM", "oneAPI"})
    if (text.find(word) != string::npos) return true;
  return false;
}

/// Where files for one Fortran compiler are, below include/ and lib/: taihu/fortran/gfortran-12.
fs::path fortran_folder(const Words& compiler, bool flang) {
  const string version = output_of(with(compiler, "-dumpversion"));
  const string name = flang ? "flang" : "gfortran";
  return fs::path("taihu/fortran") / (name + "-" + version.substr(0, version.find('.')));
}

void find_fortran(WrapperFiles& files, const fs::path& include, const fs::path& library) {
  const fs::path folder = fortran_folder(files.compiler, files.flang);
  files.modules = if_there(include / folder);
  // One for this compiler, or else one for all.
  files.fortran_library = if_there(library / folder / "libmpi_abi_fortran.so");
  if (files.fortran_library.empty()) files.fortran_library = if_there(library / "libmpi_abi_fortran.so");
}

/// The C library's start object; not every compiler driver tells where it is.
string find_start_file(const Words& compiler, bool flang) {
  for (const Words& asked : {flang ? Words{"cc"} : compiler, Words{"gcc"}})
    if (const string path = file_of_compiler(asked, "Scrt1.o"); !path.empty()) return path;
  for (const char* folder : {"/usr/lib64", "/usr/lib", "/lib"})
    if (const string path = if_there(fs::path(folder) / "Scrt1.o"); !path.empty()) return path;
  return {};
}

WrapperFiles find_files(const WrapperKind& kind, const WrapperCommand& command, const fs::path& executable) {
  WrapperFiles files;
  const fs::path root = executable.parent_path().parent_path();
  const fs::path folder = folder_with("taihu/mpi_start.o", root, TAIHU_LIBRARY_FOLDER, "lib");
  const fs::path include = folder_with("mpi.h", root, TAIHU_INCLUDE_FOLDER, "include");
  const bool links = command.output == Output::program || command.output == Output::shared_library;
  files.compiler = find_compiler(kind, command);
  files.clang = is_of_llvm(files.compiler);
  files.include = include.string();
  files.library_folder = folder.string();
  files.library = if_there(folder / "libmpi_abi.so");
  files.program.start_object = if_there(folder / "taihu/mpi_start.o");
  files.program.start_script = if_there(folder / "taihu/start.ld");
  const bool cxx = kind.language == WrapperKind::Language::cxx;
  files.program.exports = if_there(folder / "taihu" / (cxx ? "mpi_cxx_exports.map" : "mpi_exports.map"));
  if (kind.language == WrapperKind::Language::fortran) {
    files.flang = files.clang;
    find_fortran(files, include, folder);
  }
  if (command.output == Output::program) {
    files.program.start_file = find_start_file(files.compiler, files.flang);
    if (command.fast_math)
      files.program.fast_math_file =
          file_of_compiler(files.flang ? Words{"cc"} : files.compiler, "crtfastmath.o");
  }
  if (links && files.clang && command.shared_sanitizer)
    files.sanitizers = output_of(with(files.compiler, "-print-resource-dir")) + "/lib/linux";
  return files;
}

int run(const WrapperKind& kind, const Words& arguments) {
  const WrapperCommand command = read_wrapper_command(kind, arguments);
  if (command.question == Question::help) {
    std::fputs(wrapper_help(kind).c_str(), stdout);
    return 0;
  }
  const WrapperFiles files = find_files(kind, command, fs::read_symlink("/proc/self/exe"));
  if (command.question != Question::none) {
    std::fputs(answer(kind, command, files).c_str(), stdout);
    return 0;
  }
  become(compiler_command(kind, command, files));
}

}  // namespace

int run_wrapper(const WrapperKind& kind, int argc, char** argv) {
  return run_program((std::string(kind.name) + ": error").c_str(),
                     [&] { return run(kind, Words(argv + 1, argv + argc)); });
}

}  // namespace taihu::compiler
