// SPDX-License-Identifier: Apache-2.0
// parcrun: runs a Parallel C program as ranks in node processes.
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "taihu/base/error.h"
#include "taihu/launch/launch_plan.h"
#include "taihu/launch/supervise.h"

namespace {

using namespace taihu;
using namespace taihu::launch;

void say(const std::string& text) {
  std::fprintf(stderr, "parcrun: %s\n", text.c_str());
}

int run(const std::vector<std::string>& words) {
  ParcrunOptions options = parse_parcrun(words, "parcrun " TAIHU_VERSION);
  if (!options.text_to_print.empty()) {
    std::fputs(options.text_to_print.c_str(), stdout);
    return 0;
  }
  const Surroundings place = this_place();
  for (const std::string& warning : environment_warnings(place.environment)) say(warning);
  options.job.program = check_program(options.job.program, options.working_directory, place);
  const LaunchPlan plan = plan_launch(options, place);
  if (options.dry_run) {
    std::printf("%s\n", to_shell(plan).c_str());
    return 0;
  }
  check_input(
      access(place.node_program.c_str(), X_OK) == 0,
      "cannot find " + place.node_program + "; install Taihu as a whole, bin/ and libexec/ belong together");
  if (options.job.verbose)
    say(std::to_string(options.job.ranks) + (options.job.ranks == 1 ? " rank in " : " ranks in ") +
        std::to_string(plan.processes) + (plan.processes == 1 ? " node process: " : " node processes: ") +
        to_shell(plan));
  return run_job(plan, options.timeout_seconds, say);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const UsageError& error) {
    say(error.what());
    return 2;
  } catch (const std::exception& error) {
    say(error.what());
    return 1;
  }
}
