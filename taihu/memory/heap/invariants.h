// SPDX-License-Identifier: Apache-2.0
// All equations of the heap at once, for tests.
#pragma once

namespace taihu::memory::heap {

/// Checks every level (its check_invariants) and that spans, blocks and free runs tile the regions. No other
/// thread may be in the heap. Does nothing without contracts.
void check_invariants();

}  // namespace taihu::memory::heap
