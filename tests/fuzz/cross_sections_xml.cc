// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/input/nuclear_library.h"
#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_FILE(path, "cross_sections.xml") {
  taihu::neutron::read_cross_sections_xml(path);
}
