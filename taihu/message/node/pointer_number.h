// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace taihu::message {

/// Pointers travel as numbers and come back to the process that sent them.
template <class T>
std::uint64_t to_number(T* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}
template <class T>
T* to_pointer(std::uint64_t number) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(number));
}

}  // namespace taihu::message
