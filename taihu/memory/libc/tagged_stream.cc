// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/libc/tagged_stream.h"

#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "taihu/base/error.h"

namespace taihu::memory {
namespace {

struct TaggedLines {
  std::string prefix;
  int fd;
  Redirection redirection;
  std::string line;  ///< begun and not ended

  bool put(std::string_view text, int to) const {
    while (!text.empty()) {
      const ssize_t done = ::write(to, text.data(), text.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(done));
    }
    return true;
  }
};

ssize_t write_lines(void* cookie, const char* data, size_t bytes) {
  auto& lines = *static_cast<TaggedLines*>(cookie);
  if (const auto now = lines.redirection ? lines.redirection(lines.fd) : std::nullopt) {
    if (!lines.line.empty()) lines.put(lines.prefix + std::exchange(lines.line, {}) + "\n", lines.fd);
    return lines.put({data, bytes}, *now) ? static_cast<ssize_t>(bytes) : 0;
  }
  std::string_view rest(data, bytes);
  std::string ready;
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    ready += lines.prefix + lines.line + std::string(rest.substr(0, end + 1));
    lines.line.clear();
    rest.remove_prefix(end + 1);
  }
  lines.line += rest;
  return lines.put(ready, lines.fd) ? static_cast<ssize_t>(bytes) : 0;
}

int close_lines(void* cookie) {
  const std::unique_ptr<TaggedLines> lines(static_cast<TaggedLines*>(cookie));
  return lines->line.empty() || lines->put(lines->prefix + lines->line + "\n", lines->fd) ? 0 : EOF;
}

}  // namespace

std::FILE* make_tagged_stream(const std::string& prefix, int fd, Redirection redirection) {
  auto lines = std::make_unique<TaggedLines>(TaggedLines{prefix, fd, redirection, {}});
  const cookie_io_functions_t calls = {nullptr, &write_lines, nullptr, &close_lines};
  std::FILE* stream = fopencookie(lines.get(), "w", calls);
  if (!stream) throw system_error("cannot make a stream for the output of a rank", errno);
  static_cast<void>(lines.release());
  return stream;
}

}  // namespace taihu::memory
