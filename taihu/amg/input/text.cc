// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/input/text.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace taihu::amg {

MappedFile::MappedFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw system_error("cannot open " + path, errno);
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(file);
    throw Error(path + (S_ISDIR(status.st_mode) ? " is a directory; name a file in it"
                                                : " is not a regular file (a pipe or a device cannot be read "
                                                  "twice); write what it gives into a file"));
  }
  bytes_ = static_cast<std::size_t>(status.st_size);
  if (bytes_ > 0) {
    void* mapped = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    const int error = errno;
    close(file);
    if (mapped == MAP_FAILED) throw system_error("cannot read " + path, error);
    data_ = static_cast<const char*>(mapped);
  } else {
    close(file);
  }
}

MappedFile::~MappedFile() {
  if (bytes_ > 0) munmap(const_cast<char*>(data_), bytes_);
}

void TextReader::fail(const std::string& text) const {
  const char* place = word_begin_ != nullptr && word_begin_ >= line_begin_ ? word_begin_ : at_;
  throw Error(name_ + ":" + std::to_string(line_number_) + ":" + std::to_string(place - line_begin_ + 1) +
              ": " + text);
}

void TextReader::skip_blanks() {
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
}

std::string_view TextReader::line() {
  const void* found = std::memchr(at_, '\n', end_ - at_);
  const char* line_end = found != nullptr ? static_cast<const char*>(found) : end_;
  std::string_view text(at_, line_end - at_);
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  at_ = line_end;
  if (at_ < end_) {
    ++at_;
    ++line_number_;
    line_begin_ = at_;
  }
  return text;
}

void TextReader::skip_lines(char comment) {
  for (;;) {
    skip_blanks();
    if (at_ == end_ || (*at_ != comment && *at_ != '\n')) return;
    line();
  }
}

std::string_view TextReader::word() {
  skip_blanks();
  word_begin_ = at_;
  while (at_ < end_ && *at_ != ' ' && *at_ != '\t' && *at_ != '\r' && *at_ != '\n') ++at_;
  return {word_begin_, static_cast<std::size_t>(at_ - word_begin_)};
}

std::int64_t TextReader::integer(const char* what, std::int64_t least, std::int64_t most) {
  const std::string_view text = word();
  if (text.empty()) fail(std::string(what) + " is missing");
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range && rest == text.data() + text.size())
    fail(std::string(what) + " " + std::string(text.substr(0, 40)) + " is not between " +
         std::to_string(least) + " and " + std::to_string(most));
  if (error != std::errc() || rest != text.data() + text.size())
    fail("'" + std::string(text.substr(0, 40)) + "' is not a whole number (" + what + ")");
  if (value < least || value > most)
    fail(std::string(what) + " " + std::to_string(value) + " is not between " + std::to_string(least) +
         " and " + std::to_string(most));
  return value;
}

double TextReader::number(const char* what) {
  std::string_view text = word();
  if (text.empty()) fail(std::string(what) + " is missing");
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+') digits.remove_prefix(1);
  double value = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool in_range = error != std::errc::result_out_of_range;
  if ((in_range && error != std::errc()) || rest != digits.data() + digits.size())
    fail("'" + std::string(text.substr(0, 40)) + "' is not a number (" + what + ")");
  // from_chars does not tell too large from too small; the other functions of the language do.
  if (!in_range) value = std::strtod(std::string(digits).c_str(), nullptr);
  if (!in_range && std::isinf(value))
    fail(std::string(what) + " " + std::string(text.substr(0, 40)) + " is too large for double precision");
  if (!std::isfinite(value)) fail(std::string(what) + " is not a finite number");
  return value;
}

void TextReader::end_line() {
  const std::string_view more = word();
  if (!more.empty()) fail("'" + std::string(more.substr(0, 40)) + "' is more than belongs on this line");
  line();
}

}  // namespace taihu::amg
