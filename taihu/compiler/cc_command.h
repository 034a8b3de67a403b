// SPDX-License-Identifier: Apache-2.0
// A command line of cc, c++ or a Fortran compiler, understood as far as a driver must that passes it on: what
// comes out of it, and what cannot be when a program comes out. Shared by parcc and macc.
//
// A program is linked as a shared object with an entry point and an interpreter, because it must be possible
// to load it many times into one process: a position-independent executable would get local-exec thread-local
// storage and copy relocations, which exist once.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace taihu::compiler {

enum class Output { nothing, objects, program, shared_library };

struct CcCommand {
  std::vector<std::string>
      arguments;  ///< for the compiler, in order; the driver's own and -pie, -no-pie are taken out
  Output output = Output::nothing;
  bool own_exports = false;       ///< the user says which names a program exports (-rdynamic, ...)
  bool cxx = false;               ///< a C++ source file is among the inputs
  bool debug = false;             ///< -g in one of its forms
  bool shared_sanitizer = false;  ///< -fsanitize=undefined: its runtime is linked as a shared library
  bool inputs = false;            ///< files or libraries are among the arguments
  bool compile_only = false;      ///< an option that stops before linking is
  bool fast_math = false;  ///< a program begins with denormal numbers switched off, as -ffast-math says
  std::string linker;      ///< as -fuse-ld= or --ld-path= names it: "lld"; empty: the compiler's own
};

/// What is linked into a program besides the user's files; see the head of this file.
struct ProgramFiles {
  std::string start_file;      ///< the C library's start object, Scrt1.o
  std::string fast_math_file;  ///< crtfastmath.o of the compiler; empty: there is none, or it is not wanted
  std::string start_object;    ///< the interpreter, and what start.ld collects
  std::string start_script;    ///< start.ld
  std::string exports;         ///< version script for programs whose user says nothing about exports
};

/// Reads arguments whose response files are expanded. `take` sees each word that is an option and returns
/// true for those that are not for the compiler; it may throw UsageError.
void read_cc(const std::vector<std::string>& arguments, CcCommand& command,
             const std::function<bool(const std::string& option)>& take);

/// Throws UsageError, with the reason, for options that no program of ours can be linked with. `kind` names
/// it: "a Parallel C program".
void refuse_in_program(const CcCommand& command, const std::string& kind, const std::string& launcher);

/// Adds words for the linker that the compiler passes on as they are.
void add_linker(std::vector<std::string>& line, const std::vector<std::string>& words);

/// What every program is linked with.
void add_program(std::vector<std::string>& line, const CcCommand& command, const ProgramFiles& files);

/// The compiler's file `name` for linking ("Scrt1.o"), by asking the compiler whose words are given; empty
/// when it has none.
std::string file_of_compiler(std::vector<std::string> compiler, const std::string& name);

/// Throws Error naming `name` when `file` is empty: was not found.
void require_file(const std::string& file, const std::string& name, const std::string& driver);

}  // namespace taihu::compiler
