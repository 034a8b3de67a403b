// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/file/source_file.h"
#include "tests/fuzz/edited_hdf5.h"
#include "tests/fuzz/fuzz.h"

using namespace taihu::neutron;

static taihu::fuzz::EditedHdf5 make_edits() {
  write_source_file(
      "base.h5",
      {{.r = {1, 2, 3}, .u = {0, 0, 1}, .energy = 2e6, .time = 0, .weight = 1},
       {.r = {-1, 0, 4}, .u = {0.6, 0.8, 0}, .energy = 1, .time = 1e-6, .weight = 0.5, .surface = 7}});
  return {"base.h5", {"source_bank", "filetype", "source", "statepoint", "r", "u", "E", "particle"}};
}

TAIHU_FUZZ_BYTES(input) {
  static const taihu::fuzz::EditedHdf5 edits = make_edits();
  edits.write("source.h5", input);
  read_source_file("source.h5");
}
