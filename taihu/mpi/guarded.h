// SPDX-License-Identifier: Apache-2.0
// What the program may change in one thread of a rank while it asks for it in another: names and hints.
#pragma once

#include <mutex>
#include <utility>

namespace taihu::mpi {

template <class T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  T get() const {
    const std::lock_guard hold(lock_);
    return value_;
  }
  void set(T value) {
    const std::lock_guard hold(lock_);
    std::swap(value_, value);
  }
  /// change(T&) must not call the program.
  template <class Change>
  void change(Change&& change) {
    const std::lock_guard hold(lock_);
    change(value_);
  }

 private:
  mutable std::mutex lock_;
  T value_{};
};

}  // namespace taihu::mpi
