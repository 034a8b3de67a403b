// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/numa_machine.h"
#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_TEXT(text) {
  taihu::model::parse_numa_machine(text, "machine.json");
}
