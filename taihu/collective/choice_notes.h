// SPDX-License-Identifier: Apache-2.0
// What a node process has chosen, for statistics.
#pragma once

#include <mutex>
#include <string>

namespace taihu::collective {

/// Lines, each different one once. Any thread.
class ChoiceNotes {
 public:
  void note(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    if (text_.find(line) == std::string::npos) text_ += line;
  }
  std::string text() const {
    const std::scoped_lock lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

}  // namespace taihu::collective
