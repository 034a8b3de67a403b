// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/tools.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "taihu/base/error.h"

namespace taihu::compiler {

namespace fs = std::filesystem;
using std::string;

namespace {

std::vector<char*> pointers(const std::vector<string>& words) {
  std::vector<char*> result;
  for (const string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

/// The exit code of `child` when it has ended.
int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

string printed_by(const std::vector<string>& words, bool with_errors) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  const pid_t child = fork();
  if (child < 0) throw system_error("cannot start " + words[0], errno);
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    if (!with_errors) {
      const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
      if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    }
    execvp(words[0].c_str(), pointers(words).data());
    _exit(127);
  }
  close(ends[1]);
  string text;
  char part[4096];
  for (ssize_t bytes = 0; (bytes = read(ends[0], part, sizeof part)) != 0;) {
    if (bytes < 0 && errno != EINTR) break;
    if (bytes > 0) text.append(part, static_cast<size_t>(bytes));
  }
  close(ends[0]);
  if (wait_for(child) != 0) return {};
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

string if_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) ? path.string() : string();
}

fs::path folder_with(const fs::path& file, const fs::path& root, const char* configured, const char* built) {
  const fs::path installed = root / configured;
  return if_there(installed / file).empty() ? root / built : installed;
}

string output_of(const std::vector<string>& words) {
  return printed_by(words, true);
}

string output_without_errors_of(const std::vector<string>& words) {
  return printed_by(words, false);
}

int run_command(const std::vector<string>& words) {
  const pid_t child = fork();
  if (child < 0) throw system_error("cannot start " + words[0], errno);
  if (child == 0) {
    execvp(words[0].c_str(), pointers(words).data());
    dprintf(STDERR_FILENO, "cannot start %s (%s)\n", words[0].c_str(), std::strerror(errno));
    _exit(127);
  }
  return wait_for(child);
}

void become(const std::vector<string>& words) {
  execvp(words[0].c_str(), pointers(words).data());
  throw system_error("cannot start " + words[0], errno);
}

}  // namespace taihu::compiler
