// SPDX-License-Identifier: Apache-2.0
// One node process ends the job while the ranks of the others wait for messages that never come. The launcher
// must end them all; `mpirun -np 2 abort_check` succeeds as a test when it does so in time, with a failure
// code.
#include <unistd.h>

#include <cstdio>

#include "taihu/message/job_for_tests.h"

int main() {
  using namespace taihu::message;
  std::unique_ptr<Link> link = open_link();
  if (link == nullptr) return 0;
  const int process = link->process();
  const int processes = link->processes();
  const auto node = Node::create(layout_for_tests(processes, processes), std::move(link), nullptr);
  if (process == processes - 1) {
    usleep(200000);
    node->abort(7);
  }
  int value = 0;
  node->endpoint(0).receive(any_rank, user_context, 0, &value, sizeof value);
  return 0;
}
