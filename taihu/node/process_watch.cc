// SPDX-License-Identifier: Apache-2.0
#include "taihu/node/process_watch.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "taihu/base/formatted.h"

namespace taihu::node {
namespace {

/// The abort of an MPI library may wait for the lost process itself.
constexpr std::chrono::seconds time_to_abort{5};

struct SignOfLife {
  int process;
  int ends;  ///< 1: the last one
};

}  // namespace

/// How many calls ago each process was heard. Process 0 knows all others, they know process 0. Outlives the
/// watch: a process may call, and an answer may come, until the node ends.
class ProcessWatch::Silences {
 public:
  explicit Silences(int processes) : silent_(static_cast<std::size_t>(processes)) {
    for (auto& silent : silent_) silent = not_watched;
  }

  void heard(int process) { silent_[static_cast<std::size_t>(process)] = 0; }
  void forget(int process) { silent_[static_cast<std::size_t>(process)] = not_watched; }

  /// Counts one more period of silence for all; returns a process that has been silent for longer than
  /// `most`, or -1.
  int count(int most) {
    int lost = -1;
    for (std::size_t process = 0; process < silent_.size(); ++process) {
      // A sign of life between the two steps wins.
      int before = silent_[process];
      if (before != not_watched && silent_[process].compare_exchange_strong(before, before + 1) &&
          before >= most)
        lost = static_cast<int>(process);
    }
    return lost;
  }

 private:
  static constexpr int not_watched = -1;
  std::vector<std::atomic<int>> silent_;
};

ProcessWatch::ProcessWatch(message::Node& node, double timeout_seconds, Lost lost)
    : node_(node), lost_(std::move(lost)), silences_(std::make_shared<Silences>(node.layout().processes)) {
  const auto serve = [silences = silences_](const std::shared_ptr<message::ServiceCall>& call) {
    SignOfLife sign{};
    std::memcpy(&sign, call->arguments().data(), sizeof sign);
    if (sign.ends != 0)
      silences->forget(sign.process);
    else
      silences->heard(sign.process);
    call->answer(nullptr, 0);
  };
  for (int process = 0; process < node.layout().processes; ++process)
    if (process != node.process() && (process == 0 || node.process() == 0)) silences_->heard(process);
  node_.serve(message::Service::alive, serve);
  thread_ = std::thread([this, timeout_seconds] { watch(timeout_seconds / calls_in_timeout); });
}

ProcessWatch::~ProcessWatch() {
  {
    const std::lock_guard hold(mutex_);
    stop_ = true;
  }
  stop_requested_.notify_all();
  thread_.join();
  if (node_.process() == 0) return;
  const SignOfLife last{node_.process(), 1};
  node_.call(0, message::Service::alive, &last, sizeof last);
}

void ProcessWatch::call_process_0() {
  const SignOfLife sign{node_.process(), 0};
  node_.begin_call(0, message::Service::alive, &sign, sizeof sign,
                   [silences = silences_](const std::vector<std::byte>&) { silences->heard(0); });
}

void ProcessWatch::watch(double period_seconds) {
  const std::chrono::duration<double> period(period_seconds);
  std::unique_lock hold(mutex_);
  while (!stop_requested_.wait_for(hold, period, [this] { return stop_; })) {
    hold.unlock();
    const int lost = silences_->count(calls_in_timeout);
    if (lost >= 0) return lost_(lost);
    if (node_.process() != 0) call_process_0();
    hold.lock();
  }
}

std::string lost_process(const launch::Layout& layout, int process, double timeout_seconds) {
  const auto index = static_cast<std::size_t>(process);
  const auto host = static_cast<std::size_t>(layout.node_of_process[index]);
  // The last process also has the numbers of ranks that may start while the job runs.
  const int last = std::min(layout.first_rank[index + 1], layout.first_ranks()) - 1;
  return formatted(
      "node process %d on %s (ranks %d to %d) has not answered for %g s (its host or the network is down, or "
      "it "
      "was stopped); ending the job (--node-timeout 0 waits forever)",
      process, layout.node_names[host].c_str(), layout.first_rank[index], last, timeout_seconds);
}

void end_job_without(message::Node& node, int process, double timeout_seconds) {
  std::fprintf(stderr, "taihu: %s\n", lost_process(node.layout(), process, timeout_seconds).c_str());
  std::thread([&node] { node.abort(1); }).detach();
  std::this_thread::sleep_for(time_to_abort);
  _exit(1);
}

}  // namespace taihu::node
