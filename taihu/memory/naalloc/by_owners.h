// SPDX-License-Identifier: Apache-2.0
// Work on the bytes of a block, done by the threads that own its parts where that is possible and pays.
#pragma once

#include <cstddef>
#include <span>

namespace taihu::memory {

/// Calls work(context, begin, end) for each part, given by the end of each in bytes: by the OpenMP team of
/// the caller where there is one of `threads` threads and enough to do, else by the caller, part after part.
void for_each_part(std::span<const std::size_t> part_end, int threads,
                   void (*work)(void* context, std::size_t begin, std::size_t end), void* context);

}  // namespace taihu::memory
