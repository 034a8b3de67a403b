// SPDX-License-Identifier: Apache-2.0
// What parcc makes of a command line of cc.
#include <algorithm>

#include "taihu/base/error.h"
#include "taihu/base/units.h"
#include "taihu/compiler/driver.h"
#include "taihu/compiler/response_file.h"

namespace taihu::compiler {

namespace {

using std::string;

/// What cannot be, and why. Nothing when the option is fine.
void refuse(const string& argument) {
  const auto stop = [&](const char* reason) { throw UsageError(argument + ": " + reason); };
  if (argument.starts_with("--model=") && argument != "--model=accelerated")
    stop("only the accelerated model is supported by this version; leave the option out");
  if (argument == "--spm-model" || argument.starts_with("--spm-model="))
    stop("the scratchpad machine model is not supported by this version; leave the option out");
  if (argument == "--report" || argument.starts_with("--report="))
    stop("reports are not supported by this version; leave the option out");
  if (argument == "-m32" || argument == "-mx32")
    stop("Parallel C programs have 64-bit addresses; leave it out");
  if (argument == "--no-proxy-opt") stop("the proxy is not part of this version; leave the option out");
}

/// Gold and mold cannot place shared variables.
void refuse_linker(const CcCommand& command) {
  if (command.linker == "gold" || command.linker == "mold")
    throw UsageError(
        command.linker +
        ": this linker does not know the linker scripts that place shared variables; use GNU ld, or "
        "-fuse-ld=lld");
}

std::int64_t parse_scratchpad(const string& text) {
  std::int64_t bytes = 0;
  try {
    bytes = parse_bytes(text, "--spm");
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  if (bytes < 1 || bytes > (std::int64_t{1} << 30))
    throw UsageError("--spm=" + text + ": the scratchpad must have 1 byte to 1G");
  return bytes;
}

/// Own options: true when `argument` is not for clang.
bool take_own(const string& argument, Command& command) {
  refuse(argument);
  if (argument == "--version") command.version = true;
  if (argument == "--help") command.help = true;
  if (argument == "--check") command.check = true;
  if (argument.starts_with("--spm=")) command.scratchpad_bytes = parse_scratchpad(argument.substr(6));
  return argument == "--help" || argument == "--check" || argument == "--model=accelerated" ||
         argument.starts_with("--spm=");
}

void add_parallel_c_program(std::vector<string>& line, const Command& command, const Toolchain& tools) {
  require_file(tools.program.start_object, "lib/taihu/start.o", "parcc");
  require_file(tools.program.start_script, "lib/taihu/start.ld", "parcc");
  require_file(tools.program_script, "lib/taihu/program.ld", "parcc");
  require_file(tools.program.exports, "lib/taihu/exports.map", "parcc");
  add_program(line, command, tools.program);
  add_linker(line,
             {"--defsym=taihu_scratchpad_capacity=" + std::to_string(command.scratchpad_bytes),
              string("--defsym=taihu_checks=") + (command.check ? "1" : "0"), "-T", tools.program_script});
}

void add_runtime(std::vector<string>& line, const Toolchain& tools) {
  require_file(tools.library, "lib/libparallelc.so", "parcc");
  add_linker(
      line, {"--push-state", "--no-as-needed", tools.library, "--pop-state", "-rpath", tools.library_folder});
}

}  // namespace

Command read_command(const std::vector<string>& arguments) {
  Command command;
  read_cc(expand_response_files(arguments), command,
          [&](const string& argument) { return take_own(argument, command); });
  command.check = command.check || command.debug;
  refuse_in_program(command, "a Parallel C program", "parcrun");
  if (command.output == Output::program) refuse_linker(command);
  return command;
}

std::vector<string> clang_command(const Command& command, const Toolchain& tools) {
  std::vector<string> line = {tools.clang};
  if (command.output == Output::nothing) {
    line.insert(line.end(), command.arguments.begin(), command.arguments.end());
    return line;
  }
  // Old programs that cc takes with a warning; the user's own options come later and win.
  line.insert(line.end(), {"--start-no-unused-arguments", "-Wno-error=implicit-function-declaration",
                           "-Wno-error=implicit-int"});
  line.insert(line.end(), {"-D__PARALLELC__=1", "-fplugin=" + tools.plugin, "-fpass-plugin=" + tools.plugin,
                           "-fplugin-arg-parallelc-spm=" + std::to_string(command.scratchpad_bytes)});
  if (command.check) line.insert(line.end(), {"-D__PARALLELC_CHECK__=1", "-fplugin-arg-parallelc-check"});
  line.push_back("--end-no-unused-arguments");
  const auto dashes = std::find(command.arguments.begin(), command.arguments.end(), "--");
  line.insert(line.end(), command.arguments.begin(), dashes);
  line.insert(line.end(), {"--start-no-unused-arguments", "-I" + tools.include, "-fPIC"});
  if (command.output == Output::program) add_parallel_c_program(line, command, tools);
  if (command.output == Output::shared_library) add_linker(line, {"-T", tools.library_script});
  if (command.output == Output::program || command.output == Output::shared_library) add_runtime(line, tools);
  if (command.cxx && (command.output == Output::program || command.output == Output::shared_library))
    line.insert(line.end(), {"-lstdc++", "-lm"});
  if (command.shared_sanitizer) {
    line.push_back("-shared-libsan");
    if (command.output != Output::objects) add_linker(line, {"-rpath", tools.sanitizer_folder});
  }
  line.push_back("--end-no-unused-arguments");
  line.insert(line.end(), dashes, command.arguments.end());
  return line;
}

const char* help_text() {
  return "usage: parcc [options] files\n"
         "\n"
         "Compiles and links Parallel C programs; a drop-in for cc. Every option of clang works; in "
         "addition:\n"
         "  --spm=SIZE   scratchpad of each accelerator thread, such as 64K (the default)\n"
         "  --check      check scratchpad accesses and transfers at run time (also with -g)\n"
         "  --version    version of parcc and of the clang it uses\n"
         "  --help       this text; clang's own is `clang-19 --help`\n"
         "\n"
         "Environment: TAIHU_CLANG  the clang to use instead of clang-19 from PATH\n";
}

}  // namespace taihu::compiler
