// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/benchmark/work_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "taihu/parallel/shared_error.h"

namespace taihu::neutron {

WorkFolder::WorkFolder(const std::string& parent, parallel::Communicator& ranks) : ranks_(ranks) {
  parallel::together(ranks, ranks.is_root(), [&] {
    const std::filesystem::path place =
        parent.empty() ? std::filesystem::temp_directory_path() : std::filesystem::path(parent);
    path_ = (place / "rmc-bench-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) throw system_error("cannot create folder " + path_, errno);
  });
  std::size_t length = path_.size();
  ranks.broadcast(&length, sizeof length);
  path_.resize(length);
  ranks.broadcast(path_.data(), length);
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  if (ranks_.is_root()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace taihu::neutron
