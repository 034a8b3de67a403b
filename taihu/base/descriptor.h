// SPDX-License-Identifier: Apache-2.0
// Owner of a file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace taihu {

/// Closes the descriptor when it goes. Negative: owns none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Descriptor old(std::exchange(number_, other.release()));
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }

  int get() const noexcept { return number_; }
  /// The caller owns it from now on.
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace taihu
