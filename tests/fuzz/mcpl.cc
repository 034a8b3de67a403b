// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/file/mcpl_file.h"
#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_FILE(path, "source.mcpl") {
  taihu::neutron::read_mcpl_file(path);
}
