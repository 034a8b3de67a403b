// SPDX-License-Identifier: Apache-2.0
// The NAALLOC_ variables, NAME=VALUE in each line.
#include "taihu/memory/naalloc/settings.h"

#include <vector>

#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_TEXT(text) {
  std::string lines = text;
  std::vector<char*> environment;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    environment.push_back(lines.data() + at);
    if (end < lines.size()) lines[end] = 0;
    at = end + 1;
  }
  environment.push_back(nullptr);
  for (const std::string& problem : taihu::memory::read_settings(environment.data()).problems)
    taihu::fuzz::expect_one_line(taihu::one_line(problem).c_str());
}
