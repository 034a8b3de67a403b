// SPDX-License-Identifier: Apache-2.0
// Writes a report as text for people, or as JSON for programs (format in docs/reference/naalloc.md).
#pragma once

#include <string>

#include "taihu/memory/naalloc/allocator.h"

namespace taihu::memory {

/// Text of several lines; blocks from the largest on, at most `most_blocks` of them, then what the rest sums
/// up to.
std::string to_text(const NaallocReport& report, std::size_t most_blocks = 40);

/// One JSON object, all blocks.
std::string to_json(const NaallocReport& report);

/// Sums over live and freed blocks that belong to threads.
Locality total(const NaallocReport& report);

}  // namespace taihu::memory
