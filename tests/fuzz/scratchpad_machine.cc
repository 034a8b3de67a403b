// SPDX-License-Identifier: Apache-2.0
#include "taihu/scratchpad_model/machine.h"
#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_TEXT(text) {
  taihu::scratchpad_model::parse_machine(text, "machine.json");
}
