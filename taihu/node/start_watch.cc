// SPDX-License-Identifier: Apache-2.0
#include "taihu/node/start_watch.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

#include "taihu/base/formatted.h"
#include "taihu/topology/network.h"

namespace taihu::node {
namespace {

// A job that was stopped as a whole and goes on is not late: silence is counted in periods, as the watch of
// processes does.
constexpr int periods = 5;
constexpr double seconds_between_speakers = 1;
constexpr long most_speakers = 5;

}  // namespace

StartWatch::StartWatch(double timeout_seconds, long number, Late late)
    : late_(std::move(late)), thread_([this, timeout_seconds, number] {
        watch(timeout_seconds,
              seconds_between_speakers * static_cast<double>(std::clamp(number, 0L, most_speakers)));
      }) {}

StartWatch::~StartWatch() {
  {
    const std::lock_guard hold(mutex_);
    stop_ = true;
  }
  stop_requested_.notify_all();
  thread_.join();
}

void StartWatch::watch(double timeout_seconds, double patience_seconds) {
  std::unique_lock hold(mutex_);
  const auto stops_within = [&](double seconds) {
    return stop_requested_.wait_for(hold, std::chrono::duration<double>(seconds), [this] { return stop_; });
  };
  for (int period = 0; period < periods; ++period)
    if (stops_within(timeout_seconds / periods)) return;
  if (stops_within(patience_seconds)) return;
  hold.unlock();
  late_();
}

int stopped_neighbour() {
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  for (std::filesystem::directory_iterator at("/proc", ignored), end; at != end; at.increment(ignored)) {
    std::ifstream file(at->path() / "stat");
    std::string line;
    if (!std::getline(file, line)) continue;
    char state = 0;
    int parent = 0;
    const std::size_t name_end = line.rfind(')');  // the name may hold anything
    if (name_end == line.npos || std::sscanf(line.c_str() + name_end + 1, " %c %d", &state, &parent) != 2)
      continue;
    if (state == 'T' && parent == getppid() &&
        std::filesystem::read_symlink(at->path() / "exe", ignored) == program)
      return std::stoi(at->path().filename());
  }
  return 0;
}

std::string late_start(long number, const std::string& host, double timeout_seconds, int stopped) {
  const std::string reason =
      stopped != 0 ? formatted("process %d there is stopped", stopped)
                   : std::string("one was stopped or is lost, or the network between the hosts is down");
  return formatted(
      "node process %ld on %s has waited for the others of the job for %g s (%s); ending the job "
      "(--node-timeout 0 waits forever)",
      number, host.c_str(), timeout_seconds, reason.c_str());
}

void end_late_start(long number, double timeout_seconds) {
  const std::string line = late_start(number, topology::host_name(), timeout_seconds, stopped_neighbour());
  std::fprintf(stderr, "taihu: %s\n", line.c_str());
  // Launchers lose the output of a process that ends at once.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  _exit(1);
}

}  // namespace taihu::node
