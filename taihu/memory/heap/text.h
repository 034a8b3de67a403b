// SPDX-License-Identifier: Apache-2.0
// Builds lines without allocating, for messages from inside malloc. What does not fit is cut off.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace taihu::memory::heap {

class Text {
 public:
  Text& add(const char* words) {
    while (*words) add_character(*words++);
    return *this;
  }
  Text& add_number(std::uint64_t number, unsigned width = 0) {
    char digits[20];
    unsigned count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
    } while ((number /= 10) > 0);
    for (unsigned at = count; at < width; ++at) add_character(' ');
    while (count > 0) add_character(digits[--count]);
    return *this;
  }
  Text& add_hexadecimal(std::uint64_t number) {
    add("0x");
    int shift = 60;
    while (shift > 0 && (number >> shift) == 0) shift -= 4;
    for (; shift >= 0; shift -= 4) add_character("0123456789abcdef"[(number >> shift) & 15]);
    return *this;
  }
  /// Words of a user: control characters as "?", and after `most` characters "...".
  Text& add_shown(const char* words, std::size_t most) {
    for (; *words && most > 0; ++words, --most) {
      const bool control = static_cast<unsigned char>(*words) < ' ' || *words == 0x7f;
      add_character(control ? '?' : *words);
    }
    return *words ? add("...") : *this;
  }
  /// Blanks up to a column.
  Text& pad_to(std::size_t column) {
    while (length_ < column && length_ < sizeof text_) text_[length_++] = ' ';
    return *this;
  }
  const Text& write_to(int file) const {
    std::size_t done = 0;
    while (done < length_) {
      const ssize_t written = write(file, text_ + done, length_ - done);
      if (written <= 0) break;
      done += static_cast<std::size_t>(written);
    }
    return *this;
  }
  std::string_view view() const { return {text_, length_}; }
  void clear() { length_ = 0; }

 private:
  void add_character(char character) {
    if (length_ < sizeof text_) text_[length_++] = character;
  }

  char text_[512];
  std::size_t length_ = 0;
};

}  // namespace taihu::memory::heap
