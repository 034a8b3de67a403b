// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/python_program.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <sstream>

#include "taihu/base/error.h"
#include "taihu/base/search_path.h"
#include "taihu/memory/image/elf_object.h"
#include "taihu/memory/image/folders.h"
#include "taihu/memory/image/library_search.h"

namespace taihu::launch {
namespace {

/// The system reads no more of a script's first line (BINPRM_BUF_SIZE of Linux).
constexpr std::streamsize longest_first_line = 256;

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

/// Whether the file is an executable that is linked to a fixed address or has thread_local variables.
bool cannot_be_copied(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(Elf64_Phdr))
    return false;
  if (header.e_type == ET_EXEC) return true;
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int k = 0; k < header.e_phnum; ++k) {
    Elf64_Phdr part{};
    if (!file.read(reinterpret_cast<char*>(&part), sizeof part)) return false;
    if (part.p_type == PT_TLS) return true;
  }
  return false;
}

/// The library with the interpreter of `file`: of the installation that it belongs to, as conda and pyenv
/// have it, else one of the system.
std::string library_of(const std::string& file, const std::string& version, const std::string& start) {
  const std::string name = "libpython" + version + ".so.1.0";
  const std::string folder = file.substr(0, file.rfind('/'));
  const std::string own = folder.substr(0, folder.rfind('/')) + "/lib/" + name;
  if (access(own.c_str(), R_OK) == 0) return own;
  const auto user = std::make_shared<const memory::ElfObject>(start);
  const auto found = memory::find_library(name, *user);
  check_input(found.has_value(),
              "there can be no copies of '" + file + "' in memory, which ranks need, and " + name +
                  ", which would do as well, is not installed; install it (Debian package libpython" +
                  version + ") or use another interpreter");
  return *found;
}

}  // namespace

std::optional<PythonScript> python_script(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line(longest_first_line, '\0');
  file.read(line.data(), longest_first_line);
  line.resize(static_cast<std::size_t>(file.gcount()));
  line.resize(std::min(line.size(), line.find('\n')));
  if (!line.starts_with("#!")) return std::nullopt;
  std::istringstream words(line.substr(2));
  std::vector<std::string> given;
  for (std::string word; words >> word;) given.push_back(word);
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
  if (version.empty() || !cannot_be_copied(file)) return start;
  const std::string own = start_folder + "/python-start";
  start.arguments.insert(start.arguments.begin(), library_of(file, version, own));
  start.program = own;
  return start;
}

}  // namespace taihu::launch
