// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/line_writer.h"

#include <stdio_ext.h>

#include <cstring>

#include "taihu/parallelc/output_arguments.h"

namespace taihu::parallelc {

void LineWriter::print(const char* format, const void* arguments) noexcept {
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::size_t room = sizeof text_ - used_;
    const int length = print_from_memory(text_ + used_, room, format, arguments);
    if (length < 0) return;
    if (static_cast<std::size_t>(length) < room) {
      used_ += static_cast<std::size_t>(length);
      if (used_ > most_bytes_of_write) flush_lines();
      return;
    }
    flush(used_);
  }
  print_from_memory(stream_, format, arguments);
}

void LineWriter::bytes(const void* data, std::size_t size) noexcept {
  flush(used_);
  std::fwrite(data, 1, size, stream_);
}

// What comes after the last line within the limit waits for more.
void LineWriter::flush_lines() noexcept {
  std::size_t end = most_bytes_of_write;
  while (end > 0 && text_[end - 1] != '\n') --end;
  flush(end == 0 ? used_ : end);
  if (used_ > most_bytes_of_write) flush(used_);  // one long line
}

void LineWriter::flush(std::size_t size) noexcept {
  if (size == 0) return;
  flockfile(stream_);
  // Before it has a buffer, glibc writes each line of a line-buffered stream by itself.
  const std::size_t first = __fbufsize(stream_) == 0 ? 1 : 0;
  if (first != 0) putc_unlocked(text_[0], stream_);
  fwrite_unlocked(text_ + first, 1, size - first, stream_);
  funlockfile(stream_);
  used_ -= size;
  std::memmove(text_, text_ + size, used_);
}

}  // namespace taihu::parallelc
