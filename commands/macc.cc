// SPDX-License-Identifier: Apache-2.0
// macc: compiles MPI programs in C, a drop-in for mpicc. Exit codes: the compiler's, or 1 for a
// failure and 2 for wrong usage.
#include "taihu/compiler/wrapper.h"

int main(int argc, char** argv) {
  return taihu::compiler::run_wrapper(taihu::compiler::macc, argc, argv);
}
