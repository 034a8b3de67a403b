// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/read_linear_system.h"

TAIHU_FUZZ_FILE(path, "input.petsc") {
  taihu::fuzz::read_linear_system(path);
}
