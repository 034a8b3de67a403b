// SPDX-License-Identifier: Apache-2.0
// Runs programs for tests, with their input, output and signals, and looks for processes they left behind.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace taihu::test {

/// What a finished program said. exit_code is 128 + signal when a signal ended it.
struct Result {
  int exit_code = -1;
  std::string out, err;
};

/// A running program. Its environment has MARK=<unique text>, which its descendants inherit.
class Running {
 public:
  Running(const std::vector<std::string>& command, const std::string& input = "",
          const std::vector<std::string>& environment = {});
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// Waits until its output has `text`, at most 20 seconds.
  bool wait_for_output(const std::string& text, int times = 1);
  void signal(int number) const;
  /// Waits for the end, at most 30 seconds; then kills and fails with exit code -1.
  Result finish();
  /// Processes with our mark that still run, after waiting up to three seconds for them to end.
  std::vector<pid_t> left_behind() const;

 private:
  std::vector<pid_t> marked() const;
  void read_some(int milliseconds);
  std::string mark_;
  pid_t process_ = -1;
  int out_ = -1, err_ = -1;
  Result result_;
};

Result run(const std::vector<std::string>& command, const std::string& input = "",
           const std::vector<std::string>& environment = {});

}  // namespace taihu::test
