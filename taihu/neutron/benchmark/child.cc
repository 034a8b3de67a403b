// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/benchmark/child.h"

#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

/// The two ends of a pipe, closed with the object.
struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() { check_input(pipe(ends) == 0, std::string("no pipe: ") + std::strerror(errno)); }
  ~Pipe() {
    shut(0);
    shut(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void shut(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
};

/// Reads both pipes to their ends.
void read_all(const Pipe& first, std::string& first_text, const Pipe& second, std::string& second_text) {
  pollfd polled[2] = {{first.ends[0], POLLIN, 0}, {second.ends[0], POLLIN, 0}};
  std::string* texts[2] = {&first_text, &second_text};
  char buffer[4096];
  for (int open = 2; open > 0;) {
    if (poll(polled, 2, -1) < 0) continue;
    for (int i = 0; i < 2; ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      const ssize_t count = read(polled[i].fd, buffer, sizeof buffer);
      if (count > 0) {
        texts[i]->append(buffer, static_cast<std::size_t>(count));
      } else if (count == 0 || errno != EINTR) {
        polled[i].fd = -1;
        --open;
      }
    }
  }
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> changed_environment(
    const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : changes) replaced = replaced || text.starts_with(name + "=");
    if (!replaced) result.push_back(text);
  }
  for (const auto& [name, value] : changes) result.push_back(name + "=" + value);
  return result;
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& words,
                      const std::vector<std::pair<std::string, std::string>>& environment) {
  Pipe output, errors;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, errors.ends[1], 2);
  for (const Pipe* made : {&output, &errors})
    for (const int end : made->ends) posix_spawn_file_actions_addclose(&actions, end);
  std::vector<std::string> arguments = words, variables = changed_environment(environment);
  pid_t child = 0;
  const int failure = posix_spawn(&child, words[0].c_str(), &actions, nullptr, pointers(arguments).data(),
                                  pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  check_input(failure == 0, words[0] + " cannot be started: " + std::strerror(failure));
  output.shut(1);
  errors.shut(1);
  ChildResult result;
  read_all(output, result.output, errors, result.errors);
  int status = 0;
  rusage use{};
  while (wait4(child, &status, 0, &use) < 0 && errno == EINTR) {
  }
  result.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.peak_mib = static_cast<double>(use.ru_maxrss) / 1024;
  return result;
}

double number_after(const std::string& text, const std::string& name) {
  std::size_t place = text.starts_with(name) ? 0 : text.find("\n" + name);
  check_input(place != std::string::npos, "the child printed no line \"" + name + "\"");
  place += name.size() + (place > 0 || !text.starts_with(name) ? 1 : 0);
  const char* const begin = text.c_str() + place;
  char* end = nullptr;
  const double value = std::strtod(begin, &end);
  check_input(end != begin, "the child printed no number after \"" + name + "\"");
  return value;
}

}  // namespace taihu::neutron
