// SPDX-License-Identifier: Apache-2.0
// The TAIHU_HEAP_ variables, NAME=VALUE in each line.
#include "taihu/memory/heap/settings.h"

#include <map>
#include <sstream>

#include "tests/fuzz/fuzz.h"

namespace heap = taihu::memory::heap;

static std::map<std::string, std::string> environment;

TAIHU_FUZZ_TEXT(text) {
  environment.clear();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t equals = line.find('='); equals != line.npos)
      environment[line.substr(0, equals)] = line.substr(equals + 1);
  heap::Settings settings;
  heap::read_settings(
      [](const char* name) -> const char* {
        const auto found = environment.find(name);
        return found == environment.end() ? nullptr : found->second.c_str();
      },
      settings,
      [](const heap::Text& line) {
        std::string said(line.view());
        if (said.empty() || said.back() != '\n') std::abort();
        said.pop_back();
        taihu::fuzz::expect_one_line(said.c_str());
      });
  if (settings.prepared_threads > 65536) std::abort();
}
