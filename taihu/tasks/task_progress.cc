// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/task_progress.h"

#include <chrono>
#include <cstdio>

#include "taihu/base/clock.h"

namespace taihu::tasks {
namespace {

std::string rounded(double number) {
  char text[32];
  std::snprintf(text, sizeof text, number < 9.95 ? "%.1f" : "%.0f", number);
  return text;
}

}  // namespace

std::string progress_line(const std::string& group, const RoundProgress& progress) {
  const std::int64_t done = progress.complete_before + progress.handed_out;
  std::string line = "taihu: tasks of " + group + ": " + std::to_string(done) + " of " +
                     std::to_string(progress.total) + " handed out";
  if (progress.complete_before > 0)
    line += ", " + std::to_string(progress.complete_before) + " of them complete in the checkpoint file";
  line += " in " + rounded(progress.seconds) + " s";
  if (progress.handed_out > 0 && progress.seconds > 0) {
    const double rate = static_cast<double>(progress.handed_out) / progress.seconds;
    line += ", " + rounded(rate) + " a second";
    if (done < progress.total)
      line += "; all in about " + rounded(static_cast<double>(progress.total - done) / rate) + " s";
  }
  return line + (done == progress.total ? "; the last ones are under way\n" : "\n");
}

TaskProgress::TaskProgress(std::vector<Group> groups, double seconds)
    : groups_(std::move(groups)), seconds_(seconds), thread_([this] { print(); }) {}

TaskProgress::~TaskProgress() {
  {
    const std::lock_guard hold(mutex_);
    stop_ = true;
  }
  stop_requested_.notify_all();
  thread_.join();
}

std::string TaskProgress::lines(const std::vector<Group>& groups) {
  std::string text;
  for (const Group& group : groups) {
    const TaskDistributor::Progress progress = group.master.progress();
    if (progress.round == 0 || progress.total == 0) continue;
    const std::int64_t untaken = group.pool.untaken(progress.round);
    text += progress_line(group.name, {progress.total, progress.complete_before, progress.granted - untaken,
                                       1e-9 * static_cast<double>(now_ns() - progress.opened_ns)});
  }
  return text;
}

void TaskProgress::print() {
  std::unique_lock hold(mutex_);
  while (!stop_requested_.wait_for(hold, std::chrono::duration<double>(seconds_), [this] { return stop_; })) {
    hold.unlock();
    std::fputs(lines(groups_).c_str(), stderr);
    hold.lock();
  }
}

}  // namespace taihu::tasks
