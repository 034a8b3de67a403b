// SPDX-License-Identifier: Apache-2.0
// How far tests go under the address and the thread sanitizer.
#pragma once

#include "taihu/base/sanitizers.h"

namespace taihu {

/// How much a test does: `plain`, or `sanitized` under a sanitizer, where a step costs five to twenty times
/// as much and the next one runs the same code with other numbers. Where `sanitized` leaves out cases that no
/// other test has, the release must run the test: the component has no SANITIZERS_SUFFICE
/// (cmake/component.cmake), with which a whole `./dev test` runs `sanitized` alone.
template <class Value>
constexpr Value plain_or_sanitized(Value plain, Value sanitized) {
  return TAIHU_ADDRESS_SANITIZER || TAIHU_THREAD_SANITIZER ? sanitized : plain;
}

}  // namespace taihu
