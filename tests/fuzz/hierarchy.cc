// SPDX-License-Identifier: Apache-2.0
// What numa-model reads of `amgsolve --json`.
#include "taihu/model/numa_hierarchy.h"
#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_TEXT(text) {
  taihu::model::parse_hierarchy(text, "amgsolve.json").operator_share();
}
