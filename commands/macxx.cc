// SPDX-License-Identifier: Apache-2.0
// mac++: compiles MPI programs in C++, a drop-in for mpicxx. Exit codes: the compiler's, or 1 for a
// failure and 2 for wrong usage.
#include "taihu/compiler/wrapper.h"

int main(int argc, char** argv) {
  return taihu::compiler::run_wrapper(taihu::compiler::macxx, argc, argv);
}
