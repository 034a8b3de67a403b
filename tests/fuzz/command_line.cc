// SPDX-License-Identifier: Apache-2.0
// A command line, one word in each line, as parcrun and marun take it, and the plan made of it.
#include "taihu/launch/launch_plan.h"
#include "tests/fuzz/fuzz.h"

using namespace taihu::launch;

static Surroundings surroundings(const LaunchCommand& command) {
  Surroundings place;
  place.host_name = "login";
  place.command = &command;
  place.node_program = "/opt/taihu/libexec/taihu/node";
  place.find_program = [](const std::string& name) { return "/usr/bin/" + name; };
  place.output_of = [](const std::vector<std::string>& words) -> std::string {
    const bool mpich = words[0].find("mpiexec") != std::string::npos;
    return mpich ? "HYDRA build details:\n    Version: 4.0.2\n" : "mpirun.openmpi (OpenRTE) 4.1.4\n";
  };
  return place;
}

TAIHU_FUZZ_TEXT(text) {
  std::vector<std::string> words{""};
  for (const char c : text) {
    if (c == '\n')
      words.emplace_back();
    else if (c != 0)
      words.back() += c;
  }
  for (const LaunchCommand* command : {&parcrun_command, &marun_command})
    taihu::fuzz::run([&] {
      const RunOptions options = parse_run(*command, words, "1");
      if (options.text_to_print.empty()) to_shell(plan_launch(options, surroundings(*command)));
    });
}
