// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/call_counts.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <string_view>

#include "taihu/launch/function_names.h"
#include "taihu/node/source_lines.h"
#include "taihu/parallelc/process.h"
#include "taihu/threads/current_member.h"

namespace taihu::parallelc {

bool calls_wanted = false;

namespace {

thread_local bool in_counted_call = false;

std::int64_t wall_ns() noexcept {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * std::int64_t{1000000000} + time.tv_nsec;
}

/// "scale:prog.c:12", or what is known of it; the body of a loop that runs as a kernel is "forall:prog.c:20".
std::string name_of_kernel(void (*kernel)(void*)) {
  const auto address = reinterpret_cast<std::uintptr_t>(kernel);
  Dl_info place{};
  std::string name = "kernel";
  if (dladdr(reinterpret_cast<void*>(address), &place) != 0 && place.dli_fname != nullptr) {
    const auto function = launch::function_names().find(
        place.dli_fname, address - reinterpret_cast<std::uintptr_t>(place.dli_fbase));
    if (function.name != nullptr) name = function.name;
    if (std::string_view(name).starts_with("__captured_stmt")) name = "forall";
  }
  // As of a call that returns to the second byte of the function.
  const std::string line = node::source_place(reinterpret_cast<const char*>(address) + 1);
  const bool is_line = line.find(':') != std::string::npos;
  return is_line ? name + ":" + line : name;
}

}  // namespace

struct CallCounts::TimedKernel {
  struct Part {
    std::int64_t begin_ns = 0, end_ns = 0, in_calls_ns = 0;
  };
  CallCounts& counts;
  void (*entry)(void*);
  void* argument;
  const char* name;
  std::vector<Part> parts;  ///< by accelerator thread
};

CallCounts::CallCounts(int accelerator_threads, bool is_traced) : is_traced_(is_traced) {
  for (int i = 0; i <= accelerator_threads; ++i) threads_.push_back(std::make_unique<Thread>());
}

CallCounts::Thread& CallCounts::thread_of_caller() noexcept {
  const threads::Member* member = threads::current_member();
  return *threads_[member != nullptr ? static_cast<std::size_t>(member->index) + 1 : 0];
}

void CallCounts::add(const char* name, std::int64_t begin_ns, std::int64_t end_ns, std::int64_t bytes,
                     int peer) {
  Thread& thread = thread_of_caller();
  const std::lock_guard hold(thread.mutex);
  const std::int64_t ns = std::max<std::int64_t>(0, end_ns - begin_ns);
  thread.times.add(name, static_cast<std::uint64_t>(ns), static_cast<std::uint64_t>(bytes));
  thread.in_calls_ns += ns;
  if (is_traced_) thread.trace.push_back({name, begin_ns, end_ns, bytes, peer});
}

void CallCounts::add_message(bool inside, std::uint64_t bytes) {
  Thread& thread = thread_of_caller();
  const std::lock_guard hold(thread.mutex);
  thread.times.add_message(inside, bytes);
}

void CallCounts::add_proxied(const char* name) {
  Thread& thread = thread_of_caller();
  const std::lock_guard hold(thread.mutex);
  thread.proxied.add(name, 0);
}

CallCounts::TimedKernel* CallCounts::begin(void (*kernel)(void*), void (*entry)(void*), void* argument) {
  const std::lock_guard hold(mutex_);
  std::string& name = names_[kernel];
  if (name.empty()) name = name_of_kernel(kernel);
  return new TimedKernel{*this, entry, argument, name.c_str(),
                         std::vector<TimedKernel::Part>(threads_.size() - 1)};
}

void CallCounts::run(void* timed_kernel) {
  auto& timed = *static_cast<TimedKernel*>(timed_kernel);
  TimedKernel::Part& part = timed.parts[static_cast<std::size_t>(threads::current_member()->index)];
  Thread& thread = timed.counts.thread_of_caller();
  part.in_calls_ns = -thread.in_calls_ns;  // only this thread adds to it
  threads::current_member()->kernel = timed.entry;
  part.begin_ns = wall_ns();
  timed.entry(timed.argument);
  part.end_ns = wall_ns();
  part.in_calls_ns += thread.in_calls_ns;
  if (!timed.counts.is_traced_) return;
  const std::lock_guard hold(thread.mutex);
  thread.trace.push_back({timed.name, part.begin_ns, part.end_ns, 0, -1});
}

void CallCounts::started(const threads::Spawn* spawn, TimedKernel* kernel) {
  const std::lock_guard hold(mutex_);
  started_[spawn] = kernel;
}

CallCounts::TimedKernel* CallCounts::take(const threads::Spawn* spawn) {
  const std::lock_guard hold(mutex_);
  const auto found = started_.find(spawn);
  if (found == started_.end()) return nullptr;
  TimedKernel* const kernel = found->second;
  started_.erase(found);
  return kernel;
}

void CallCounts::ended(TimedKernel* kernel) {
  const std::unique_ptr<TimedKernel> timed(kernel);
  std::int64_t first = timed->parts.front().begin_ns, last = first, longest = 0, busy = 0;
  for (const TimedKernel::Part& part : timed->parts) {
    const std::int64_t own = std::max<std::int64_t>(0, part.end_ns - part.begin_ns - part.in_calls_ns);
    first = std::min(first, part.begin_ns);
    last = std::max(last, part.end_ns);
    longest = std::max(longest, own);
    busy += own;
  }
  const std::lock_guard hold(mutex_);
  KernelTimes& times = kernels_[timed->name];
  ++times.runs;
  times.elapsed_ns += static_cast<std::uint64_t>(last - first);
  times.busy_ns += static_cast<std::uint64_t>(busy);
  times.longest_ns += static_cast<std::uint64_t>(longest);
}

std::map<std::string, KernelTimes> CallCounts::kernels() {
  const std::lock_guard hold(mutex_);
  return kernels_;
}

void CountedCall::begin(Process& process, const char* name, std::int64_t bytes, int peer) {
  if (in_counted_call) return;
  in_counted_call = true;
  process_ = &process;
  name_ = name;
  bytes_ = bytes;
  peer_ = peer;
  begin_ns_ = wall_ns();
}

void CountedCall::end() {
  in_counted_call = false;
  process_->counts->add(name_, begin_ns_, wall_ns(), std::max<std::int64_t>(0, bytes_), peer_);
}

void CountedCall::note_message() noexcept {
  if (peer_ < 0 || peer_ >= process_->ranks() || bytes_ < 0) return;
  const launch::Layout& layout = *process_->layout;
  process_->counts->add_message(layout.process_of(peer_) == layout.process_of(process_->rank),
                                static_cast<std::uint64_t>(bytes_));
}

}  // namespace taihu::parallelc
