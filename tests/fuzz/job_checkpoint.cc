// SPDX-License-Identifier: Apache-2.0
// The manifest of a job's checkpoint, its checksum made right, and a node process's file.
#include "taihu/base/checksum.h"
#include "taihu/parallelc/checkpoint_file.h"
#include "tests/fuzz/fuzz.h"

using namespace taihu::parallelc;

TAIHU_FUZZ_TEXT(text) {
  const std::string manifest =
      text + "end " + std::to_string(taihu::checksum(text.data(), text.size())) + "\n";
  taihu::fuzz::write_file("save", manifest.data(), manifest.size());
  taihu::fuzz::run([] { check_same_job("save", read_manifest("save").shape, {.first_rank = {0, 2}}); });
  taihu::fuzz::write_file("process", text.data(), text.size());
  CheckpointReader("process", {.bytes = text.size()});
}
