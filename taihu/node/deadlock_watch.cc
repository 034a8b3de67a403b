// SPDX-License-Identifier: Apache-2.0
#include "taihu/node/deadlock_watch.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

namespace taihu::node {

/// How long all ranks of a process have waited.
enum class Waiting : int { no, long_enough_to_compare, for_the_timeout };

namespace {

using Seconds = std::chrono::duration<double>;

/// Looks so often during the timeout.
constexpr int looks = 8;
/// Calls are compared when all ranks have waited for so long: a message that is on its way is there by then,
/// and whoever finds a length that does not fit has said so.
constexpr Seconds time_to_compare{2};
/// Time for all node processes to print before the job ends.
constexpr std::chrono::milliseconds time_to_print{1500};

struct ProcessState {
  int process;
  Waiting waiting;
};

}  // namespace

/// On process 0: what the node processes wait for.
class DeadlockWatch::StuckProcesses {
 public:
  StuckProcesses(int processes, const Questions& questions)
      : questions_(questions),
        waiting_(static_cast<std::size_t>(processes), Waiting::no),
        calls_(static_cast<std::size_t>(processes)) {}

  /// Notes the state of a process and its calls; the answer is the verdict on the whole job.
  void serve(message::ServiceCall& call) {
    ProcessState state{};
    const std::vector<std::byte>& said = call.arguments();
    std::memcpy(&state, said.data(), sizeof state);
    const auto process = static_cast<std::size_t>(state.process);
    Verdict verdict{};
    {
      const std::lock_guard hold(mutex_);
      waiting_[process] = state.waiting;
      calls_[process].assign(reinterpret_cast<const char*>(said.data()) + sizeof state,
                             said.size() - sizeof state);
      verdict = judge();
    }
    call.answer(&verdict, sizeof verdict);
  }

  std::string contradiction() {
    const std::lock_guard hold(mutex_);
    return contradiction_;
  }

 private:
  Verdict judge() {
    const Waiting least = *std::ranges::min_element(waiting_);
    if (least == Waiting::no) return Verdict::goes_on;
    if (questions_.contradiction != nullptr && contradiction_.empty())
      contradiction_ = questions_.contradiction(calls_);
    if (!contradiction_.empty()) return Verdict::contradicts;
    return least == Waiting::for_the_timeout ? Verdict::stuck : Verdict::goes_on;
  }

  const Questions questions_;
  std::mutex mutex_;
  std::vector<Waiting> waiting_;
  std::vector<std::string> calls_;
  std::string contradiction_;
};

DeadlockWatch::DeadlockWatch(message::Node& node, double timeout_seconds, Questions questions)
    : node_(node),
      questions_(std::move(questions)),
      timeout_(timeout_seconds > 0 ? timeout_seconds : std::numeric_limits<double>::infinity()),
      interval_(std::min(timeout_, time_to_compare) / looks),
      processes_(std::make_shared<StuckProcesses>(node.layout().processes, questions_)) {
  // Other processes may call until the node ends, which is after the watch.
  node_.serve(
      message::Service::watch,
      [known = processes_](const std::shared_ptr<message::ServiceCall>& call) { known->serve(*call); });
  // Signals are for the ranks. A thread takes over the signals blocked by who makes it.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

DeadlockWatch::~DeadlockWatch() {
  {
    const std::lock_guard hold(mutex_);
    stop_ = true;
  }
  stop_requested_.notify_all();
  thread_.join();
}

DeadlockWatch::Verdict DeadlockWatch::ask_all(Seconds unchanged_for) {
  ProcessState state{node_.process(), Waiting::no};
  if (questions_.calls != nullptr && unchanged_for >= time_to_compare)
    state.waiting = Waiting::long_enough_to_compare;
  if (unchanged_for >= timeout_) state.waiting = Waiting::for_the_timeout;
  std::string said(reinterpret_cast<const char*>(&state), sizeof state);
  if (state.waiting != Waiting::no && questions_.calls != nullptr) said += questions_.calls();
  const std::vector<std::byte> answer = node_.call(0, message::Service::watch, said.data(), said.size());
  return answer.empty() ? Verdict::goes_on : static_cast<Verdict>(answer[0]);
}

void DeadlockWatch::report(Verdict verdict) {
  std::string text;
  if (node_.process() == 0 && verdict == Verdict::contradicts) {
    text = "taihu: " + processes_->contradiction() + "\n";
  } else if (node_.process() == 0) {
    char head[96];
    std::snprintf(head, sizeof head, "taihu: deadlock: no rank has gone on for %g s\n", timeout_.count());
    text = head;
  }
  text += questions_.report();
  std::fputs(text.c_str(), stderr);
}

void DeadlockWatch::watch() {
  // It would have the name of who made it, by which debuggers find ranks.
  pthread_setname_np(pthread_self(), "taihu-watch");
  using Clock = std::chrono::steady_clock;
  const Seconds first = questions_.calls != nullptr ? std::min(timeout_, time_to_compare) : timeout_;
  Progress last;
  Clock::time_point unchanged_since = Clock::now();
  bool told_stuck = false;
  std::unique_lock hold(mutex_);
  while (!stop_requested_.wait_for(hold, interval_, [this] { return stop_; })) {
    hold.unlock();
    Progress now = questions_.look();
    if (!now.all_wait || now != last) unchanged_since = Clock::now();
    last = std::move(now);
    const Seconds unchanged_for = Clock::now() - unchanged_since;
    const bool stuck = unchanged_for >= first;
    if (stuck || told_stuck) {
      told_stuck = stuck;
      if (const Verdict verdict = ask_all(unchanged_for); verdict != Verdict::goes_on) {
        report(verdict);
        if (node_.process() != 0) return;  // process 0 ends the job when all have seen the answer
        std::this_thread::sleep_for(interval_ + time_to_print);
        node_.abort(1);
      }
    }
    hold.lock();
  }
}

}  // namespace taihu::node
