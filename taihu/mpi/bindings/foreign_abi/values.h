// SPDX-License-Identifier: Apache-2.0
// Values of one kind turned into those of another, for the time of a call.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace taihu::mpi::foreign {

/// Values for the time of a call: on the stack unless there are many.
template <class Value>
class Values {
 public:
  explicit Values(int count) : values_(few_) {
    if (count > static_cast<int>(few)) {
      values_ = static_cast<Value*>(std::malloc(static_cast<std::size_t>(count) * sizeof(Value)));
      if (values_ == nullptr) throw std::bad_alloc();
    }
  }
  ~Values() {
    if (values_ != few_) std::free(values_);
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  Value& operator[](int index) noexcept { return values_[index]; }
  Value* all() noexcept { return values_; }

 private:
  static constexpr std::size_t few = 32;
  Value few_[few];
  Value* values_;
};

/// An array that a call reads, each element turned into ours. Null when theirs is.
template <class Ours, class Theirs>
class ArrayValue {
 public:
  template <class Turn>
  ArrayValue(int count, const Theirs* theirs, Turn turn)
      : is_there_(theirs != nullptr), values_(theirs != nullptr ? count : 0) {
    for (int i = 0; is_there_ && i < count; ++i) values_[i] = turn(theirs[i]);
  }
  Ours* get() noexcept { return is_there_ ? values_.all() : nullptr; }
  Ours& operator[](int index) noexcept { return values_[index]; }

 private:
  bool is_there_;
  Values<Ours> values_;
};

}  // namespace taihu::mpi::foreign
