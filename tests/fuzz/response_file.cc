// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/response_file.h"
#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_FILE(path, "arguments") {
  taihu::compiler::expand_response_files({"@" + path});
}
