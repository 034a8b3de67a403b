// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/thread_array.h"

#include <sched.h>

#include <algorithm>
#include <exception>
#include <string>

#include "taihu/base/contract.h"
#include "taihu/base/error.h"
#include "taihu/memory/outermost.h"
#include "taihu/threads/context_switch.h"

namespace taihu::threads {

struct Spawn {
  Kernel kernel = nullptr;
  void* argument = nullptr;
  Spawn* next = nullptr;  // in the queue or among the free handles
  bool joined = true;     // or never spawned; guarded by the array's mutex
  std::atomic<bool> finished{false};
};

namespace {

bool are_contexts(const ArrayOptions& options) noexcept {
  return options.cores > 0 && (options.size > options.cores || options.shares_cpus) && can_switch_contexts();
}

/// The attributes of a member's thread; destroyed with this object.
class ThreadAttributes {
 public:
  ThreadAttributes(const ArrayOptions& options, int index) {
    pthread_attr_init(&attributes_);
    if (options.stack_bytes != 0) {
      const int code = pthread_attr_setstacksize(&attributes_, options.stack_bytes);
      if (code != 0) {
        pthread_attr_destroy(&attributes_);
        throw system_error(
            "cannot use stacks of " + std::to_string(options.stack_bytes) + " bytes for accelerator threads",
            code);
      }
    }
    bind(options, index);
  }
  ~ThreadAttributes() { pthread_attr_destroy(&attributes_); }
  ThreadAttributes(const ThreadAttributes&) = delete;
  ThreadAttributes& operator=(const ThreadAttributes&) = delete;

  const pthread_attr_t* get() const noexcept { return &attributes_; }

 private:
  // With fewer cpus than members the system balances them itself: a fixed share would leave cpus idle when
  // members wait. Carriers of contexts see to it that they do not share one (Crew::find_own_core).
  void bind(const ArrayOptions& options, int index) {
    if (options.cpus.empty()) return;
    const bool one_each =
        options.cpus.size() >= static_cast<std::size_t>(options.size) && !are_contexts(options);
    int largest = 0;
    for (const int cpu : options.cpus) largest = cpu > largest ? cpu : largest;
    const std::size_t bytes = CPU_ALLOC_SIZE(largest + 1);
    cpu_set_t* set = CPU_ALLOC(largest + 1);
    CPU_ZERO_S(bytes, set);
    if (one_each) {
      CPU_SET_S(options.cpus[static_cast<std::size_t>(index)], bytes, set);
    } else {
      for (const int cpu : options.cpus) CPU_SET_S(cpu, bytes, set);
    }
    pthread_attr_setaffinity_np(&attributes_, bytes, set);
    CPU_FREE(set);
  }

  pthread_attr_t attributes_;
};

/// Notices at the end of a member's thread that a kernel has ended it: nothing is unwound below a kernel.
struct KernelWatch {
  Member* member = nullptr;
  const std::function<void(Member&)>* on_exit = nullptr;

  KernelWatch() = default;
  KernelWatch(const KernelWatch&) = delete;
  KernelWatch& operator=(const KernelWatch&) = delete;
  ~KernelWatch() {
    if (member == nullptr || !member->in_kernel) return;
    if (*on_exit) (*on_exit)(*member);
    std::terminate();
  }
};
thread_local KernelWatch kernel_watch;

ArrayOptions checked(ArrayOptions options) {
  check_input(options.size >= 1, "a thread array of " + std::to_string(options.size) +
                                     " threads is not possible; ask for at least 1");
  for (const int cpu : options.cpus) {
    check_input(cpu >= 0,
                "accelerator threads cannot be bound to cpu " + std::to_string(cpu) + "; cpus count from 0");
  }
  return options;
}

}  // namespace

ThreadArray::ThreadArray(ArrayOptions options)
    : options_(checked(std::move(options))),
      has_contexts_(are_contexts(options_)),
      groups_(has_contexts_ ? std::min(options_.size, options_.cores) : 1),
      barrier_(options_.size, groups_),
      rendezvous_(options_.size),
      loops_(options_.size),
      returned_(options_.size, groups_) {}

ThreadArray::~ThreadArray() {
  expect(active_ == nullptr && queue_head_ == nullptr, "every spawn was joined");
  stop();
}

void ThreadArray::start() {
  members_ = std::make_unique<Member[]>(static_cast<std::size_t>(options_.size));
  threads_.reserve(static_cast<std::size_t>(options_.size));
  if (has_contexts_)
    crew_ = std::make_unique<Crew>(options_.size, groups_, generation_,
                                   options_.rank != nullptr ? options_.rank->rank : -1);
  try {
    for (int i = 0; i < options_.size; ++i) start_member(i);
  } catch (...) {
    stop();
    throw;
  }
}

void ThreadArray::start_member(int index) {
  Member& member = members_[static_cast<std::size_t>(index)];
  member.index = index;
  member.size = options_.size;
  member.array = this;
  const ThreadAttributes attributes(options_, index);
  pthread_t thread;
  const int code = pthread_create(&thread, attributes.get(), member_entry, &member);
  if (code != 0) {
    throw system_error("cannot start accelerator thread " + std::to_string(index) + " of " +
                           std::to_string(options_.size) +
                           " (too many threads, or cpus that this process may not use)",
                       code);
  }
  threads_.push_back(thread);
}

void ThreadArray::stop() noexcept {
  if (crew_ && threads_.size() < static_cast<std::size_t>(options_.size)) crew_->dissolve();
  active_ = nullptr;
  generation_.fetch_add(1, std::memory_order_release);
  work_.ring();
  if (crew_) crew_->wake();
  for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
  threads_.clear();
  crew_.reset();
  generation_.store(0, std::memory_order_relaxed);  // where members of a later start begin
  returned_.restart();
}

// To spin would keep the other side from what is waited for.
template <class Ready>
void ThreadArray::wait_for_other_side(Doorbell& bell, Ready&& ready) {
  constexpr int yields = 20;
  for (int k = 0; options_.shares_cpus && k < yields; ++k) {
    if (ready()) return;
    sched_yield();
  }
  bell.wait(ready);
}

void* ThreadArray::member_entry(void* argument) noexcept {
  Member& member = *static_cast<Member*>(argument);
  // Stacks begin at equal places of their pages: without this shift the frames of all contexts of a core
  // would compete for the same few lines of its caches.
  constexpr int shifts = 64;
  constexpr std::size_t shift_bytes = 5 * 64;
  auto* const shift = static_cast<volatile char*>(
      __builtin_alloca(static_cast<std::size_t>(member.index % shifts) * shift_bytes + 1));
  *shift = 0;
  member.array->serve(member);
  return nullptr;
}

void ThreadArray::serve(Member& member) {
  memory::set_current_rank(options_.rank);
  detail::current_member = &member;
  if (options_.on_start) options_.on_start(member);
  KernelWatch& watch = kernel_watch;
  watch.member = &member;
  watch.on_exit = &options_.on_kernel_exit;
  if (!crew_) {
    run_kernels(member);
  } else if (crew_->enter(member.index)) {
    run_kernels(member);
    crew_->leave();
  }
  if (options_.on_stop) options_.on_stop(member);
}

// Between a context's turns nothing of its thread-local storage is read here: like the stacks, the storage of
// all of them lies at equal places of pages.
void ThreadArray::run_kernels(Member& member) {
  Context* const context = detail::current_context;
  const int group = current_group();
  for (std::uint32_t seen = 0;; ++seen) {
    if (context == nullptr) {
      wait_for_other_side(work_, [&] { return generation_.load(std::memory_order_acquire) != seen; });
    } else {
      // The watchman may have found it without a turn for long since its kernel ended. The thread that it has
      // then may be that of who waits for this kernel, which must not sleep here.
      while (!wait_in_context(*context, work_, generation_, seen)) crew_->come_back(*context);
    }
    const Spawn* spawn = active_;
    if (spawn == nullptr) return;
    member.in_kernel = true;
    member.kernel = spawn->kernel;
    member.kernel_broadcasts = 0;
    memory::call_outermost(spawn->kernel, spawn->argument);
    member.in_kernel = false;
    if (context != nullptr) crew_->come_back(*context);
    // The last member passes the writes of all members on with `finished`. Sequentially consistent: who
    // watches either sees the smaller number or is seen.
    if (returned_.arrive(group, seen + 1)) {
      finish_kernel();
    } else if (return_watches_.load(std::memory_order_seq_cst) != 0 && options_.on_return) {
      options_.on_return();
    }
  }
}

void ThreadArray::publish(Spawn* spawn) noexcept {
  active_ = spawn;
  if (crew_) crew_->kernel_starts();
  generation_.store(generation_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void ThreadArray::finish_kernel() noexcept {
  loops_.restart();
  if (options_.on_kernel_end) options_.on_kernel_end();
  Spawn* done = nullptr;
  Spawn* next = nullptr;
  {
    const std::lock_guard lock(mutex_);
    done = active_;
    next = queue_head_;
    if (crew_) crew_->kernel_ends();
    if (next != nullptr) {
      queue_head_ = next->next;
      publish(next);
    } else {
      active_ = nullptr;
    }
  }
  if (next != nullptr) {
    work_.ring();
    if (crew_) crew_->wake();
  }
  done->finished.store(true, std::memory_order_release);  // the handle may be used anew from here on
  (options_.joiner != nullptr ? *options_.joiner : own_joiner_).ring();
}

Spawn* ThreadArray::take_handle() {
  if (free_ == nullptr) return handles_.emplace_back(std::make_unique<Spawn>()).get();
  Spawn* handle = free_;
  free_ = handle->next;
  return handle;
}

Spawn* ThreadArray::spawn(Kernel kernel, void* argument) {
  return spawn(kernel, argument, nullptr);
}

void ThreadArray::run(Kernel kernel, void* argument, WhileWaiting meanwhile) {
  bool is_carried = false;
  Spawn* const started = spawn(kernel, argument, &is_carried);
  if (is_carried) crew_->carry_until(started->finished, meanwhile);
  join(started, meanwhile);
}

// With `is_carried` the caller is to carry the crew's first ring when it is set.
Spawn* ThreadArray::spawn(Kernel kernel, void* argument, bool* is_carried) {
  expect(current_member() == nullptr || current_member()->array != this,
         "members of an array do not spawn on it");
  expect(kernel != nullptr, "a spawn has a kernel");
  Spawn* spawn = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (threads_.empty()) start();
    spawn = take_handle();
    spawn->kernel = kernel;
    spawn->argument = argument;
    spawn->next = nullptr;
    spawn->joined = false;
    spawn->finished.store(false, std::memory_order_relaxed);
    if (crew_ && is_carried != nullptr) *is_carried = crew_->claim();
    if (active_ != nullptr) {
      (queue_head_ == nullptr ? queue_head_ : queue_tail_->next) = spawn;
      queue_tail_ = spawn;
      return spawn;
    }
    publish(spawn);
  }
  work_.ring();
  if (crew_ && (is_carried == nullptr || !*is_carried)) crew_->wake();
  return spawn;
}

bool ThreadArray::finished(const Spawn* spawn) const noexcept {
  return spawn->finished.load(std::memory_order_acquire);
}

void ThreadArray::join(Spawn* spawn, WhileWaiting meanwhile) {
  expect(current_member() == nullptr || current_member()->array != this,
         "members of an array do not join on it");
  if constexpr (contracts_checked) expect(is_unjoined(spawn), "a spawn is joined once, on its array");
  wait_for_other_side(options_.joiner != nullptr ? *options_.joiner : own_joiner_, [&] {
    if (finished(spawn)) return true;
    meanwhile();
    return false;
  });
  const std::lock_guard lock(mutex_);
  spawn->joined = true;
  spawn->next = free_;
  free_ = spawn;
}

bool ThreadArray::is_idle() noexcept {
  const std::lock_guard lock(mutex_);
  return active_ == nullptr && queue_head_ == nullptr;
}

bool ThreadArray::is_unjoined(const Spawn* spawn) noexcept {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(handles_,
                             [&](const auto& each) { return each.get() == spawn && !each->joined; });
}

int ThreadArray::unjoined() noexcept {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(std::ranges::count_if(handles_, [](const auto& each) { return !each->joined; }));
}

}  // namespace taihu::threads
