// SPDX-License-Identifier: Apache-2.0
// Reading a command line of mpicc, writing the one for the compiler, and answering questions about it.
#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "taihu/base/error.h"
#include "taihu/base/shell_word.h"
#include "taihu/compiler/response_file.h"
#include "taihu/compiler/wrapper.h"

namespace taihu::compiler {

namespace {

using std::string;
using Words = std::vector<string>;
using Language = WrapperKind::Language;

constexpr std::pair<std::string_view, Question> questions[] = {
    {"-show", Question::command},
    {"-showme", Question::command},
    {"--showme", Question::command},
    {"-showme:compile", Question::compile},
    {"--showme:compile", Question::compile},
    {"-showme:link", Question::link},
    {"--showme:link", Question::link},
    {"-showme:incdirs", Question::include_dirs},
    {"--showme:incdirs", Question::include_dirs},
    {"-showme:libdirs", Question::library_dirs},
    {"--showme:libdirs", Question::library_dirs},
    {"-showme:libs", Question::libraries},
    {"--showme:libs", Question::libraries},
    {"-showme:command", Question::compiler},
    {"--showme:command", Question::compiler},
    {"-showme:version", Question::version},
    {"--showme:version", Question::version},
    {"-compile_info", Question::compile_command},
    {"-compile-info", Question::compile_command},
    {"-link_info", Question::link_command},
    {"-link-info", Question::link_command},
    {"-help", Question::help},
    {"--help", Question::help},
};

Question question_in(const string& argument) {
  for (const auto& [word, question] : questions)
    if (argument == word) return question;
  return Question::none;
}

/// Own options: true when `argument` is not for the compiler.
bool take_own(const WrapperKind& kind, const string& argument, WrapperCommand& command) {
  const auto stop = [&](const char* reason) { throw UsageError(argument + ": " + reason); };
  if (argument == "-m32" || argument == "-mx32") stop("MPI programs have 64-bit addresses; leave it out");
  if (argument == "-ftls-model=local-exec")
    stop(
        "thread-local variables of a program that is loaded once for every rank are not at fixed places; "
        "leave it out");
  if (argument.starts_with("-showme:") || argument.starts_with("--showme:")) {
    if (question_in(argument) == Question::none)
      stop("not known; use compile, link, incdirs, libdirs, libs, command or version");
  }
  if (const Question question = question_in(argument); question != Question::none) {
    command.question = question;
    return true;
  }
  if (!argument.starts_with(kind.option)) return false;
  command.compiler = argument.substr(string(kind.option).size());
  if (command.compiler.empty()) stop("needs the name of a compiler");
  return true;
}

void refuse_static_fortran(const WrapperCommand& command) {
  if (command.output != Output::program && command.output != Output::shared_library) return;
  for (const string& argument : command.arguments)
    if (argument == "-static-libgfortran")
      throw UsageError(argument +
                       ": the static libgfortran cannot be part of a program that is loaded once for every "
                       "rank; leave it out (every rank gets its own copy of the shared one)");
}

Words compile_flags(const WrapperFiles& files) {
  Words words = {"-I" + files.include};
  if (!files.modules.empty()) words.push_back("-I" + files.modules);
  return words;
}

Words library_flags(const WrapperFiles& files) {
  Words words;
  if (!files.fortran_library.empty()) {
    const string folder = std::filesystem::path(files.fortran_library).parent_path();
    if (folder != files.library_folder) words = {"-L" + folder, "-Wl,-rpath," + folder};
    words.push_back("-lmpi_abi_fortran");
  }
  words.insert(words.end(), {"-L" + files.library_folder, "-Wl,-rpath," + files.library_folder, "-lmpi_abi"});
  return words;
}

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

void add_libraries(Words& line, const WrapperCommand& command, const WrapperFiles& files) {
  // A program needs the library even when it calls nothing of it: to start itself as a job (./prog).
  if (command.output == Output::program) add_linker(line, {"--push-state", "--no-as-needed"});
  append(line, library_flags(files));
  if (command.output == Output::program) add_linker(line, {"--pop-state"});
  if (!command.shared_sanitizer || files.sanitizers.empty()) return;
  line.push_back("-shared-libsan");
  add_linker(line, {"-rpath", files.sanitizers});
}

/// Flang knows only the form that cannot take a comma.
Words without_xlinker(const Words& line) {
  Words words;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != "-Xlinker" || i + 1 == line.size()) {
      words.push_back(line[i]);
      continue;
    }
    const string& value = line[++i];
    check_input(value.find(',') == string::npos,
                value + ": flang cannot pass words with a comma to the linker; use a folder without one");
    words.push_back("-Wl," + value);
  }
  return words;
}

/// A word as both a shell and CMake's FindMPI read it, which knows no quotes but double ones behind the
/// letters of an option: -I"/a b/include".
string shown_word(const string& word) {
  const string quoted = shell_word(word);
  if (quoted == word || word.find_first_of("\"\\$`!") != string::npos) return quoted;
  for (const std::string_view option : {"-I", "-L", "-Wl,"})
    if (word.starts_with(option)) return string(option) + '"' + word.substr(option.size()) + '"';
  return quoted;
}

string line_of(const Words& words) {
  string text;
  for (const string& word : words) text += (text.empty() ? "" : " ") + shown_word(word);
  return text + "\n";
}

/// Compiler, flags for compiling, the user's words, flags for linking: for a compiler without this wrapper.
Words plain_command(const WrapperCommand& command, const WrapperFiles& files) {
  Words words = files.compiler;
  append(words, compile_flags(files));
  words.push_back("-fPIC");
  append(words, command.arguments);
  if (!command.compile_only) append(words, library_flags(files));
  return words;
}

Words with_compiler(const WrapperFiles& files, const Words& flags) {
  Words words = files.compiler;
  append(words, flags);
  return words;
}

}  // namespace

const WrapperKind macc = {Language::c, "macc", "MACC_CC", "-cc=", "gcc"};
const WrapperKind macxx = {Language::cxx, "mac++", "MACC_CXX", "-cxx=", "g++"};
const WrapperKind mafc = {Language::fortran, "mafc", "MACC_FC", "-fc=", "gfortran"};

WrapperCommand read_wrapper_command(const WrapperKind& kind, const Words& arguments) {
  WrapperCommand command;
  read_cc(expand_response_files(arguments), command,
          [&](const string& argument) { return take_own(kind, argument, command); });
  refuse_in_program(command, "an MPI program", "marun");
  refuse_static_fortran(command);
  return command;
}

Words compiler_command(const WrapperKind& kind, const WrapperCommand& command, const WrapperFiles& files) {
  Words line = files.compiler;
  if (command.output == Output::nothing) {
    append(line, command.arguments);
    return line;
  }
  const auto dashes = std::find(command.arguments.begin(), command.arguments.end(), "--");
  const auto quietly = [&](bool on) {
    if (files.clang && !files.flang)
      line.push_back(on ? "--start-no-unused-arguments" : "--end-no-unused-arguments");
  };
  // First of all folders: a project's own mpi.h, or that of another library, must not come before.
  quietly(true);
  append(line, compile_flags(files));
  quietly(false);
  line.insert(line.end(), command.arguments.begin(), dashes);
  quietly(true);
  line.push_back("-fPIC");  // after the user's -fPIE or -fno-pic: the last one counts
  if (command.output == Output::program || command.output == Output::shared_library) {
    require_file(files.library, "lib/libmpi_abi.so", kind.name);
    if (command.output == Output::program) {
      require_file(files.program.start_object, "lib/taihu/mpi_start.o", kind.name);
      require_file(files.program.start_script, "lib/taihu/start.ld", kind.name);
      require_file(files.program.exports, "lib/taihu/mpi_exports.map", kind.name);
      require_file(files.program.start_file, "Scrt1.o of the C library", kind.name);
      add_program(line, command, files.program);
    }
    add_libraries(line, command, files);
  }
  quietly(false);
  line.insert(line.end(), dashes, command.arguments.end());
  return files.flang ? without_xlinker(line) : line;
}

string answer(const WrapperKind& kind, const WrapperCommand& command, const WrapperFiles& files) {
  Words compile = compile_flags(files);
  compile.push_back("-fPIC");
  switch (command.question) {
    case Question::command:
      return line_of(command.inputs ? compiler_command(kind, command, files) : plain_command(command, files));
    case Question::compile:
      return line_of(compile);
    case Question::link:
      return line_of(library_flags(files));
    case Question::include_dirs:
      return line_of(files.modules.empty() ? Words{files.include} : Words{files.include, files.modules});
    case Question::library_dirs:
      return line_of({files.library_folder});
    case Question::libraries:
      return files.fortran_library.empty() ? "mpi_abi\n" : "mpi_abi_fortran mpi_abi\n";
    case Question::compiler:
      return line_of(files.compiler);
    case Question::compile_command:
      return line_of(with_compiler(files, compile));
    case Question::link_command:
      return line_of(with_compiler(files, library_flags(files)));
    case Question::version:
      return string(kind.name) + ": Taihu " TAIHU_VERSION " (MPI on threads)\n";
    case Question::none:
    case Question::help:
      break;
  }
  return {};
}

string wrapper_help(const WrapperKind& kind) {
  const string name = kind.name, usual = kind.usual;
  return "usage: " + name + " [options] files\n\n" + "Compiles and links MPI programs with " + usual +
         " or the compiler you say; run them with marun.\n"
         "Every option of the compiler works; in addition:\n"
         "  " +
         kind.option +
         "NAME         the compiler to use\n"
         "  -show            the command that would run; without files, what a plain compiler needs\n"
         "  -showme          the same; -showme:compile -showme:link the flags alone;\n"
         "                   also :incdirs :libdirs :libs :command :version\n"
         "  -compile_info    compiler and flags for compiling; -link_info for linking\n"
         "  -help            this text; the compiler's own is `" +
         usual +
         " --help`\n\n"
         "Environment: " +
         kind.variable + "  the compiler to use instead of " + usual + "\n";
}

}  // namespace taihu::compiler
