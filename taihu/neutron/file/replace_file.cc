// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/file/replace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "taihu/base/error.h"

namespace taihu::neutron {

void replace_file(const std::string& temporary, const std::string& path) {
  const int descriptor = open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  if (!synced) throw system_error(temporary + ": cannot be brought to the disk", error);
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
    throw system_error(path + ": cannot be replaced", errno);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int directory = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  fsync(directory);  // some file systems refuse this for folders; the file itself is safe
  close(directory);
}

void write_and_replace(const std::string& path,
                       const std::function<void(const std::string& temporary)>& write) {
  const std::string temporary = path + ".part";
  try {
    write(temporary);
    replace_file(temporary, path);
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
}

}  // namespace taihu::neutron
