// SPDX-License-Identifier: Apache-2.0
// What people and scripts write for mpirun (Open MPI) and mpiexec (MPICH), and what marun makes of it.
#pragma once

#include <string_view>

namespace taihu::launch {

/// The option of ours that does the same; the word itself when there is none.
std::string_view our_spelling(std::string_view word, bool of_mpirun) noexcept;

/// Whether `word` asks for what marun does anyway. It takes no value.
bool asks_for_nothing(std::string_view word) noexcept;

/// Why `word` is refused and what to do instead; null when it is not one of those.
const char* reason_to_refuse(std::string_view word) noexcept;

}  // namespace taihu::launch
