// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/input/text_library.h"
#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_FILE(path, "library.json") {
  taihu::neutron::read_text_library(path, {});
}
