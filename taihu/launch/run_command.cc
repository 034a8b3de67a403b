// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/run_command.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/base/output_file.h"
#include "taihu/base/program.h"
#include "taihu/launch/launch_plan.h"
#include "taihu/launch/program_behind.h"
#include "taihu/launch/supervise.h"
#include "taihu/launch/tuning_table.h"
#include "taihu/topology/interconnect.h"

namespace taihu::launch {
namespace {

std::string summary(const RunOptions& options, const LaunchPlan& plan) {
  return std::to_string(options.job.ranks) + (options.job.ranks == 1 ? " rank in " : " ranks in ") +
         std::to_string(plan.processes) + (plan.processes == 1 ? " node process: " : " node processes: ") +
         to_shell(plan);
}

/// A damaged file is told once, before node processes start that would all stumble over it.
void check_network() {
  const char* const file = std::getenv("TAIHU_NETWORK");
  if (file != nullptr && *file != '\0') topology::read_interconnect(file);
}

/// Files and pipes that are opened later must not get the number of a standard stream that is closed: what
/// the job prints would go there. In its place is one that can only be used the wrong way round, so that its
/// users see the same error (EBADF).
void occupy_closed_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int run(const LaunchCommand& command, const std::string& version, const std::vector<std::string>& words) {
  const auto say = [&](const std::string& text) {
    std::fprintf(stderr, "%s: %s\n", command.name, text.c_str());
  };
  RunOptions options = parse_run(command, words, std::string(command.name) + " " + version);
  if (!options.text_to_print.empty()) {
    std::fputs(options.text_to_print.c_str(), stdout);
    return 0;
  }
  check_network();
  const std::string tuning = to_text(apply_tuning_table());
  const Surroundings place = this_place(command);
  for (const std::string& warning : environment_warnings(place.environment)) say(warning);
  if (auto behind = program_behind(options.job.program, options.job.arguments, place)) {
    options.job.program = behind->path;
    options.job.arguments = std::move(behind->arguments);
    auto& assignments = options.assignments;  // the user's come later, and win
    assignments.insert(assignments.begin(), behind->variables.begin(), behind->variables.end());
  }
  const CheckedProgram program = check_program(options.job.program, options.working_directory, place);
  options.job.program = program.path;
  options.job.arguments.insert(options.job.arguments.begin(), program.arguments.begin(),
                               program.arguments.end());
  // A file that we write goes to the directory in which the command was started, whatever directory the ranks
  // work in.
  if (!options.job.trace.empty()) options.job.trace = writable_file(options.job.trace, "--trace");
  if (!options.job.trace_collectives.empty())
    options.job.trace_collectives = writable_file(options.job.trace_collectives, "--trace-collectives");
  if (!options.job.restart.empty())
    options.job.restart = std::filesystem::absolute(options.job.restart).string();
  const LaunchPlan plan = plan_launch(options, place);
  for (const std::string& remark : plan.remarks) say(remark);
  if (options.dry_run) {
    std::printf("%s\n", to_shell(plan).c_str());
    return 0;
  }
  check_input(
      access(plan.node_program.c_str(), X_OK) == 0,
      "cannot find " + plan.node_program + "; install Taihu as a whole, bin/ and libexec/ belong together");
  if (options.job.verbose) {
    if (!tuning.empty()) say(tuning);
    say(summary(options, plan));
  }
  return run_job(plan, options.timeout_seconds, say);
}

}  // namespace

int run_command(const LaunchCommand& command, const std::string& version, int argc, char** argv) {
  occupy_closed_streams();
  return run_program(command.name, [&] { return run(command, version, {argv + 1, argv + argc}); });
}

}  // namespace taihu::launch
