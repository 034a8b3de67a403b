// SPDX-License-Identifier: Apache-2.0
// What the heap does about pointers that it did not hand out: one line that says which, and abort.
#pragma once

#include "taihu/memory/heap/slice_map.h"

namespace taihu::memory::heap {

/// Ends the program unless `address`, which lies in a slice of small blocks, is a block in use. `call` is
/// named in the line: "free()".
void check_used(const void* address, const char* call);

/// Record of the large block that begins at `address`; null when there is none in use.
Slice* large_block(const void* address);
/// The same; ends the program when there is none.
Slice* checked_large_block(const void* address, const char* call);

}  // namespace taihu::memory::heap
