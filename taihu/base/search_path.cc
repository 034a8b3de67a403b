// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/search_path.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace taihu {

namespace {

bool can_be_run(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_in_path(const std::string& name, const char* path) {
  if (name.empty()) return {};
  if (name.find('/') != std::string::npos) return can_be_run(name) ? name : "";
  // A colon at the end is followed by an empty folder, which getline would not see.
  std::istringstream folders(std::string(path == nullptr ? default_search_path : path) + ':');
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (can_be_run(file)) return file;
  }
  return {};
}

std::string find_in_path(const std::string& name) {
  return find_in_path(name, std::getenv("PATH"));
}

}  // namespace taihu
