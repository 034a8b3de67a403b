// SPDX-License-Identifier: Apache-2.0
// parcc-link: the linker of parcc --whole-program. It links once to learn which files the linker uses, has
// the intermediate code of these compiled as one module, and links again with that in place of the objects.
#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <set>

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/raw_ostream.h"
#include "taihu/base/error.h"
#include "taihu/base/program.h"
#include "taihu/compiler/code_file.h"
#include "taihu/compiler/join_modules.h"
#include "taihu/compiler/link_line.h"
#include "taihu/compiler/tools.h"

namespace taihu::compiler {

namespace {

namespace fs = std::filesystem;
using std::string;

volatile std::sig_atomic_t interrupting_signal = 0;

/// Whoever interrupts the linking reaches the programs that this one waits for too; it goes on until its
/// files are removed.
void outlive_interrupts() {
  struct sigaction action{};
  action.sa_handler = [](int number) { interrupting_signal = number; };
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before{};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
}

class TemporaryFolder {
 public:
  TemporaryFolder() : path_((fs::temp_directory_path() / "parcc-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw system_error("cannot create folder " + path_, errno);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  string file(const char* name) const { return path_ + "/" + name; }

 private:
  string path_;
};

std::vector<string> command(const string& program, const std::vector<string>& words) {
  std::vector<string> line = {program};
  line.insert(line.end(), words.begin(), words.end());
  return line;
}

/// The files that the linker uses; none where it fails or links nothing. Its warnings come from the second
/// time.
std::vector<UsedFile> used_files(const LinkLine& line, const TemporaryFolder& folder) {
  std::vector<string> words = with_output(line, folder.file("first"));
  words.insert(words.end(), {"-t", "-t"});
  std::vector<UsedFile> used =
      read_trace(output_without_errors_of(command(line.linker, words)), [](const string& file) {
        std::error_code ignored;
        return fs::is_regular_file(file, ignored);
      });
  find_thin_members(used, line);
  return used;
}

/// What the linker uses, and what can be made of it.
std::vector<CodeFile> read_files(const std::vector<UsedFile>& used, const LinkLine& line) {
  std::vector<CodeFile> files;
  for (const UsedFile& file : used) {
    files.push_back(read_code_file(file));
    // Its archive stays among the words, and would be linked as well.
    if (line.has("--whole-archive") && !file.member.empty())
      files.back().problem = "--whole-archive takes it";
    if (file.member.empty() && !line.names(file.file))
      files.back().problem = "the linker found it by another name";
  }
  check_code(files, line.version);
  for (const CodeFile& file : files)
    if (!file.problem.empty() && !file.code.empty())
      std::fprintf(stderr, "parcc: warning: %s is not compiled together with the other files (%s)\n",
                   title_of(file).c_str(), file.problem.c_str());
  return files;
}

/// The options of all files. Throws Error where they differ: then each wants other code.
std::vector<CompilerOption> common_options(const std::vector<CodeFile>& joined) {
  const std::vector<CompilerOption> options = options_of_code(joined.front().options);
  for (const CodeFile& file : joined) {
    const string different = difference(options_of_code(file.options), options);
    if (!different.empty())
      throw Error(title_of(file) + " was compiled " + different + ", other than " + title_of(joined.front()) +
                  "; --whole-program needs the same options for all files");
  }
  return options;
}

void write_file(const string& content, const string& file) {
  std::error_code error;
  llvm::raw_fd_ostream stream(file, error);
  if (!error) stream << content;
  stream.close();
  if (error || stream.has_error()) {
    stream.clear_error();
    throw Error("cannot write " + file);
  }
}

void write_module(const llvm::Module& module, const string& file) {
  string code;
  llvm::raw_string_ostream stream(code);
  llvm::WriteBitcodeToFile(module, stream);
  write_file(stream.str(), file);
}

/// Compiles the joined code as the compiler compiles a file. False when it fails, and then it has said why.
bool compile(const LinkLine& line, const std::vector<CompilerOption>& options, const string& code,
             const string& object) {
  std::vector<string> words = {line.clang, "-cc1", "-emit-obj"};
  for (const CompilerOption& option : options) words.insert(words.end(), option.begin(), option.end());
  for (const string& option : line.options) words.insert(words.end(), {"-mllvm", option});
  words.insert(words.end(), {"-o", object, "-x", "ir", code});
  return run_command(words) == 0;
}

/// Compiles the lists of constructors that stand between files which are not joined.
std::vector<AddedObject> compile_constructors(const LinkLine& line, const std::vector<CodeFile>& files,
                                              const TemporaryFolder& folder) {
  std::vector<AddedObject> objects;
  for (const CodeFile& file : files) {
    if (file.constructors.empty()) continue;
    const string code = folder.file("constructors.bc"),
                 object = folder.file(("constructors" + std::to_string(objects.size()) + ".o").c_str());
    write_file(file.constructors, code);
    if (run_command({line.clang, "-cc1", "-emit-obj", "-mrelocation-model", "pic", "-o", object, "-x", "ir",
                     code}) != 0)
      throw Error("the list of constructors of " + title_of(file) + " was not compiled");
    objects.push_back({object, file.before_constructors.file});
  }
  return objects;
}

/// For the report: which files it is about, and which objects belong to the program beside these: those that
/// refer to them or that they refer to.
void tell_files(const LinkLine& line, const std::vector<CodeFile>& files) {
  string text;
  std::set<string> defined, undefined;
  for (const CodeFile& file : files) {
    if (!is_joined(file)) continue;
    text += (text.empty() ? "" : ", ") + file.source;
    defined.insert(file.defined.begin(), file.defined.end());
    undefined.insert(file.undefined.begin(), file.undefined.end());
  }
  defined.erase("main");  // to which the start of every program refers
  string others;
  for (const CodeFile& file : files)
    if (!is_joined(file) && file.is_object &&
        (have_common(file.undefined, defined) || have_common(file.defined, undefined)))
      others += (others.empty() ? "; not seen: " : ", ") + title_of(file);
  std::fprintf(stderr, "layout: %s: %s together%s\n", line.output.c_str(), text.c_str(), others.c_str());
}

/// A name of each member of an archive to which joined files refer: the joined code may do so no longer, but
/// the constructors of the member run all the same.
std::set<string> names_of_members(const std::vector<CodeFile>& files) {
  std::set<string> wanted, names;
  for (const CodeFile& file : files)
    if (is_joined(file)) wanted.insert(file.undefined.begin(), file.undefined.end());
  for (const CodeFile& file : files) {
    if (is_joined(file) || !file.is_object || file.place.member.empty()) continue;
    const auto found = std::find_if(file.defined.begin(), file.defined.end(),
                                    [&](const string& name) { return wanted.contains(name); });
    if (found != file.defined.end()) names.insert(*found);
  }
  return names;
}

int link(const std::vector<string>& arguments) {
  const LinkLine line = read_link_line(arguments);
  if (line.has("--wrap") || line.has("-wrap"))
    throw UsageError(
        "--wrap: changes names between files, which --whole-program compiles as one; leave one of them out");
  const TemporaryFolder folder;
  const std::vector<UsedFile> used = used_files(line, folder);
  if (used.empty()) return run_command(command(line.linker, line.words));
  std::vector<CodeFile> files = read_files(used, line);
  for (const string& warning : find_places_of_constructors(files, line))
    std::fprintf(stderr, "parcc: warning: %s\n", warning.c_str());
  std::vector<CodeFile> joined;
  std::copy_if(files.begin(), files.end(), std::back_inserter(joined), is_joined);
  if (joined.empty()) {
    const auto has_code = [](const CodeFile& file) { return !file.code.empty(); };
    if (std::none_of(files.begin(), files.end(), has_code))
      std::fprintf(stderr, "parcc: warning: --whole-program: no file was compiled with it\n");
    return run_command(command(line.linker, line.words));
  }
  const std::vector<CompilerOption> options = common_options(joined);
  if (std::find(line.options.begin(), line.options.end(), "-taihu-layout=text") != line.options.end())
    tell_files(line, files);
  const string code = folder.file("program.bc"), object = folder.file("program.o");
  llvm::LLVMContext context;
  write_module(*join_modules(context, files, line.output, names_in_words(line.words), line.keeps_exports),
               code);
  if (interrupting_signal != 0 || !compile(line, options, code, object)) return 1;
  const std::vector<AddedObject> constructors = compile_constructors(line, files, folder);
  std::vector<UsedFile> places;
  for (const CodeFile& file : joined) places.push_back(file.place);
  std::vector<string> words = with_joined(line, places, object, constructors);
  for (const string& name : names_of_members(files)) words.insert(words.begin(), {"-u", name});
  return run_command(command(line.linker, words));
}

}  // namespace

}  // namespace taihu::compiler

int main(int argc, char** argv) {
  taihu::compiler::outlive_interrupts();
  const int result = taihu::run_program(
      "parcc: error", [&] { return taihu::compiler::link(std::vector<std::string>(argv + 1, argv + argc)); });
  if (taihu::compiler::interrupting_signal != 0) {
    signal(taihu::compiler::interrupting_signal, SIG_DFL);
    raise(taihu::compiler::interrupting_signal);
  }
  return result;
}
