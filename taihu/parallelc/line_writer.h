// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>

namespace taihu::parallelc {

/// Collects text, and writes it by whole lines.
class LineWriter {
 public:
  explicit LineWriter(std::FILE* stream) : stream_(stream) {}
  ~LineWriter() { flush(used_); }
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  void print(const char* format, const void* arguments) noexcept;
  void bytes(const void* data, std::size_t size) noexcept;

 private:
  /// Lines of several ranks do not mix up to this length (POSIX: writes to pipes).
  static constexpr std::size_t most_bytes_of_write = 4096;

  void flush_lines() noexcept;
  void flush(std::size_t size) noexcept;

  std::FILE* stream_;
  std::size_t used_ = 0;
  char text_[2 * most_bytes_of_write];
};

}  // namespace taihu::parallelc
