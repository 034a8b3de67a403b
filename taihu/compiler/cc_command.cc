// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/cc_command.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "taihu/base/error.h"

namespace taihu::compiler {

namespace {

using std::string;
using std::string_view;

template <std::size_t N>
bool is_one_of(string_view text, const std::array<string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Options of compilers whose value is the next argument; a value must not be taken for an input or an
/// option.
constexpr std::array<string_view, 43> takes_value = {
    "-o",           "-x",           "-D",          "-U",
    "-I",           "-L",           "-l",          "-include",
    "-imacros",     "-isystem",     "-idirafter",  "-iquote",
    "-iprefix",     "-iwithprefix", "-isysroot",   "-iwithprefixbefore",
    "-MF",          "-MT",          "-MQ",         "-MJ",
    "-Xlinker",     "-Xclang",      "-Xassembler", "-Xpreprocessor",
    "-T",           "-u",           "-z",          "-e",
    "-target",      "--param",      "-arch",       "-aux-info",
    "-include-pch", "-mllvm",       "-F",          "-framework",
    "-rpath",       "--sysroot",    "-J",          "-module",
    "-module-dir",  "-B",           "-wrapper"};

/// Options that stop before linking.
constexpr std::array<string_view, 9> no_link = {
    "-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--precompile", "--analyze", "-emit-ast"};

constexpr std::array<string_view, 8> cxx_suffixes = {".cc", ".cpp", ".cxx", ".c++",
                                                     ".C",  ".cp",  ".CPP", ".ii"};
constexpr std::array<string_view, 6> header_suffixes = {".h", ".hh", ".hpp", ".hxx", ".H", ".h++"};

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
  Reader(CcCommand& command, const std::function<bool(const string&)>& take)
      : command_(command), take_(take) {}

  void read(const std::vector<string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const string& argument = arguments[i];
      if (after_dashes_ || argument.empty() || argument == "-" || argument[0] != '-') {
        input(argument);
      } else if (is_one_of(argument, takes_value) && i + 1 < arguments.size()) {
        if (argument == "-x") language_ = arguments[i + 1];
        keep_with_value(argument, arguments[++i]);
      } else if (!take_(argument)) {
        keep(argument);
      }
    }
    finish();
  }

 private:
  void keep_with_value(const string& argument, const string& value) {
    // A library is something to link.
    if (argument == "-l") command_.inputs = true;
    command_.arguments.push_back(argument);
    command_.arguments.push_back(value);
  }

  void input(const string& argument) {
    command_.arguments.push_back(argument);
    const string suffix = std::filesystem::path(argument).extension();
    const bool header =
        language_.empty() ? is_one_of(suffix, header_suffixes) : language_.find("header") != string::npos;
    command_.inputs = true;
    if (!header) only_headers_ = false;
    if (language_.empty() ? is_one_of(suffix, cxx_suffixes) : language_.starts_with("c++"))
      command_.cxx = true;
  }

  void keep(const string& argument) {
    // A program is neither.
    if (argument == "-pie" || argument == "-no-pie" || argument == "-nopie") return;
    if (argument == "-shared" || argument == "--shared") shared_ = true;
    if (argument == "-r" || argument == "-Wl,-r") relocatable_ = true;
    if (argument.starts_with("-x")) language_ = argument.substr(2);
    if (language_ == "none") language_.clear();
    if (argument.starts_with("-l")) command_.inputs = true, only_headers_ = false;
    if (is_one_of(argument, no_link)) command_.compile_only = true;
    if (is_debug_option(argument)) command_.debug = true;
    if (sets_exports(argument)) command_.own_exports = true;
    if (argument.starts_with("-fsanitize=undefined")) command_.shared_sanitizer = true;
    if (argument == "--") after_dashes_ = true;
    command_.arguments.push_back(argument);
  }

  void finish() {
    if (!command_.inputs)
      command_.output = Output::nothing;
    else if (command_.compile_only || only_headers_ || relocatable_)
      command_.output = Output::objects;
    else
      command_.output = shared_ ? Output::shared_library : Output::program;
  }

  CcCommand& command_;
  const std::function<bool(const string&)>& take_;
  string language_;
  bool only_headers_ = true;
  bool relocatable_ = false;
  bool shared_ = false;
  bool after_dashes_ = false;
};

void refuse_word(const string& argument, const string& kind, const string& launcher) {
  const auto stop = [&](const string& reason) { throw UsageError(argument + ": " + reason); };
  if (argument == "-static" || argument == "--static" || argument == "-static-pie")
    stop(kind + " cannot be static (the dynamic loader loads it once for every rank); leave it out");
  if (argument == "-nostdlib" || argument == "-nostartfiles" || argument == "-nodefaultlibs")
    stop(kind + " needs the C library and its start files; leave it out");
  for (const char* sanitizer : {"address", "thread", "memory", "leak", "hwaddress"})
    if (argument.starts_with("-fsanitize=") && argument.find(sanitizer) != string::npos)
      stop("this sanitizer must be part of the first program of a process, which is " + launcher +
           "'s; use -fsanitize=undefined, or check the files apart from the program");
}

}  // namespace

void read_cc(const std::vector<string>& arguments, CcCommand& command,
             const std::function<bool(const string&)>& take) {
  Reader(command, take).read(arguments);
}

void refuse_in_program(const CcCommand& command, const string& kind, const string& launcher) {
  if (command.output != Output::program) return;
  for (const string& argument : command.arguments) refuse_word(argument, kind, launcher);
}

void add_linker(std::vector<string>& line, const std::vector<string>& words) {
  for (const string& word : words) {
    line.push_back("-Xlinker");
    line.push_back(word);
  }
}

void add_program(std::vector<string>& line, const CcCommand& command, const string& start_file,
                 const string& start_object, const string& exports) {
  line.push_back("-shared");
  if (!command.own_exports) add_linker(line, {"--version-script=" + exports});
  // -u: the start files come last, but main may be in a library.
  add_linker(line, {"-Bsymbolic", "-z", "defs", "-z", "now", "-u", "main", "-e", "_start", start_file,
                    start_object});
}

void require_file(const string& file, const string& name, const string& driver) {
  if (file.empty())
    throw Error("cannot find " + name + " beside " + driver + "; the installation is incomplete");
}

}  // namespace taihu::compiler
