// SPDX-License-Identifier: Apache-2.0
#include "taihu/topology/machine.h"
#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_TEXT(text) {
  const taihu::topology::Machine machine = taihu::topology::machine_from_text(text);
  taihu::topology::describe(machine);
  taihu::topology::to_json(machine);
}
