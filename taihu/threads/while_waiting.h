// SPDX-License-Identifier: Apache-2.0
// What a waiting thread does between two looks at what it waits for, such as moving messages on.
#pragma once

namespace taihu::threads {

/// A call that must not block and must not wait; none by default. Refers to `context`, does not own it.
struct WhileWaiting {
  void (*help)(void* context) = nullptr;
  void* context = nullptr;

  void operator()() const {
    if (help != nullptr) help(context);
  }
};

}  // namespace taihu::threads
