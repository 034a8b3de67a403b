// SPDX-License-Identifier: Apache-2.0
// What network-model reads of `amgsolve --trace`.
#include "taihu/model/message_trace.h"
#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_TEXT(text) {
  taihu::model::parse_trace(text, "trace").ranks();
}
