// SPDX-License-Identifier: Apache-2.0
#include "taihu/topology/trial.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "taihu/base/error.h"

namespace taihu::topology {
namespace {

constexpr rlim_t most_seconds = 20;

[[noreturn]] void be_the_child(const std::function<void()>& work, int lines) {
  dup2(lines, STDERR_FILENO);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGXCPU}) std::signal(number, SIG_DFL);
  rlimit limit{};
  getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = std::min(limit.rlim_max, most_seconds);
  setrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = limit.rlim_max = 0;
  setrlimit(RLIMIT_CORE, &limit);
  try {
    work();
  } catch (...) {  // the caller will see it, too
    _exit(1);
  }
  _exit(0);
}

/// Everything that the child writes; of a long text the beginning.
std::string text_of(int lines) {
  std::string text;
  std::array<char, 512> buffer{};
  for (ssize_t length = 0; (length = read(lines, buffer.data(), buffer.size())) != 0;) {
    if (length < 0 && errno != EINTR) break;
    if (length > 0 && text.size() < 4096) text.append(buffer.data(), static_cast<std::size_t>(length));
  }
  return text;
}

}  // namespace

void try_in_child(const std::function<void()>& work, const std::string& complaint) {
  int lines[2];
  if (pipe(lines) != 0) throw system_error(complaint, errno);
  const pid_t child = fork();
  if (child < 0) {
    const int reason = errno;
    close(lines[0]);
    close(lines[1]);
    throw system_error(complaint, reason);
  }
  if (child == 0) be_the_child(work, lines[1]);
  close(lines[1]);
  const std::string said = text_of(lines[0]);
  close(lines[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw system_error(complaint, errno);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    throw Error(complaint + " (reading it takes too long: it is damaged or far too large)");
  if (WIFSIGNALED(status))
    throw Error(complaint + " (it is damaged: the reader ends with '" + strsignal(WTERMSIG(status)) + "')");
  if (!said.empty() && WEXITSTATUS(status) != 0)
    throw Error(complaint + " (" + said.substr(0, said.find('\n')) + ")");
  if (!said.empty()) throw Error(complaint + " (it is damaged: it contradicts itself)");
}

}  // namespace taihu::topology
