// SPDX-License-Identifier: Apache-2.0
// A model with its materials, geometry, settings and tallies; the multi-group library "library.json" is
// always there.
#include "taihu/neutron/input/read_model.h"
#include "tests/fuzz/fuzz.h"

static const std::string library =
    R"({"materials": {"fuel": {"total": [1.0], "absorption": [0.5], "fission": [0.2], "nu_fission": [0.5], "chi": [1.0],
        "scatter": [[0.5]]}, "water": {"total": [1.0], "absorption": [0.1], "scatter": [[0.9]]}}})";

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  taihu::fuzz::write_file("library.json", library.data(), library.size());
  return 0;
}

TAIHU_FUZZ_FILE(path, "./model.xml") {
  taihu::neutron::read_model(path);
}
