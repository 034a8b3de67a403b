// SPDX-License-Identifier: Apache-2.0
// Reading a command line of cc, and writing the one for clang.
#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "taihu/base/error.h"
#include "taihu/base/units.h"
#include "taihu/compiler/driver.h"
#include "taihu/compiler/response_file.h"

namespace taihu::compiler {

namespace {

using std::string;
using std::string_view;

template <std::size_t N>
bool is_one_of(string_view text, const std::array<string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Options of clang whose value is the next argument; a value must not be taken for an input or an option.
constexpr std::array<string_view, 38> takes_value = {
    "-o",           "-x",           "-D",          "-U",
    "-I",           "-L",           "-l",          "-include",
    "-imacros",     "-isystem",     "-idirafter",  "-iquote",
    "-iprefix",     "-iwithprefix", "-isysroot",   "-iwithprefixbefore",
    "-MF",          "-MT",          "-MQ",         "-MJ",
    "-Xlinker",     "-Xclang",      "-Xassembler", "-Xpreprocessor",
    "-T",           "-u",           "-z",          "-e",
    "-target",      "--param",      "-arch",       "-aux-info",
    "-include-pch", "-mllvm",       "-F",          "-framework",
    "-rpath",       "--sysroot"};

/// Options that stop before linking.
constexpr std::array<string_view, 9> no_link = {
    "-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--precompile", "--analyze", "-emit-ast"};

constexpr std::array<string_view, 8> cxx_suffixes = {".cc", ".cpp", ".cxx", ".c++",
                                                     ".C",  ".cp",  ".CPP", ".ii"};
constexpr std::array<string_view, 6> header_suffixes = {".h", ".hh", ".hpp", ".hxx", ".H", ".h++"};

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

/// What cannot be when a program is linked.
void refuse_in_program(const string& argument) {
  const auto stop = [&](const char* reason) { throw UsageError(argument + ": " + reason); };
  if (argument == "-static" || argument == "--static" || argument == "-static-pie")
    stop(
        "a Parallel C program cannot be static (the dynamic loader loads it once for every process); leave "
        "it out");
  if (argument == "-nostdlib" || argument == "-nostartfiles" || argument == "-nodefaultlibs")
    stop("a Parallel C program needs the C library and its start files; leave it out");
  if (argument == "-fuse-ld=gold" || argument == "-fuse-ld=mold")
    stop(
        "this linker does not know the linker scripts that place shared variables; use GNU ld, or "
        "-fuse-ld=lld");
  for (const char* sanitizer : {"address", "thread", "memory", "leak", "hwaddress"})
    if (argument.starts_with("-fsanitize=") && argument.find(sanitizer) != string::npos)
      stop(
          "this sanitizer must be part of the first program of a process, which is parcrun's; use "
          "-fsanitize=undefined, or check the files apart from the program");
}

bool is_debug_option(string_view argument) {
  return argument.starts_with("-g") && argument != "-g0" && !argument.starts_with("-gcc") &&
         argument != "-gno-column-info" && !argument.starts_with("-gno-");
}

/// Whether the user decides which names a program exports.
bool sets_exports(string_view argument) {
  if (argument == "-rdynamic") return true;
  if (!argument.starts_with("-Wl,")) return false;
  for (const char* word : {"-export-dynamic", ",-E", "-version-script", "-dynamic-list"})
    if (argument.find(word) != string_view::npos) return true;
  return false;
}

/// Collects what the arguments say together.
class Reader {
 public:
  explicit Reader(Command& command) : command_(command) {}

  void read(const std::vector<string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const string& argument = arguments[i];
      if (after_dashes_ || argument == "-" || argument[0] != '-') {
        input(argument);
      } else if (is_one_of(argument, takes_value) && i + 1 < arguments.size()) {
        if (argument == "-x") language_ = arguments[i + 1];
        keep_with_value(argument, arguments[++i]);
      } else {
        option(argument);
      }
    }
    finish();
  }

 private:
  void keep_with_value(const string& argument, const string& value) {
    // A library is something to link.
    if (argument == "-l") inputs_ = true;
    command_.arguments.push_back(argument);
    command_.arguments.push_back(value);
  }

  void input(const string& argument) {
    command_.arguments.push_back(argument);
    const string suffix = std::filesystem::path(argument).extension();
    const bool header =
        language_.empty() ? is_one_of(suffix, header_suffixes) : language_.find("header") != string::npos;
    inputs_ = true;
    if (!header) only_headers_ = false;
    if (language_.empty() ? is_one_of(suffix, cxx_suffixes) : language_.starts_with("c++"))
      command_.cxx = true;
  }

  void option(const string& argument) {
    refuse(argument);
    if (argument == "--help") {
      command_.help = true;
    } else if (argument == "--check") {
      command_.check = true;
    } else if (argument == "--model=accelerated") {
      return;
    } else if (argument.starts_with("--spm=")) {
      command_.scratchpad_bytes = parse_size(argument.substr(6));
    } else if (argument == "-pie" || argument == "-no-pie" || argument == "-nopie") {
      return;  // a program is neither
    } else {
      keep(argument);
    }
  }

  void keep(const string& argument) {
    if (argument == "--version") command_.version = true;
    if (argument == "-shared" || argument == "--shared") shared_ = true;
    if (argument == "-r" || argument == "-Wl,-r") relocatable_ = true;
    if (argument.starts_with("-x")) language_ = argument.substr(2);
    if (language_ == "none") language_.clear();
    if (argument.starts_with("-l")) inputs_ = true, only_headers_ = false;
    if (is_one_of(argument, no_link)) compile_only_ = true;
    if (is_debug_option(argument)) command_.check = true;
    if (sets_exports(argument)) command_.own_exports = true;
    if (argument.starts_with("-fsanitize=undefined")) command_.shared_sanitizer = true;
    if (argument == "--") after_dashes_ = true;
    command_.arguments.push_back(argument);
  }

  static std::int64_t parse_size(const string& text) {
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

  void finish() {
    if (!inputs_)
      command_.output = Output::nothing;
    else if (compile_only_ || only_headers_ || relocatable_)
      command_.output = Output::objects;
    else
      command_.output = shared_ ? Output::shared_library : Output::program;
    if (command_.output != Output::program) return;
    for (const string& argument : command_.arguments) refuse_in_program(argument);
  }

  Command& command_;
  string language_;
  bool inputs_ = false;
  bool only_headers_ = true;
  bool compile_only_ = false;
  bool relocatable_ = false;
  bool shared_ = false;
  bool after_dashes_ = false;
};

void require(const string& file, const char* name) {
  if (file.empty())
    throw Error(string("cannot find ") + name + " beside parcc; the installation is incomplete");
}

void add_linker(std::vector<string>& line, std::initializer_list<string> words) {
  for (const string& word : words) {
    line.push_back("-Xlinker");
    line.push_back(word);
  }
}

void add_program(std::vector<string>& line, const Command& command, const Toolchain& tools,
                 const string& start_file) {
  require(tools.start_object, "lib/taihu/start.o");
  require(tools.program_script, "lib/taihu/program.ld");
  require(tools.program_exports, "lib/taihu/exports.map");
  line.push_back("-shared");
  if (!command.own_exports) add_linker(line, {"--version-script=" + tools.program_exports});
  // -u: the start files come last, but main may be in a library.
  add_linker(line, {"-Bsymbolic", "-z", "defs", "-z", "now", "-u", "main", "-e", "_start", start_file,
                    tools.start_object});
  add_linker(line,
             {"--defsym=taihu_scratchpad_capacity=" + std::to_string(command.scratchpad_bytes),
              string("--defsym=taihu_checks=") + (command.check ? "1" : "0"), "-T", tools.program_script});
}

void add_runtime(std::vector<string>& line, const Toolchain& tools) {
  require(tools.library, "lib/libparallelc.so");
  add_linker(
      line, {"--push-state", "--no-as-needed", tools.library, "--pop-state", "-rpath", tools.library_folder});
}

}  // namespace

Command read_command(const std::vector<string>& arguments) {
  Command command;
  Reader(command).read(expand_response_files(arguments));
  return command;
}

std::vector<string> clang_command(const Command& command, const Toolchain& tools, const string& start_file) {
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
  if (command.output == Output::program) add_program(line, command, tools, start_file);
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
