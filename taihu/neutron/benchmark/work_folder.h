// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "taihu/parallel/communicator.h"

namespace taihu::neutron {

/// A temporary folder for the models and results of benchmarks, which all ranks of a job share; removed with
/// what is in it by the destructor of the root.
class WorkFolder {
 public:
  /// In `parent`, or where temporary files go (TMPDIR) when that is empty. Collective. Throws SharedError.
  WorkFolder(const std::string& parent, parallel::Communicator& ranks);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const std::string& path() const noexcept { return path_; }

 private:
  parallel::Communicator& ranks_;
  std::string path_;
};

}  // namespace taihu::neutron
