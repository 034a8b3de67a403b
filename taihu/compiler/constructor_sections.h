// SPDX-License-Identifier: Apache-2.0
// Sections in which linkers gather the functions that run before main and behind it.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace taihu::compiler {

/// Whether it is such a section, with a priority (".init_array.101") or without.
inline bool is_for_constructors(std::string_view section) {
  constexpr std::array<std::string_view, 5> sections = {".init_array", ".fini_array", ".preinit_array",
                                                        ".ctors", ".dtors"};
  return std::any_of(sections.begin(), sections.end(), [&](std::string_view begin) {
    return section.starts_with(begin) && (section.size() == begin.size() || section[begin.size()] == '.');
  });
}

/// The same for sections of the same priority: GCC writes ".init_array.00101" for ".init_array.101".
inline std::string list_of_section(std::string_view section) {
  const std::size_t end = section.find_last_not_of("0123456789") + 1;
  const std::size_t number = std::min(section.find_first_not_of('0', end), section.size());
  return std::string(section.substr(0, end)).append(section.substr(number));
}

}  // namespace taihu::compiler
