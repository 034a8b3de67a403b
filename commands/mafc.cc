// SPDX-License-Identifier: Apache-2.0
// mafc: compiles MPI programs in Fortran, a drop-in for mpif90. Exit codes: the compiler's, or 1 for a
// failure and 2 for wrong usage.
#include "taihu/compiler/wrapper.h"

int main(int argc, char** argv) {
  return taihu::compiler::run_wrapper(taihu::compiler::mafc, argc, argv);
}
