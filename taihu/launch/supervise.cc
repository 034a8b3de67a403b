// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/supervise.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "taihu/base/clock.h"
#include "taihu/base/descriptor.h"
#include "taihu/base/error.h"

namespace taihu::launch {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t grace_ns = 5 * second_ns;  // between asking a job to end and killing it
// timeout(1) and batch systems signal a process and its group at once: that is one request.
constexpr std::int64_t same_request_ns = second_ns / 10;
// A launcher of several hosts waits for an answer of each, also of those that no longer exist.
constexpr std::int64_t look_for_nodes_ns = 2 * second_ns, stuck_launcher_ns = 15 * second_ns;

/// Parent of every process that /proc shows.
std::map<pid_t, pid_t> parents() {
  std::map<pid_t, pid_t> result;
  DIR* directory = opendir("/proc");
  if (directory == nullptr) return result;
  while (const dirent* entry = readdir(directory)) {
    const pid_t process = std::atoi(entry->d_name);
    if (process <= 0) continue;
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_end = line.rfind(')');  // the name may hold anything, also ") 1"
    char state = 0;
    int parent = 0;
    if (name_end != line.npos && std::sscanf(line.c_str() + name_end + 1, " %c %d", &state, &parent) == 2 &&
        state != 'Z')
      result[process] = parent;
  }
  closedir(directory);
  return result;
}

std::vector<pid_t> descendants_of(pid_t root) {
  const std::map<pid_t, pid_t> parent = parents();
  std::vector<pid_t> found = {root};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const auto& [process, above] : parent)
      if (above == found[i]) found.push_back(process);
  found.erase(found.begin());
  return found;
}

/// Whether a process of the job here runs `program`.
bool any_runs(const std::string& program) {
  const std::vector<pid_t> processes = descendants_of(getpid());
  return std::any_of(processes.begin(), processes.end(), [&](pid_t process) {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/" + std::to_string(process) + "/exe", ignored) == program;
  });
}

void reap_orphans() {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

/// Kills all descendants of this process, which include orphans because it is their reaper. Repeats while new
/// ones appear.
void kill_all() {
  for (int round = 0; round < 200; ++round) {
    const std::vector<pid_t> processes = descendants_of(getpid());
    if (processes.empty()) break;
    for (pid_t process : processes) kill(process, SIGKILL);
    poll(nullptr, 0, 5);
    reap_orphans();
  }
}

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGCHLD})
    sigaddset(&set, signal);
  return set;
}

[[noreturn]] void fail_in_child(int report, int step) {
  const std::array<int, 2> failure = {step, errno};
  const ssize_t ignored = write(report, failure.data(), sizeof failure);
  (void)ignored;
  _exit(127);
}

enum Step { change_folder = 1, execute = 2 };

/// In the child, between fork and exec; `report` closes on success.
[[noreturn]] void become_command(const LaunchPlan& plan, pid_t parent, const sigset_t& mask, int report) {
  // A launcher ends its processes when it is asked to. A node process without a launcher is killed at once.
  prctl(PR_SET_PDEATHSIG, plan.kind == LauncherKind::direct ? SIGKILL : SIGTERM);
  if (getppid() != parent) _exit(127);
  if (!plan.working_directory.empty() && chdir(plan.working_directory.c_str()) != 0)
    fail_in_child(report, change_folder);
  for (const std::string& name : plan.unset) unsetenv(name.c_str());
  for (const auto& [name, value] : plan.set) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : plan.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execv(words[0], words.data());
  fail_in_child(report, execute);
}

pid_t start(const LaunchPlan& plan, const sigset_t& mask) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  const Descriptor read_end(ends[0]);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) become_command(plan, parent, mask, ends[1]);
  const int fork_error = errno;
  close(ends[1]);
  if (child < 0) throw system_error("cannot start a process", fork_error);
  std::array<int, 2> failure{};
  if (read(read_end.get(), failure.data(), sizeof failure) != sizeof failure) return child;
  waitpid(child, nullptr, 0);
  if (failure[0] == change_folder)
    throw system_error("cannot enter the working directory " + plan.working_directory, failure[1]);
  throw system_error("cannot start " + plan.command[0], failure[1]);
}

/// The state of one supervised job.
class Job {
 public:
  Job(const LaunchPlan& plan, pid_t child, double timeout_seconds,
      const std::function<void(const std::string&)>& say)
      : name_(plan.command[0].substr(plan.command[0].rfind('/') + 1)),
        launched_(plan.kind != LauncherKind::direct),
        child_(child),
        say_(say) {
    if (plan.hosts.size() > 1) node_program_ = std::filesystem::weakly_canonical(plan.node_program).string();
    timeout_seconds_ = timeout_seconds;
    if (timeout_seconds > 0) deadline_ns_ = now_ns() + static_cast<std::int64_t>(timeout_seconds * second_ns);
  }

  int wait(int signals) {
    while (!ended_) {
      pollfd watched{signals, POLLIN, 0};
      poll(&watched, 1, milliseconds_left());
      signalfd_siginfo info{};
      if ((watched.revents & POLLIN) && read(signals, &info, sizeof info) == sizeof info) handle(info);
      if (!ended_ && deadline_ns_ != 0 && now_ns() >= deadline_ns_) handle_deadline();
      if (!ended_ && !node_program_.empty()) look_for_stuck_launcher();
    }
    return exit_code_;
  }

 private:
  int milliseconds_left() const {
    if (deadline_ns_ == 0 && node_program_.empty()) return -1;
    std::int64_t until_ns = node_program_.empty() ? deadline_ns_ : next_look_ns_;
    if (deadline_ns_ != 0) until_ns = std::min(until_ns, deadline_ns_);
    const std::int64_t left_ns = std::max<std::int64_t>(0, until_ns - now_ns());
    return static_cast<int>(std::min<std::int64_t>(left_ns / 1'000'000 + 1, 1'000'000));
  }

  void handle(const signalfd_siginfo& info) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD) return collect();
    // The terminal sends its signals to every process of the group; only what was sent to us alone must be
    // passed on.
    const bool is_for_us_alone = info.ssi_code != SI_KERNEL;
    if (signal == SIGUSR1 || signal == SIGUSR2 || signal == SIGTSTP || signal == SIGCONT) {
      if (is_for_us_alone) kill(child_, signal);
      if (signal == SIGTSTP) kill(getpid(), SIGSTOP);
      return;
    }
    if (asked_ && now_ns() < asked_at_ns_ + same_request_ns) return;
    if (asked_) {
      end_by_force("second " + std::string(sigdescr_np(signal)) + " signal, killing the job", 128 + signal);
      return;
    }
    asked_ = signal;
    asked_at_ns_ = now_ns();
    // Launchers of MPI libraries do not handle SIGQUIT: they would leave their processes behind.
    if (is_for_us_alone) kill(child_, launched_ && signal == SIGQUIT ? SIGTERM : signal);
  }

  void collect() {
    int status = 0;
    for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;)
      if (process == child_) child_ended(status);
  }

  void child_ended(int status) {
    ended_ = true;
    if (timed_out_) {
      exit_code_ = timeout_exit_code;
      kill_all();
    } else if (asked_ != 0 && launched_) {
      exit_code_ = 128 + asked_;  // launchers then end the job; some (MPICH 4.0) report success
    } else if (WIFSIGNALED(status)) {
      exit_code_ = 128 + WTERMSIG(status);
      kill_all();
      // A broken pipe is how `parcrun ... | head` ends; shells are silent about it, too.
      if (!asked_ && WTERMSIG(status) != SIGPIPE)
        say_(name_ + " was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
             sigdescr_np(WTERMSIG(status)) + ")");
    } else {
      exit_code_ = WEXITSTATUS(status);
    }
  }

  void handle_deadline() {
    if (timed_out_) {
      end_by_force("the job did not end when asked to, killing it", timeout_exit_code);
      return;
    }
    timed_out_ = true;
    deadline_ns_ = now_ns() + grace_ns;
    std::array<char, 32> seconds{};
    std::snprintf(seconds.data(), seconds.size(), "%g", timeout_seconds_);
    say_("the job took longer than " + std::string(seconds.data()) + " s (--timeout); ending it");
    kill(child_, SIGTERM);
    kill(child_, SIGCONT);  // a stopped job cannot end
  }

  void look_for_stuck_launcher() {
    if (now_ns() < next_look_ns_) return;
    next_look_ns_ = now_ns() + look_for_nodes_ns;
    if (any_runs(node_program_)) {
      nodes_last_seen_ns_ = now_ns();
    } else if (nodes_last_seen_ns_ != 0 && now_ns() - nodes_last_seen_ns_ > stuck_launcher_ns) {
      end_by_force(name_ + " still waits for other hosts after the job has ended here; killing it", 1);
    }
  }

  void end_by_force(const std::string& reason, int exit_code) {
    say_(reason);
    kill_all();
    ended_ = true;
    exit_code_ = exit_code;
  }

  std::string name_;
  bool launched_;  ///< the child is a launcher
  pid_t child_;
  const std::function<void(const std::string&)>& say_;
  double timeout_seconds_ = 0;
  std::int64_t deadline_ns_ = 0;  ///< 0: none
  int asked_ = 0;                 ///< the signal that was passed on; 0: none
  std::int64_t asked_at_ns_ = 0;
  std::string node_program_;  ///< looked for among the processes; empty: the job has one host
  std::int64_t next_look_ns_ = 0;
  std::int64_t nodes_last_seen_ns_ = 0;  ///< 0: never
  bool timed_out_ = false;
  bool ended_ = false;
  int exit_code_ = 0;
};

}  // namespace

int run_job(const LaunchPlan& plan, double timeout_seconds,
            const std::function<void(const std::string&)>& say) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const sigset_t watched = watched_signals();
  sigset_t previous;
  sigprocmask(SIG_BLOCK, &watched, &previous);
  const Descriptor signals(signalfd(-1, &watched, SFD_CLOEXEC));
  if (signals.get() < 0) throw system_error("cannot watch for signals", errno);
  const pid_t child = start(plan, previous);
  const int exit_code = Job(plan, child, timeout_seconds, say).wait(signals.get());
  sigprocmask(SIG_SETMASK, &previous, nullptr);
  return exit_code;
}

}  // namespace taihu::launch
