// SPDX-License-Identifier: Apache-2.0
// parcc: the Parallel C compiler, a drop-in for cc. Exit codes: clang's, or 1 for a failure and 2 for wrong
// usage.
#include "taihu/compiler/driver.h"

int main(int argc, char** argv) {
  return taihu::compiler::run_parcc(argc, argv);
}
