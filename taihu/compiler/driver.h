// SPDX-License-Identifier: Apache-2.0
// What parcc does: turns a command line of `cc` into one for clang, with the plugin for compiling and the
// pieces of an executable shared object for linking. One clang runs the whole command, so every option of
// clang works as it is. How programs are linked: cc_command.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "taihu/compiler/cc_command.h"

namespace taihu::compiler {

/// Files that parcc uses. Empty: not there.
struct Toolchain {
  std::string clang;
  std::string plugin;                     ///< libparallelc-plugin.so
  std::string include;                    ///< folder of parallelc.h
  std::string library_folder;             ///< folder of libparallelc.so
  std::string library;                    ///< libparallelc.so
  ProgramFiles program;                   ///< with start.o (descriptor) and exports.map
  std::string program_script;             ///< program.ld
  std::string library_script;             ///< library.ld
  std::string sanitizer_folder;           ///< of clang's shared sanitizer runtimes
  std::string whole_program_linker = {};  ///< parcc-link
  std::string linker = {};                ///< that it calls
};

/// Finds the files relative to the program `executable` (bin/ next to lib/ and include/), clang in
/// TAIHU_CLANG or PATH. Throws Error when clang or the plugin is missing or does not fit.
Toolchain find_toolchain(const std::string& executable);

/// A command line, understood as far as parcc must.
struct Command : CcCommand {
  bool help = false;
  bool version = false;
  bool check = false;            ///< --check or -g
  std::string scratchpad_model;  ///< machine's file of --spm-model, or "default"; empty: none
  bool scratchpad_model_lines = false;
  std::string scratchpad_pictures;  ///< folder of --spm-model-pictures; empty: none
  std::string layout_report;        ///< of --report=layout: "text" or "json"; empty: none
  bool auto_dma = false;
  bool optimise_for_host = false;
  bool whole_program = false;     ///< --whole-program
  bool autonomic = false;         ///< --model=autonomic
  bool output_in_pieces = false;  ///< --no-proxy-opt
  bool optimises = false;         ///< -O with anything but 0
  std::int64_t scratchpad_bytes = 64 * 1024;
};

/// Reads the arguments (without the program's name), response files included. Throws UsageError for what a
/// Parallel C program cannot be, with the reason.
Command read_command(const std::vector<std::string>& arguments);

/// The command line for clang. Throws Error when linking needs a file that is missing.
std::vector<std::string> clang_command(const Command& command, const Toolchain& tools);

/// The text of --help.
const char* help_text();

/// Runs parcc. Returns the exit code where clang was not started (it replaces the process); prints errors.
int run_parcc(int argc, char** argv);

}  // namespace taihu::compiler
