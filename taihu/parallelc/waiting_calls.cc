// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/waiting_calls.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "taihu/node/source_lines.h"
#include "taihu/parallelc/process.h"
#include "taihu/threads/current_member.h"

namespace taihu::parallelc {

bool waits_wanted = false;

namespace {

/// Load address of the file that `address` lies in; null when there is none.
const void* file_of(const void* address) {
  Dl_info place{};
  return dladdr(address, &place) != 0 ? place.dli_fbase : nullptr;
}

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
  ++process.waiting.changes;
}

void Waiting::end() {
  const std::lock_guard hold(process_->waiting.mutex);
  std::erase(process_->waiting.open, this);
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

bool WaitingLoops::look() noexcept {
  // Half of those that the watch makes during its timeout (node/deadlock_watch.cc): who has left the loop and
  // computes is not taken for stuck, since that takes all of them.
  constexpr int patience = 4;
  const std::uint64_t now = turns_.load(std::memory_order_relaxed);
  looks_without_turn_ = now != turns_seen_ ? 0 : looks_without_turn_ + 1;
  waits_ = looks_without_turn_ < patience && (waits_ || now != turns_seen_);
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
