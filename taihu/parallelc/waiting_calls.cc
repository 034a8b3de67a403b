// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/waiting_calls.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "taihu/base/clock.h"
#include "taihu/node/source_lines.h"
#include "taihu/parallelc/process.h"
#include "taihu/threads/current_member.h"

namespace taihu::parallelc {

bool waits_wanted = false;

namespace {

/// "taihu: rank 1, accelerator thread 2, waits in "; `thread` is negative in process code.
std::string who_waits(const Process& process, int thread) {
  std::string text = "taihu: rank " + std::to_string(process.rank);
  if (thread >= 0) text += ", accelerator thread " + std::to_string(thread) + ",";
  return text + " waits in ";
}

int current_thread() noexcept {
  const threads::Member* member = threads::current_member();
  return member != nullptr ? member->index : -1;
}

}  // namespace

const void* file_of(const void* address) {
  Dl_info place{};
  return dladdr(address, &place) != 0 ? place.dli_fbase : nullptr;
}

/// It is in the runtime. Holder of the mutex.
void WaitingCalls::note_thread(int thread) {
  if (thread < 0) return;
  const auto index = static_cast<std::size_t>(thread);
  if (index >= threads.size()) threads.resize(index + 1);
  threads[index] = {.came_back_ns = now_ns(), .calls_seen = threads[index].calls_seen};
}

void WaitingCalls::look_at_calls() {
  threads.resize(std::max(threads.size(), calls.size()));
  for (std::size_t thread = 0; thread < calls.size(); ++thread) {
    const std::uint64_t now = calls[thread].load(std::memory_order_relaxed);
    if (std::exchange(threads[thread].calls_seen, now) != now) note_thread(static_cast<int>(thread));
  }
}

void note_call(Process& process) noexcept {
  const int thread = current_thread();
  if (thread < 0 || thread >= std::ssize(process.waiting.calls)) return;
  std::atomic<std::uint64_t>& calls = process.waiting.calls[static_cast<std::size_t>(thread)];
  calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

Waiting::Waiting(Process& process, const char* call, const int* word, int count) {
  if (!waits_wanted) return;
  begin(process, call, "to reach " + std::to_string(count), word);
}

void Waiting::begin(Process& process, const char* call, std::string what, const int* word) {
  process_ = &process;
  call_ = call;
  what_ = std::move(what);
  word_ = word;
  thread_ = current_thread();
  frame_count_ = backtrace(frames_.data(), static_cast<int>(frames_.size()));
  const std::lock_guard hold(process.waiting.mutex);
  process.waiting.open.push_back(this);
  process.waiting.note_thread(thread_);
  since_ns_ = now_ns();
  ++process.waiting.changes;
}

void Waiting::end() {
  const std::lock_guard hold(process_->waiting.mutex);
  std::erase(process_->waiting.open, this);
  process_->waiting.note_thread(thread_);
  ++process_->waiting.changes;
}

std::string Waiting::line() const {
  std::string text = who_waits(*process_, thread_) + call_ + " ";
  if (word_ != nullptr) {
    const std::string name = node::variable_name(word_);
    text += "for reply word " + name + (name.empty() ? "" : " ") + what_ + " (it is " +
            std::to_string(std::atomic_ref(*const_cast<int*>(word_)).load()) + ")";
  } else {
    text += what_;
  }
  // The program's own call is the first outside of this library.
  const void* const library = file_of(reinterpret_cast<const void*>(&file_of));
  const auto* const end = frames_.begin() + frame_count_;
  const auto* const caller =
      std::find_if(frames_.begin(), end, [&](void* frame) { return file_of(frame) != library; });
  const std::string place = caller != end ? node::source_place(*caller) : std::string();
  return text + (place.empty() ? "" : ", at " + place) + "\n";
}

void note_turn(unsigned long long turns, const void* place) {
  if (current_process() == nullptr) return;  // a thread that the program has made
  thread_local WaitingLoops loops;
  loops.turn(turns, place);
}

WaitingLoops::WaitingLoops() : process_(current_process()), thread_(current_thread()) {
  const std::lock_guard hold(process_->waiting.mutex);
  process_->waiting.loops.push_back(this);
}

WaitingLoops::~WaitingLoops() {
  const std::lock_guard hold(process_->waiting.mutex);
  std::erase(process_->waiting.loops, this);
}

void WaitingLoops::turn(unsigned long long turns, const void* place) {
  if (turns == 0) {
    const std::lock_guard hold(process_->waiting.mutex);
    place_.store(place, std::memory_order_relaxed);
    ++process_->waiting.changes;
  }
  turns_.store(turns_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

bool WaitingLoops::look() {
  // Half of those that the watch makes during its timeout (node/deadlock_watch.cc): who has left the loop and
  // computes is not taken for stuck, since that takes all of them.
  constexpr int patience = 4;
  const std::uint64_t now = turns_.load(std::memory_order_relaxed);
  looks_without_turn_ = now != turns_seen_ ? 0 : looks_without_turn_ + 1;
  const bool waited = std::exchange(waits_, looks_without_turn_ < patience && (waits_ || now != turns_seen_));
  if (waits_ && !waited) since_ns_ = now_ns();
  if (now != turns_seen_) process_->waiting.note_thread(thread_);
  turns_seen_ = now;
  return waits_;
}

std::string WaitingLoops::line() const {
  const std::string place = node::source_place(place_.load(std::memory_order_relaxed));
  return who_waits(*process_, thread_) + "a loop" + (place.empty() ? "" : ", at " + place) + "\n";
}

const char* name_of(m_scope_t scope) noexcept {
  constexpr const char* names[] = {"CCC_ALL", "CCC_SNODE", "CCC_BNODE", "CCC_NODE", "CCC_ARRAY"};
  return scope >= CCC_ALL && scope <= CCC_ARRAY ? names[scope] : "no scope";
}

}  // namespace taihu::parallelc
