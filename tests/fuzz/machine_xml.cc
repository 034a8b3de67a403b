// SPDX-License-Identifier: Apache-2.0
#include "taihu/topology/machine.h"
#include "tests/fuzz/fuzz.h"

// hwloc's reader of XML does not free all that it made of a damaged file, and is unloaded before leaks are
// looked for.
extern "C" int __lsan_is_turned_off() {
  return 1;
}

TAIHU_FUZZ_FILE(path, "machine.xml") {
  const taihu::topology::Machine machine = taihu::topology::machine_from_xml(path);
  taihu::topology::describe(machine);
  taihu::topology::to_json(machine);
}
