// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/units.h"
#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_TEXT(text) {
  if (taihu::parse_bytes(text, "a size") < 0) std::abort();
}
