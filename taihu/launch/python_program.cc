// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/python_program.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "taihu/base/error.h"
#include "taihu/base/search_path.h"
#include "taihu/memory/image/elf_object.h"
#include "taihu/memory/image/folders.h"
#include "taihu/memory/image/library_search.h"

namespace taihu::launch {
namespace {

/// The system reads no more of a script's first line (BINPRM_BUF_SIZE of Linux).
constexpr std::size_t longest_first_line = 256;
/// Of the second line of those that start their interpreter by a shell.
constexpr std::size_t longest_second_line = 2 * PATH_MAX;

/// "3.11" for a file with the name of a CPython executable, else "".
std::string python_version(const std::string& file) {
  static constexpr std::string_view begin = "python";
  std::string version = file.starts_with(begin) ? file.substr(begin.size()) : "";
  const std::size_t point = version.find('.');
  const auto are_digits = [](std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  if (point == version.npos || !are_digits(version.substr(0, point)) ||
      !are_digits(version.substr(point + 1)))
    return "";
  return version;
}

/// Whether there can be copies of an executable: none where it is linked to a fixed address, and where it has
/// thread_local variables only when these are few (memory/libc/thread_variables.h), which the library does
/// not mind.
enum class Copies { yes, perhaps, no };
Copies can_be_copied(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(Elf64_Phdr))
    return Copies::yes;
  if (header.e_type == ET_EXEC) return Copies::no;
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int k = 0; k < header.e_phnum; ++k) {
    Elf64_Phdr part{};
    if (!file.read(reinterpret_cast<char*>(&part), sizeof part)) return Copies::yes;
    if (part.p_type == PT_TLS) return Copies::perhaps;
  }
  return Copies::yes;
}

/// The library with the interpreter of `file`: of the installation that it belongs to, as conda and pyenv
/// have it, else one of the system.
std::optional<std::string> library_of(const std::string& file, const std::string& version,
                                      const std::string& start) {
  const std::string name = "libpython" + version + ".so.1.0";
  const std::string folder = file.substr(0, file.rfind('/'));
  const std::string own = folder.substr(0, folder.rfind('/')) + "/lib/" + name;
  if (access(own.c_str(), R_OK) == 0) return own;
  const auto user = std::make_shared<const memory::ElfObject>(start);
  return memory::find_library(name, *user);
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

/// The words of a shell's line; quotes keep what is between them together.
std::vector<std::string> shell_words_of(const std::string& line) {
  std::vector<std::string> words;
  char quote = 0;
  bool in_word = false;
  for (const char c : line) {
    if (quote == 0 && (c == ' ' || c == '\t')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == quote)
      quote = 0;
    else
      words.back() += c;
  }
  return words;
}

/// What installers of packages write for an interpreter whose path is too long for a first line or has
/// spaces: to a shell, `exec` of the interpreter with the script; to Python, a text. Nothing when the line is
/// not of that form.
std::vector<std::string> words_of_exec(const std::string& second_line) {
  static constexpr std::string_view begin = "'''exec' ";
  if (!second_line.starts_with(begin)) return {};
  std::vector<std::string> words = shell_words_of(second_line.substr(begin.size()));
  if (!words.empty() && words.back().starts_with('#')) words.pop_back();  // conda ends the text in a comment
  if (words.size() < 3 || words.back() != "$@" || words[words.size() - 2] != "$0") return {};
  words.resize(words.size() - 2);
  const bool needs_a_shell = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.find_first_of("$`\\") != std::string::npos;
  });
  return needs_a_shell ? std::vector<std::string>() : words;
}

}  // namespace

std::optional<PythonScript> python_script(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(longest_first_line + longest_second_line, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (!head.starts_with("#!")) return std::nullopt;
  const std::size_t end = std::min(head.size(), head.find('\n'));
  std::vector<std::string> given = words_of(head.substr(2, std::min(end, longest_first_line) - 2));
  if (end < head.size() && given.size() == 1 && memory::last_part(given.front()) == "sh") {
    const std::string rest = head.substr(end + 1);
    given = words_of_exec(rest.substr(0, rest.find('\n')));
  }
  const bool by_env = given.size() > 1 && memory::last_part(given.front()) == "env";
  if (by_env) given.erase(given.begin(), given.begin() + (given[1] == "-S" && given.size() > 2 ? 2 : 1));
  if (given.empty() || !memory::last_part(given.front()).starts_with("python")) return std::nullopt;
  const std::string interpreter = by_env ? find_in_path(given.front()) : given.front();
  check_input(
      !interpreter.empty() && access(interpreter.c_str(), X_OK) == 0,
      "cannot run " + path + " (its interpreter " + given.front() + " is not there); check its first line");
  return PythonScript{interpreter, {given.begin() + 1, given.end()}};
}

ProgramStart program_start(const std::string& program, const std::string& start_folder) {
  ProgramStart start{program, {}, {}};
  if (const auto script = python_script(program)) {
    start = {script->interpreter, script->interpreter, script->arguments};
    start.arguments.push_back(program);
  }
  const std::string file = memory::real_path(start.program);
  const std::string version = python_version(memory::last_part(file));
  const Copies copies = version.empty() ? Copies::yes : can_be_copied(file);
  if (copies == Copies::yes) return start;
  const std::string own = start_folder + "/python-start";
  const std::optional<std::string> library = library_of(file, version, own);
  if (!library && copies == Copies::perhaps) return start;
  check_input(library.has_value(),
              "there can be no copies of '" + file + "' in memory, which ranks need, and libpython" +
                  version +
                  ".so.1.0, which would do as well, is not installed; install it (Debian package libpython" +
                  version + ") or use another interpreter");
  start.arguments.insert(start.arguments.begin(), *library);
  start.program = own;
  return start;
}

}  // namespace taihu::launch
