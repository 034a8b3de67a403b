// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/workload/replay.h"
#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_TEXT(text) {
  taihu::noc::parse_trace(text, "calls.json");
}
