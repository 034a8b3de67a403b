// SPDX-License-Identifier: Apache-2.0
// Arguments of a call of stdio as they lie in memory: copied there by who asks for the output, given to
// printf from there by who carries it out.
#pragma once

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "taihu/abi/output_request.h"

namespace taihu::parallelc {

constexpr std::size_t rounded(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

/// Writes arguments one after the other as they lie on a stack; without memory only counts the bytes.
class ArgumentSlots {
 public:
  explicit ArgumentSlots(char* memory) : memory_(memory) {}

  template <class Value>
  void add(Value value) {
    constexpr std::size_t size = std::max<std::size_t>(8, sizeof(Value));
    used_ = rounded(used_, size);
    if (memory_ != nullptr) std::memcpy(memory_ + used_, &value, sizeof value);
    used_ += size;
  }
  std::size_t used() const noexcept { return used_; }

 private:
  char* memory_;
  std::size_t used_ = 0;
};

/// Bytes that a conversion reads of a string.
std::size_t length_of_argument(const char* text, int kind, int former_int);

/// As vsnprintf and vfprintf, with arguments from memory.
int print_from_memory(char* text, std::size_t bytes, const char* format, const void* arguments) noexcept;
int print_from_memory(std::FILE* stream, const char* format, const void* arguments) noexcept;

/// Goes through the arguments of a call: `slots` gets them, strings are given to `copy`, which returns where
/// the copy is.
template <class Copy>
void take_arguments(const taihu_output& output, std::va_list values, ArgumentSlots& slots, Copy&& copy) {
  std::va_list rest;
  va_copy(rest, values);
  int former_int = 0;
  for (int i = 0; i < output.argument_count; ++i) {
    const int kind = output.arguments[i];
    switch (kind) {
      case TAIHU_ARGUMENT_INT:
        slots.add(former_int = va_arg(rest, int));
        break;
      case TAIHU_ARGUMENT_LONG:
        slots.add(va_arg(rest, long));
        break;
      case TAIHU_ARGUMENT_DOUBLE:
        slots.add(va_arg(rest, double));
        break;
      case TAIHU_ARGUMENT_LONG_DOUBLE:
        slots.add(va_arg(rest, long double));
        break;
      default: {
        const char* const text = va_arg(rest, const char*);
        slots.add(text == nullptr ? text : copy(text, length_of_argument(text, kind, former_int)));
      }
    }
  }
  va_end(rest);
}

}  // namespace taihu::parallelc
