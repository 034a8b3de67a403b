// SPDX-License-Identifier: Apache-2.0
#include "taihu/topology/cpu_set.h"
#include "tests/fuzz/fuzz.h"

using taihu::topology::parse_cpu_set;

TAIHU_FUZZ_TEXT(text) {
  const taihu::topology::CpuSet cpus = parse_cpu_set(text);
  if (parse_cpu_set(cpus.to_text()) != cpus) std::abort();
}
