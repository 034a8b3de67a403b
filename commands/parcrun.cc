// SPDX-License-Identifier: Apache-2.0
// parcrun: runs a Parallel C program as ranks in node processes.
#include "taihu/launch/run_command.h"

int main(int argc, char** argv) {
  return taihu::launch::run_command(taihu::launch::parcrun_command, TAIHU_VERSION, argc, argv);
}
