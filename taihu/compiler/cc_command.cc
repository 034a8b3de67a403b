// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/cc_command.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "taihu/base/error.h"
#include "taihu/compiler/tools.h"

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

/// Of the options with -g only these ask for debug information; -gz, -gpubnames, -gsplit-dwarf and others say
/// how it is stored, where there is some.
bool is_debug_option(string_view argument) {
  if (argument == "-g0" || argument == "-ggdb0") return false;
  for (const string_view exact : {"-g", "-g1", "-g2", "-g3", "-gfull", "-gused", "-gmlt", "-gmodules"})
    if (argument == exact) return true;
  for (const string_view begin : {"-ggdb", "-glldb", "-gsce", "-gdbx", "-gdwarf", "-gline-tables-only",
                                  "-gline-directives-only", "-gstabs"})
    if (argument.starts_with(begin)) return true;
  return false;
}

/// Whether the user decides which names a program exports.
bool sets_exports(string_view argument) {
  if (argument == "-rdynamic") return true;
  if (!argument.starts_with("-Wl,")) return false;
  for (const char* word : {"-export-dynamic", ",-E", "-version-script", "-dynamic-list"})
    if (argument.find(word) != string_view::npos) return true;
  return false;
}

/// Whether denormal numbers count as zero: the last option about it says.
bool wants_fast_math(string_view argument, bool before) {
  if (argument == "-ffast-math" || argument == "-Ofast" || argument == "-funsafe-math-optimizations")
    return true;
  if (argument == "-fno-fast-math" || argument == "-fno-unsafe-math-optimizations") return false;
  return before;
}

/// "-fuse-ld=lld", "--ld-path=/opt/bin/ld.lld": lld. Empty for other arguments.
string linker_in(const string& argument) {
  for (const string_view option : {"-fuse-ld=", "--ld-path="}) {
    if (!argument.starts_with(option)) continue;
    const string name = std::filesystem::path(argument.substr(option.size())).filename();
    return name.starts_with("ld.") ? name.substr(3) : name;
  }
  return {};
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
        if (argument == "-x") set_language(arguments[i + 1]);
        keep_with_value(argument, arguments[++i]);
      } else if (!take_(argument)) {
        keep(argument);
      }
    }
    finish();
  }

 private:
  /// "none": the names of files tell it again.
  void set_language(const string& language) { language_ = language == "none" ? string() : language; }

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
    if (argument.starts_with("-x")) set_language(argument.substr(2));
    if (argument.starts_with("-l")) command_.inputs = true, only_headers_ = false;
    if (is_one_of(argument, no_link)) command_.compile_only = true;
    if (is_debug_option(argument)) command_.debug = true;
    if (sets_exports(argument)) command_.own_exports = true;
    if (argument.starts_with("-fsanitize=undefined")) command_.shared_sanitizer = true;
    if (const string linker = linker_in(argument); !linker.empty()) command_.linker = linker;
    command_.fast_math = wants_fast_math(argument, command_.fast_math);
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

void add_program(std::vector<string>& line, const CcCommand& command, const ProgramFiles& files) {
  line.push_back("-shared");
  if (!command.own_exports) add_linker(line, {"--version-script=" + files.exports});
  // Compilers leave it out of shared objects.
  if (!files.fast_math_file.empty()) line.push_back(files.fast_math_file);
  // These do not take scripts that add to their own; they make what the script is for.
  if (command.linker == "gold" || command.linker == "mold")
    add_linker(line, {"--defsym=__executable_start=__ehdr_start"});
  else
    add_linker(line, {"-T", files.start_script});
  // -u: the start files come last, but main may be in a library, and nothing refers to the interpreter.
  add_linker(line, {"-Bsymbolic", "-z", "defs", "-z", "now", "-u", "main", "-u", "taihu_interpreter", "-e",
                    "_start", files.start_file, files.start_object});
}

string file_of_compiler(std::vector<string> compiler, const string& name) {
  compiler.push_back("-print-file-name=" + name);
  const string path = output_of(compiler);
  return path.find('/') != string::npos ? path : string();
}

void require_file(const string& file, const string& name, const string& driver) {
  if (file.empty())
    throw Error("cannot find " + name + " beside " + driver + "; the installation is incomplete");
}

}  // namespace taihu::compiler
