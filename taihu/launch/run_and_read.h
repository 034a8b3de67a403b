// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace taihu::launch {

struct CommandOutput {
  std::string text;        ///< standard output and error
  bool succeeded = false;  ///< it could be started and ended with exit code 0
};

/// Runs a command, its program named by its whole path, without a shell and without our standard input, and
/// waits for its end. Throws Error when the system gives no pipe.
CommandOutput run_and_read(const std::vector<std::string>& command);

}  // namespace taihu::launch
