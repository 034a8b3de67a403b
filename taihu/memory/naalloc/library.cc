// SPDX-License-Identifier: Apache-2.0
// The shared library has no code of its own: its calls come from taihu_memory, and it makes the allocator
// when it is loaded, so that the log shows wrong settings also of programs that allocate nothing.
#include "taihu/memory/naalloc/allocator.h"

namespace {

[[gnu::constructor]] void start() {
  taihu::memory::process_allocator();
}

}  // namespace
