// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/input_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "taihu/base/descriptor.h"
#include "taihu/base/error.h"

namespace taihu {

std::string read_file(const std::string& name, const std::string& what) {
  const auto refused = [&](int error) {
    return system_error("cannot read " + (what.empty() ? what : what + ' ') + name, error);
  };
  const Descriptor file(open(name.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw refused(errno);
  std::string text;
  std::array<char, 64 * 1024> block;
  for (;;) {
    const ssize_t bytes = read(file.get(), block.data(), block.size());
    if (bytes == 0) return text;
    if (bytes > 0)
      text.append(block.data(), static_cast<std::size_t>(bytes));
    else if (errno != EINTR)
      throw refused(errno);
  }
}

}  // namespace taihu
