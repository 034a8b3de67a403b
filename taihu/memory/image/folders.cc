// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/folders.h"

#include <filesystem>

namespace taihu::memory {

std::vector<std::string> split_folders(std::string_view list, std::string_view separators) {
  std::vector<std::string> parts;
  if (list.empty()) return parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    parts.emplace_back(end > begin ? list.substr(begin, end - begin) : ".");
    begin = end + 1;
  }
  return parts;
}

std::string real_path(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(path, failed);
  return failed ? path : real.string();
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace taihu::memory
