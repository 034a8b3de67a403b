// SPDX-License-Identifier: Apache-2.0
// Fields that threads look at while another one writes them.
#pragma once

#include <atomic>

namespace taihu::memory::heap {

/// A field that other threads may look at while its owner writes it; what they then decide does not depend on
/// the value.
template <typename T>
class Relaxed {
 public:
  operator T() const { return value_.load(std::memory_order_relaxed); }
  Relaxed& operator=(T value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }
  Relaxed& operator=(const Relaxed& other) { return *this = static_cast<T>(other); }

 private:
  std::atomic<T> value_;
};

/// The same for a field that says what other fields are worth: they are written before it and read after it.
template <typename T>
class Published {
 public:
  operator T() const { return value_.load(std::memory_order_acquire); }
  Published& operator=(T value) {
    value_.store(value, std::memory_order_release);
    return *this;
  }
  Published& operator=(const Published& other) { return *this = static_cast<T>(other); }

 private:
  std::atomic<T> value_;
};

}  // namespace taihu::memory::heap
