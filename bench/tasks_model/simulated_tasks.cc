// SPDX-License-Identifier: Apache-2.0
// Dynamic tasks on a million threads, simulated: prints JSON. usage: tasks_model TAKE_NS SERVE_US MESSAGE_US
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "taihu/model/task_simulation.h"

namespace {

using namespace taihu::model;

void print(bool first, const char* way, const TaskMachine& machine, const TaskWork& work,
           const TaskTime& time) {
  std::printf(
      "%s{\"way\": \"%s\", \"threads\": %lld, \"task_seconds\": %g, \"variation\": %g, \"seconds\": %.9f, "
      "\"least_seconds\": %.9f, \"requests\": %lld}\n",
      first ? "" : ",", way, static_cast<long long>(machine.workers()), work.mean, work.variation,
      time.seconds, least_seconds(machine, work), static_cast<long long>(time.master_requests));
}

void compare(bool first, int processes, const TaskWork& work, const TaskCosts& costs) {
  const TaskMachine flat{processes, 256, 0};
  const TaskMachine regions{processes, 256, 64};
  print(first, "regions", regions, work, simulate_pools(regions, work, costs));
  print(false, "pools", flat, work, simulate_pools(flat, work, costs));
  print(false, "static", flat, work, simulate_static(flat, work));
  print(false, "master", flat, work, simulate_single_master(flat, work, costs));
  print(false, "stealing", flat, work, simulate_stealing(flat, work, costs));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: tasks_model TAKE_NS SERVE_US MESSAGE_US\n");
    return 2;
  }
  const TaskCosts costs{std::atof(argv[1]) * 1e-9, std::atof(argv[2]) * 1e-6, std::atof(argv[3]) * 1e-6};
  std::printf("[");
  for (const double seconds : {16.0, 64.0, 256.0}) compare(seconds == 16, 4096, {20, seconds, 0}, costs);
  for (const double variation : {0.3, 1.0}) compare(false, 256, {20, 16, variation}, costs);
  std::printf("]\n");
  return 0;
}
