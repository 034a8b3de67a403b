// SPDX-License-Identifier: Apache-2.0
// Reads numbers and words from a text file in memory and says where something is wrong: file:line:column.
#pragma once

#include <string>
#include <string_view>

#include "taihu/base/error.h"

namespace taihu::amg {

/// A file mapped into memory for reading. Throws Error when it cannot be opened.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view text() const { return {data_, bytes_}; }

 private:
  const char* data_ = "";
  std::size_t bytes_ = 0;
};

class TextReader {
 public:
  TextReader(std::string name, std::string_view text)
      : name_(std::move(name)), at_(text.data()), end_(text.data() + text.size()), line_begin_(at_) {}

  bool at_end() const { return at_ == end_; }
  /// The rest of the line without its end; goes to the next line.
  std::string_view line();
  /// Goes over blank lines and lines that begin with `comment`.
  void skip_lines(char comment);
  /// The next word of the line; empty at its end.
  std::string_view word();
  /// A whole number of at least `least` and at most `most`; `what` names it in messages.
  std::int64_t integer(const char* what, std::int64_t least, std::int64_t most);
  /// A finite number; one too small for double precision is zero.
  double number(const char* what);
  /// Goes to the next line; fails when this one has more than blanks.
  void end_line();

  /// Throws Error with the place of the last word read.
  [[noreturn]] void fail(const std::string& text) const;

 private:
  void skip_blanks();

  std::string name_;
  const char* at_;
  const char* end_;
  const char* line_begin_;
  const char* word_begin_ = nullptr;  // of the last word
  std::int64_t line_number_ = 1;
};

}  // namespace taihu::amg
