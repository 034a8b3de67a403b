// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/launch_plan.h"
#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_FILE(path, "hosts") {
  taihu::launch::read_host_file(path);
}
