// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/geometry/region.h"
#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_TEXT(text) {
  taihu::neutron::compile_region(text, [](int id) { return taihu::neutron::SurfaceId(id); });
}
