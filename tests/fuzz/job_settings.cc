// SPDX-License-Identifier: Apache-2.0
// The TAIHU_ variables of a job, NAME=VALUE in each line, as a node process reads them.
#include <sstream>

#include "taihu/launch/job.h"
#include "tests/fuzz/fuzz.h"

using namespace taihu::launch;

TAIHU_FUZZ_TEXT(text) {
  EnvironmentMap environment;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t equals = line.find('='); equals != line.npos)
      environment[line.substr(0, equals)] = line.substr(equals + 1);
  environment_warnings(environment);
  taihu::fuzz::run([&] { rank_stack_bytes(environment); });
  to_environment(from_environment(environment));
}
