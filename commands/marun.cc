// SPDX-License-Identifier: Apache-2.0
// marun: runs an MPI program as ranks in node processes.
#include "taihu/launch/run_command.h"

int main(int argc, char** argv) {
  return taihu::launch::run_command(taihu::launch::marun_command, TAIHU_VERSION, argc, argv);
}
