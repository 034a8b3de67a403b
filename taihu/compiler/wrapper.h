// SPDX-License-Identifier: Apache-2.0
// What macc, mac++ and mafc do: they call the user's own compiler as mpicc, mpicxx and mpif90 do, with the
// folder of mpi.h and the library, and see to it that what comes out can be loaded once for every rank:
// position-independent code, and programs as executable shared objects (cc_command.h).
//
// Asked with -show, -showme and the like they say which flags they add. A build system that calls the plain
// compiler with those gets an ordinary executable, which runs as ranks, too, unless it has thread-local
// variables.
#pragma once

#include <string>
#include <vector>

#include "taihu/compiler/cc_command.h"

namespace taihu::compiler {

/// One of the three commands.
struct WrapperKind {
  enum class Language { c, cxx, fortran };
  Language language;
  const char* name;
  const char* variable;  ///< of the environment that names the compiler
  const char* option;    ///< that does the same, without the value
  const char* usual;     ///< compiler when nothing is said
};
extern const WrapperKind macc, macxx, mafc;

/// Files that the wrappers use. Empty: not there.
struct WrapperFiles {
  std::vector<std::string> compiler;  ///< words of the command, such as "ccache gcc"
  bool clang = false;                 ///< it is clang or made of it: takes --start-no-unused-arguments
  bool flang = false;
  std::string include;          ///< folder of mpi.h
  std::string library_folder;   ///< folder of libmpi_abi.so
  std::string library;          ///< libmpi_abi.so
  ProgramFiles program;         ///< with mpi_start.o; some only when a program is linked
  std::string modules;          ///< Fortran: folder of the modules for this compiler
  std::string fortran_library;  ///< Fortran: libmpi_abi_fortran.so
  std::string sanitizers;       ///< clang: folder of shared sanitizer runtimes, when it is needed
};

/// What is asked with -show and the like instead of a run.
enum class Question {
  none,
  command,       ///< the command that would run; without files, the flags for a plain compiler
  compile,       ///< flags for compiling
  link,          ///< flags for linking
  include_dirs,  ///< names alone
  library_dirs,
  libraries,
  compiler,
  compile_command,  ///< compiler and flags
  link_command,
  version,
  help
};

struct WrapperCommand : CcCommand {
  Question question = Question::none;
  std::string compiler;  ///< of -cc=, -cxx=, -fc=; empty: not given
};

/// Reads the arguments (without the program's name), response files included. Throws UsageError for what an
/// MPI program cannot be, with the reason.
WrapperCommand read_wrapper_command(const WrapperKind& kind, const std::vector<std::string>& arguments);

/// The command line for the compiler. Throws Error when linking needs a file that is missing.
std::vector<std::string> compiler_command(const WrapperKind& kind, const WrapperCommand& command,
                                          const WrapperFiles& files);

/// What to print for a question other than `none` and `help`, with a line end.
std::string answer(const WrapperKind& kind, const WrapperCommand& command, const WrapperFiles& files);

/// The text of -help.
std::string wrapper_help(const WrapperKind& kind);

/// Runs a wrapper. Returns the exit code where the compiler was not started (it replaces the process); prints
/// errors.
int run_wrapper(const WrapperKind& kind, int argc, char** argv);

}  // namespace taihu::compiler
