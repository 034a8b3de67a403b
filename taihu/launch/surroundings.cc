// SPDX-License-Identifier: Apache-2.0
// The real surroundings of the commands that start jobs: PATH, other programs, this executable's place.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/base/search_path.h"
#include "taihu/launch/launch_plan.h"
#include "taihu/topology/network.h"

namespace taihu::launch {
namespace {

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t bytes = read(descriptor, buffer.data(), buffer.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(bytes));
  }
}

/// Standard output and error of a command, without a shell and without our standard input.
std::string output_of(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t process = 0;
  const int error = posix_spawn(&process, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text = error == 0 ? read_all(ends[0]) : std::string();
  close(ends[0]);
  if (error != 0) return {};
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text;
}

std::string node_program_path(const LaunchCommand& command) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    throw Error("cannot find out where " + std::string(command.name) + " is installed (" + error.message() +
                "); is /proc mounted?");
  return (self.parent_path().parent_path() / "libexec" / "taihu" / command.node_program).string();
}

}  // namespace

Surroundings this_place(const LaunchCommand& command) {
  Surroundings place;
  place.command = &command;
  place.environment = current_environment();
  place.host_name = topology::host_name();
  place.node_program = node_program_path(command);
  place.root = geteuid() == 0;
  place.rank_limits = rank_limits();
  place.find_program = [](const std::string& name) { return find_in_path(name); };
  place.output_of = output_of;
  return place;
}

}  // namespace taihu::launch
