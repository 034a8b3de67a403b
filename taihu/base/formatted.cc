// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/formatted.h"

#include <cstdarg>
#include <cstdio>
#include <string_view>

namespace taihu {

std::string formatted(const char* format, ...) {
  va_list values;
  va_start(values, format);
  va_list again;
  va_copy(again, values);
  const int length = std::vsnprintf(nullptr, 0, format, values);
  va_end(values);
  std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

namespace {

/// One character of a user's text (in UTF-8 all bytes of it) as it is shown.
std::string shown(std::string_view character) {
  const auto code = static_cast<unsigned char>(character[0]);
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code < 0x20 || code == 0x7f) return formatted("\\x%02x", code);
  return std::string(character);
}

/// Bytes of the character at `at`.
std::size_t length_of_character(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
  return end - at;
}

/// Where the character that has the byte before `end` begins.
std::size_t beginning_of_character(std::string_view text, std::size_t end) {
  std::size_t begin = end - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80) --begin;
  return begin;
}

}  // namespace

// The head takes two thirds of the room, the tail the rest, each as many whole characters as are shown in it.
std::string one_line(const std::string& text, std::size_t most) {
  std::string head, tail;
  std::size_t after_head = 0;
  const std::size_t for_tail = most / 3;
  while (after_head < text.size()) {
    const std::size_t length = length_of_character(text, after_head);
    const std::string next = shown(std::string_view(text).substr(after_head, length));
    if (head.size() + next.size() > most - for_tail) break;
    head += next;
    after_head += length;
  }
  std::size_t before_tail = text.size();
  while (before_tail > after_head) {
    const std::size_t begin = beginning_of_character(text, before_tail);
    const std::string next = shown(std::string_view(text).substr(begin, before_tail - begin));
    if (tail.size() + next.size() > for_tail) break;
    tail.insert(0, next);
    before_tail = begin;
  }
  return head + (before_tail > after_head ? "..." : "") + tail;
}

}  // namespace taihu
