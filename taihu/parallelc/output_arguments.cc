// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/output_arguments.h"

namespace taihu::parallelc {
namespace {

/// The arguments of a variadic call that all lie on the stack, at `arguments` (x86-64: System V ABI, section
/// 3.5.7; aarch64: AAPCS64, appendix B).
void from_memory(std::va_list& list, const void* arguments) noexcept {
#if defined(__x86_64__)
  const struct {
    unsigned general_offset = 6 * 8, floating_offset = 6 * 8 + 8 * 16;  // past all registers
    const void* stack;
    void* registers = nullptr;
  } state{.stack = arguments};
#elif defined(__aarch64__)
  const struct {
    const void* stack;
    void *general = nullptr, *floating = nullptr;
    int general_offset = 0, floating_offset = 0;  // past all registers
  } state{.stack = arguments};
#else
#error "how arguments of variadic calls lie in memory is not known here"
#endif
  static_assert(sizeof state == sizeof list);
  std::memcpy(static_cast<void*>(&list), &state, sizeof list);
}

}  // namespace

std::size_t length_of_argument(const char* text, int kind, int former_int) {
  if (text == nullptr) return 0;
  if (kind == TAIHU_ARGUMENT_LIMITED_STRING) kind = former_int < 0 ? TAIHU_ARGUMENT_STRING : former_int;
  return kind == TAIHU_ARGUMENT_STRING ? std::strlen(text) : strnlen(text, static_cast<std::size_t>(kind));
}

int print_from_memory(char* text, std::size_t bytes, const char* format, const void* arguments) noexcept {
  std::va_list list;
  from_memory(list, arguments);
  return std::vsnprintf(text, bytes, format, list);
}

int print_from_memory(std::FILE* stream, const char* format, const void* arguments) noexcept {
  std::va_list list;
  from_memory(list, arguments);
  return std::vfprintf(stream, format, list);
}

}  // namespace taihu::parallelc
