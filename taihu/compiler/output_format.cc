// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/output_format.h"

#include "taihu/abi/output_request.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

enum class Length { standard, small, large, largest };

Length take_length(StringRef& rest) {
  if (rest.consume_front("hh") || rest.consume_front("h")) return Length::small;
  if (rest.consume_front("ll") || rest.consume_front("l") || rest.consume_front("q")) return Length::large;
  if (rest.consume_front("j") || rest.consume_front("z") || rest.consume_front("t")) return Length::large;
  if (rest.consume_front("L")) return Length::largest;
  return Length::standard;
}

/// A width or a precision: digits, or "*", which reads an int. False: neither.
bool take_number(StringRef& rest, std::vector<int>& kinds, bool& is_read, unsigned& value) {
  is_read = rest.consume_front("*");
  if (is_read) {
    kinds.push_back(TAIHU_ARGUMENT_INT);
    return rest.empty() || rest.front() < '0' || rest.front() > '9';  // "*1$" is positional
  }
  value = 0;
  const StringRef digits = rest.take_while([](char c) { return c >= '0' && c <= '9'; });
  if (digits.empty()) return true;
  if (digits.getAsInteger(10, value) || value > (1U << 30)) return false;
  rest = rest.drop_front(digits.size());
  return true;
}

/// One conversion, behind its '%'. False: not one of those that are packed.
bool take_conversion(StringRef& rest, std::vector<int>& kinds) {
  rest = rest.drop_while([](char c) { return StringRef("-+ #0'").contains(c); });
  bool is_read = false;
  unsigned number = 0;
  if (!take_number(rest, kinds, is_read, number)) return false;
  const bool has_precision = rest.consume_front(".");
  bool is_limit_read = false;
  unsigned limit = 0;
  if (has_precision && !take_number(rest, kinds, is_limit_read, limit)) return false;
  const Length length = take_length(rest);
  if (rest.empty()) return false;
  const char conversion = rest.front();
  rest = rest.drop_front();
  switch (conversion) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      if (length == Length::largest) return false;
      kinds.push_back(length == Length::large ? TAIHU_ARGUMENT_LONG : TAIHU_ARGUMENT_INT);
      return true;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      if (length == Length::small) return false;
      kinds.push_back(length == Length::largest ? TAIHU_ARGUMENT_LONG_DOUBLE : TAIHU_ARGUMENT_DOUBLE);
      return true;
    case 'c':
      if (length != Length::standard) return false;
      kinds.push_back(TAIHU_ARGUMENT_INT);
      return true;
    case 'p':
      if (length != Length::standard) return false;
      kinds.push_back(TAIHU_ARGUMENT_LONG);
      return true;
    case 's':
      if (length != Length::standard) return false;
      if (!has_precision) {
        kinds.push_back(TAIHU_ARGUMENT_STRING);
      } else {
        kinds.push_back(is_limit_read ? TAIHU_ARGUMENT_LIMITED_STRING : static_cast<int>(limit));
      }
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<std::vector<int>> arguments_of_format(StringRef format) {
  std::vector<int> kinds;
  for (StringRef rest = format; !rest.empty();) {
    if (!rest.consume_front("%")) {
      rest = rest.drop_front();
    } else if (!rest.consume_front("%") && !take_conversion(rest, kinds)) {
      return std::nullopt;
    }
  }
  return kinds;
}

}  // namespace taihu::compiler
