// SPDX-License-Identifier: Apache-2.0
#include "taihu/node/deadlock_watch.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

namespace taihu::node {
namespace {

/// Looks so often during the timeout.
constexpr int looks = 8;
/// Time for all node processes to print before the job ends.
constexpr std::chrono::milliseconds time_to_print{1500};

struct ProcessState {
  int process;
  int stuck;
};

/// On process 0: which node processes are stuck.
class StuckProcesses {
 public:
  explicit StuckProcesses(int processes) : stuck_(static_cast<std::size_t>(processes)) {}

  /// Notes the state of a process; the answer tells whether the whole job is stuck.
  void serve(message::ServiceCall& call) {
    ProcessState state{};
    std::memcpy(&state, call.arguments().data(), sizeof state);
    char all = 1;
    {
      const std::lock_guard hold(mutex_);
      stuck_[static_cast<std::size_t>(state.process)] = state.stuck != 0;
      for (const bool stuck : stuck_) all = all != 0 && stuck ? 1 : 0;
    }
    call.answer(&all, 1);
  }

 private:
  std::mutex mutex_;
  std::vector<bool> stuck_;
};

}  // namespace

DeadlockWatch::DeadlockWatch(message::Node& node, double timeout_seconds, Look look, Report report)
    : node_(node), look_(std::move(look)), report_(std::move(report)), timeout_(timeout_seconds) {
  // Other processes may call until the node ends, which is after the watch.
  node_.serve(message::Service::watch,
              [known = std::make_shared<StuckProcesses>(node.layout().processes)](
                  const std::shared_ptr<message::ServiceCall>& call) { known->serve(*call); });
  thread_ = std::thread([this] { watch(); });
}

DeadlockWatch::~DeadlockWatch() {
  {
    const std::lock_guard hold(mutex_);
    stop_ = true;
  }
  stop_requested_.notify_all();
  thread_.join();
}

bool DeadlockWatch::job_is_stuck(bool stuck_here) {
  const ProcessState state{node_.process(), stuck_here ? 1 : 0};
  const std::vector<std::byte> answer = node_.call(0, message::Service::watch, &state, sizeof state);
  return !answer.empty() && answer[0] != std::byte{0};
}

void DeadlockWatch::watch() {
  using Clock = std::chrono::steady_clock;
  Progress last;
  Clock::time_point unchanged_since = Clock::now();
  bool told_stuck = false;
  std::unique_lock hold(mutex_);
  while (!stop_requested_.wait_for(hold, timeout_ / looks, [this] { return stop_; })) {
    hold.unlock();
    Progress now = look_();
    if (!now.all_wait || now != last) unchanged_since = Clock::now();
    last = std::move(now);
    const bool stuck = Clock::now() - unchanged_since >= timeout_;
    if (stuck || told_stuck) {
      told_stuck = stuck;
      if (job_is_stuck(stuck)) {
        char head[96];
        std::snprintf(head, sizeof head, "taihu: deadlock: no rank has gone on for %g s\n", timeout_.count());
        const std::string text = (node_.process() == 0 ? head : "") + report_();
        std::fputs(text.c_str(), stderr);
        if (node_.process() != 0) return;  // process 0 ends the job when all have seen the answer
        std::this_thread::sleep_for(timeout_ / looks + time_to_print);
        node_.abort(1);
      }
    }
    hold.lock();
  }
}

}  // namespace taihu::node
