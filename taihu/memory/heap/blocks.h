// SPDX-License-Identifier: Apache-2.0
// What the public calls stand on: the heap itself, or, in the checked library, blocks with marks around them.
#pragma once

#include "taihu/memory/heap/heap.h"

#if defined(TAIHU_HEAP_CHECKED)
#include "taihu/memory/heap/checked.h"
namespace taihu::memory::heap::blocks {
using namespace checked;
}
#else
namespace taihu::memory::heap::blocks {
using heap::allocate;
using heap::allocate_aligned;
using heap::allocate_fast;
using heap::allocate_other;
using heap::allocate_zeroed;
using heap::free;
using heap::reallocate;
using heap::usable_bytes;
}  // namespace taihu::memory::heap::blocks
#endif
