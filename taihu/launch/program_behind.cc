// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/program_behind.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string_view>

#include "taihu/base/error.h"
#include "taihu/memory/image/folders.h"

namespace taihu::launch {
namespace {

constexpr std::array<std::string_view, 2> starters = {"R", "Rscript"};
/// Name of the compiled program that all of them become.
constexpr const char* started = "R";
constexpr std::string_view beginning("taihu: exec\0", 12);
/// Of the shell, and of the way to stop the program.
constexpr std::array<std::string_view, 6> other_variables = {"LD_PRELOAD", "OLDPWD", "PWD",
                                                             "SHLVL",      "_",      "EXEC_TELLER_OF"};

/// Texts that each end in a zero byte (exec_teller.c).
class Told {
 public:
  explicit Told(std::string_view text) : left_(text) {}

  std::string next() {
    const std::size_t end = left_.find('\0');
    check_input(end != left_.npos, "what a starting program was told to tell has no end");
    std::string text(left_.substr(0, end));
    left_.remove_prefix(end + 1);
    return text;
  }
  std::vector<std::string> list() {
    const std::string number = next();
    std::size_t count = 0;
    std::from_chars(number.data(), number.data() + number.size(), count);
    std::vector<std::string> texts;
    for (; count > 0; --count) texts.push_back(next());
    return texts;
  }

 private:
  std::string_view left_;
};

std::vector<std::pair<std::string, std::string>> changes(const std::vector<std::string>& variables,
                                                         const EnvironmentMap& before) {
  std::vector<std::pair<std::string, std::string>> changed;
  for (const std::string& variable : variables) {
    const std::size_t equals = variable.find('=');
    if (equals == variable.npos) continue;
    const std::string name = variable.substr(0, equals), value = variable.substr(equals + 1);
    const auto old = before.find(name);
    if (std::ranges::find(other_variables, name) == other_variables.end() &&
        (old == before.end() || old->second != value))
      changed.emplace_back(name, value);
  }
  return changed;
}

bool is_script(const std::string& path) {
  std::array<char, 2> start{};
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), start.size()) && start[0] == '#' && start[1] == '!';
}

std::string first_line(const std::string& text) {
  const std::size_t begin = std::min(text.size(), text.find_first_not_of('\n'));
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

std::optional<ProgramBehind> program_behind(const std::string& program,
                                            const std::vector<std::string>& arguments,
                                            const Surroundings& surroundings) {
  if (std::ranges::find(starters, memory::last_part(program)) == starters.end()) return std::nullopt;
  const std::string path = program.find('/') == program.npos ? surroundings.find_program(program) : program;
  if (access(path.c_str(), X_OK) != 0) return std::nullopt;  // told by check_program
  if (memory::last_part(path) == started && !is_script(path)) return std::nullopt;
  const std::string& node_program = surroundings.node_program;
  const std::string folder = node_program.substr(0, node_program.rfind('/'));
  const std::string teller = folder + "/exec-teller.so";
  // Without it the whole program would run here.
  check_input(access(teller.c_str(), R_OK) == 0, "cannot find " + teller + "; install Taihu as a whole");
  check_input(teller.find_first_of(" :") == teller.npos,
              "cannot run " + program + ": Taihu is installed in " + folder +
                  ", and programs that start others need a path without spaces and colons");
  std::vector<std::string> command = {"/usr/bin/env", "LD_PRELOAD=" + teller,
                                      std::string("EXEC_TELLER_OF=") + started, path};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const std::string output = surroundings.output_of(command);
  const std::size_t begin = output.find(beginning);
  check_input(begin != output.npos,
              "cannot run " + program + " (it starts no compiled program): " + first_line(output));
  Told told(std::string_view(output).substr(begin + beginning.size()));
  ProgramBehind behind;
  behind.path = told.next();
  behind.arguments = told.list();
  if (!behind.arguments.empty()) behind.arguments.erase(behind.arguments.begin());
  behind.variables = changes(told.list(), surroundings.environment);
  return behind;
}

}  // namespace taihu::launch
