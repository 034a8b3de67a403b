// SPDX-License-Identifier: Apache-2.0
// Options of mpirun (Open MPI) and mpiexec (MPICH), and how marun treats each.
#pragma once

#include <string_view>

namespace taihu::launch {

/// Our option that does the same; the word itself when there is none.
std::string_view our_spelling(std::string_view word, bool of_mpirun) noexcept;

/// Whether `word` asks for what marun does anyway. It takes no value.
bool asks_for_nothing(std::string_view word) noexcept;

/// Why `word` is refused and what to do instead; null when it is not refused.
const char* reason_to_refuse(std::string_view word) noexcept;

}  // namespace taihu::launch
