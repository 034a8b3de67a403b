// SPDX-License-Identifier: Apache-2.0
// Whether libraries have come since names were last looked up, which is cheaper than looking them up.
#pragma once

namespace taihu::memory {

/// Number of objects that were ever loaded into this process.
unsigned long long objects_loaded() noexcept;

}  // namespace taihu::memory
