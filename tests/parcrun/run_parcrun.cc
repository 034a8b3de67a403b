// SPDX-License-Identifier: Apache-2.0
#include "tests/parcrun/run_parcrun.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace taihu::test {
namespace {

int temporary_file_with(const std::string& text) {
  std::array<char, 32> name{"/tmp/taihu_input_XXXXXX"};
  const int file = mkostemp(name.data(), O_CLOEXEC);
  unlink(name.data());
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error("cannot make an input file");
  lseek(file, 0, SEEK_SET);
  return file;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const std::vector<std::string>& additions) {
  std::vector<std::string> result = additions;
  for (char** entry = environ; *entry; ++entry)
    if (!std::string(*entry).starts_with("TAIHU_")) result.emplace_back(*entry);
  return result;
}

bool append_available(int descriptor, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t bytes = read(descriptor, buffer.data(), buffer.size());
  if (bytes > 0) text.append(buffer.data(), static_cast<std::size_t>(bytes));
  return bytes > 0;
}

}  // namespace

Running::Running(const std::vector<std::string>& command, const std::string& input,
                 const std::vector<std::string>& environment) {
  static std::atomic<int> counter{0};
  mark_ = "MARK=" + std::to_string(getpid()) + "." + std::to_string(counter++);
  std::array<int, 2> out{}, err{};
  if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe");
  const int in = temporary_file_with(input);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  std::vector<std::string> additions = environment;
  additions.push_back(mark_);
  const std::vector<std::string> variables = environment_with(additions);
  const int error = posix_spawn(&process_, command[0].c_str(), &actions, nullptr, pointers(command).data(),
                                pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(in);
  close(out[1]);
  close(err[1]);
  out_ = out[0];
  err_ = err[0];
  if (error != 0) throw std::runtime_error("cannot start " + command[0]);
}

Running::~Running() {
  if (process_ > 0) finish();
  for (pid_t process : marked()) kill(process, SIGKILL);
  close(out_);
  close(err_);
}

void Running::read_some(int milliseconds) {
  std::array<pollfd, 2> watched{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
  poll(watched.data(), watched.size(), milliseconds);
  bool any = false;
  if (watched[0].revents & POLLIN) any |= append_available(out_, result_.out);
  if (watched[1].revents & POLLIN) any |= append_available(err_, result_.err);
  if (!any && (watched[0].revents | watched[1].revents)) poll(nullptr, 0, milliseconds);
}

bool Running::wait_for_output(const std::string& text, int times) {
  for (int i = 0; i < 2000; ++i) {
    int found = 0;
    for (std::size_t at = 0; (at = result_.out.find(text, at)) != std::string::npos; at += text.size())
      ++found;
    if (found >= times) return true;
    read_some(10);
  }
  return false;
}

void Running::signal(int number) const {
  kill(process_, number);
}

Result Running::finish() {
  int status = 0;
  for (int i = 0; process_ > 0 && i < 3000; ++i) {
    read_some(10);
    if (waitpid(process_, &status, WNOHANG) != process_) continue;
    process_ = -1;
    result_.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, &status, 0);
    process_ = -1;
  }
  // What is still in the pipes; a process that is left behind may keep them open for ever.
  for (std::size_t before = result_.out.npos; before != result_.out.size() + result_.err.size();) {
    before = result_.out.size() + result_.err.size();
    read_some(10);
  }
  return result_;
}

std::vector<pid_t> Running::marked() const {
  std::vector<pid_t> found;
  DIR* directory = opendir("/proc");
  while (const dirent* entry = readdir(directory)) {
    const pid_t process = std::atoi(entry->d_name);
    if (process <= 0 || process == getpid()) continue;
    std::ifstream file("/proc/" + std::to_string(process) + "/environ", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if ((std::string(1, '\0') + text).find(std::string(1, '\0') + mark_ + std::string(1, '\0')) != text.npos)
      found.push_back(process);
  }
  closedir(directory);
  return found;
}

std::vector<pid_t> Running::left_behind() const {
  std::vector<pid_t> found;
  for (int i = 0; i < 60; ++i) {
    found = marked();
    if (found.empty()) return found;
    poll(nullptr, 0, 50);
  }
  return found;
}

Result run(const std::vector<std::string>& command, const std::string& input,
           const std::vector<std::string>& environment) {
  return Running(command, input, environment).finish();
}

}  // namespace taihu::test
