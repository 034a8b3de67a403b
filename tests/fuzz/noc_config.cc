// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/workload/config.h"
#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_TEXT(text) {
  taihu::noc::parse_config(text, "chip.toml");
}
