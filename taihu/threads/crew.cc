// SPDX-License-Identifier: Apache-2.0
// Carriers: how threads become contexts and carry them, and how all go home.
#include "taihu/threads/crew.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <system_error>

#include "taihu/base/contract.h"
#include "taihu/base/error.h"
#include "taihu/threads/context_ring.h"
#include "taihu/threads/context_switch.h"
#include "taihu/threads/cores.h"
#include "taihu/threads/raw_futex.h"

namespace taihu::threads {

constinit Context* all_contexts = nullptr;

namespace {

constinit std::mutex all_contexts_mutex;  // guards the list

constexpr std::size_t carrier_stack_bytes = std::size_t{32} << 10;
constexpr std::size_t guard_bytes = std::size_t{64} << 10;  // a page, whatever its size

std::uint64_t set_signal_mask(std::uint64_t mask) noexcept {
  std::uint64_t former = 0;
  raw_system_call(SYS_rt_sigprocmask, SIG_SETMASK, word_of(&mask), word_of(&former), sizeof mask, 0, 0);
  return former;
}

constexpr std::uint64_t all_signals = ~std::uint64_t{0};

}  // namespace

Crew::Crew(int members, int carriers, const std::atomic<std::uint32_t>& idle_word, int rank)
    : members_(members),
      contexts_(std::make_unique<Context[]>(static_cast<std::size_t>(members))),
      carriers_(std::make_unique<Carrier[]>(static_cast<std::size_t>(members))),
      joiner_(std::make_unique<Context>()),
      joiner_carrier_(std::make_unique<Carrier>()),
      missing_(members),
      rings_left_(carriers) {
  expect(can_switch_contexts() && carriers >= 1 && carriers <= members, "contexts share cores");
  joiner_carrier_->crew = this;
  joiner_carrier_->own = joiner_.get();
  const std::size_t each = carrier_stack_bytes + guard_bytes;
  stacks_ = mmap(nullptr, each * static_cast<std::size_t>(members), PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stacks_ == MAP_FAILED) throw system_error("no memory for the stacks of accelerator threads", errno);
  for (int k = 0; k < carriers; ++k) rings_.push_back(std::make_unique<Ring>());
  rings_.front()->idle_word = &idle_word;
  for (int k = 0; k < members; ++k) {
    Context& context = contexts_[static_cast<std::size_t>(k)];
    Carrier& carrier = carriers_[static_cast<std::size_t>(k)];
    context.crew = carrier.crew = this;
    carrier.own = &context;
    context.group = GroupedCount::group_of(k, members, carriers);
    context.home = rings_[static_cast<std::size_t>(context.group)].get();
    context.home->insert(context);
    auto* const stack = static_cast<char*>(stacks_) + each * static_cast<std::size_t>(k) + guard_bytes;
    mprotect(stack, carrier_stack_bytes, PROT_READ | PROT_WRITE);
    carrier.stack = prepare_stack(
        stack, carrier_stack_bytes,
        [](void* argument) {
          auto& self = *static_cast<Carrier*>(argument);
          self.crew->carry(self);
        },
        &carrier);
  }
  show_to_debuggers(rank);
  if (carriers == members) return;  // nobody keeps others waiting
  // Signals of the process are for its threads, not for this one.
  sigset_t all;
  sigset_t former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  int code = 0;
  try {
    watchman_ = std::thread([this] { watch(); });
  } catch (const std::system_error& error) {
    code = error.code().value();
  }
  pthread_sigmask(SIG_SETMASK, &former, nullptr);
  if (code != 0) {
    hide_from_debuggers();
    munmap(stacks_, each * static_cast<std::size_t>(members));
    throw system_error("cannot start a thread to watch over accelerator threads", code);
  }
}

Crew::~Crew() {
  hide_from_debuggers();
  stops_.store(true, std::memory_order_release);
  watch_.ring();
  if (watchman_.joinable()) watchman_.join();
  munmap(stacks_, (carrier_stack_bytes + guard_bytes) * static_cast<std::size_t>(members_));
}

void Crew::show_to_debuggers(int rank) noexcept {
  static_assert(offsetof(Context, next_of_all) == 0 && offsetof(Context, stack) == 8 &&
                    offsetof(Context, thread) == 16 && offsetof(Context, ring) == 24 &&
                    offsetof(Context, rank) == 32 && offsetof(Context, index) == 36 &&
                    offsetof(Ring, current) == 0,
                "what commands/gdb/taihu.py reads");
  const std::lock_guard lock(all_contexts_mutex);
  Context* next = all_contexts;
  for (int k = members_ - 1; k >= 0; --k) {
    Context& context = contexts_[static_cast<std::size_t>(k)];
    context.rank = rank;
    context.index = k;
    context.next_of_all = next;
    next = &context;
  }
  all_contexts = next;
}

void Crew::hide_from_debuggers() noexcept {
  const std::lock_guard lock(all_contexts_mutex);
  Context** place = &all_contexts;
  while (*place != &contexts_[0]) place = &(*place)->next_of_all;
  *place = contexts_[static_cast<std::size_t>(members_ - 1)].next_of_all;
}

bool Crew::enter(int member) noexcept {
  Context& me = contexts_[static_cast<std::size_t>(member)];
  Carrier& carrier = carriers_[static_cast<std::size_t>(member)];
  me.thread = thread_pointer();
  detail::current_context = &me;
  switch_context(&me.stack, carrier.stack, me.thread);
  if (carrier.is_home) {
    detail::current_context = nullptr;
    return false;
  }
  me.home->unlock();
  return true;
}

void Crew::carry(Carrier& carrier) noexcept {
  for (;;) {
    const bool ends_ring = carrier.ends_ring;
    carrier.ends_ring = false;
    Ring* const given_up = carrier.to_unlock;
    carrier.to_unlock = nullptr;
    carrier.signal_mask = set_signal_mask(all_signals);
    if (given_up != nullptr) given_up->unlock();
    carrier.is_spare.store(true, std::memory_order_release);
    if (!carrier.has_entered) {
      carrier.has_entered = true;
      if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        for (const auto& ring : rings_) assign(*ring, nullptr);
      }
    }
    if (ends_ring && rings_left_.fetch_sub(1, std::memory_order_acq_rel) == 1) dissolve();
    std::uint32_t orders = 0;
    while ((orders = carrier.orders.load(std::memory_order_acquire)) == 0) {
      raw_futex_wait(carrier.orders, 0, nullptr);
    }
    if ((orders & Carrier::home_order) != 0) go_home(carrier);
    carrier.orders.fetch_and(~Carrier::carry_order, std::memory_order_relaxed);
    set_signal_mask(carrier.signal_mask);
    Ring& ring = *carrier.ring;
    ring.lock();
    const Context* const next = carrier.lone != nullptr ? carrier.lone : ring.next_turn(ring.first);
    if (next != nullptr) {
      switch_context(&carrier.stack, next->stack, next->thread);
    } else {
      ring.give_up();
      carrier.to_unlock = &ring;
    }
  }
}

void Crew::go_home(Carrier& carrier) noexcept {
  set_signal_mask(carrier.signal_mask);
  carrier.is_home = true;
  void* unused = nullptr;
  switch_context(&unused, carrier.own->stack, carrier.own->thread);
  __builtin_unreachable();
}

// There are as many threads as contexts, and a ring that asks has at least one context: if none is spare, one
// is about to be.
void Crew::assign(Ring& ring, Context* lone) noexcept {
  for (;; sched_yield()) {
    for (int k = 0; k < members_; ++k) {
      Carrier& carrier = carriers_[static_cast<std::size_t>(k)];
      if (!carrier.is_spare.load(std::memory_order_relaxed) ||
          !carrier.is_spare.exchange(false, std::memory_order_acquire)) {
        continue;
      }
      // Nobody else uses it before the ring or the context has its first turn.
      (lone != nullptr ? lone->carrier : ring.carrier) = &carrier;
      carrier.ring = &ring;
      carrier.lone = lone;
      carrier.orders.fetch_or(Carrier::carry_order, std::memory_order_release);
      raw_futex_wake(carrier.orders);
      return;
    }
  }
}

// Two carriers on one core take turns of a yield's length, and to the system, which sees two cores busy or
// one that idles for moments, all is well for tens of milliseconds. So the one with the later ring moves;
// less and less often, in case the system moves it back.
void Crew::find_own_core(Ring& ring) noexcept {
  constexpr int most_sleeps_between_looks = 4096;
  ring.sleeps_to_look = ring.sleeps_between_looks;
  const int here = current_core();
  ring.core.store(here, std::memory_order_relaxed);
  cpu_set_t taken;
  CPU_ZERO(&taken);
  bool is_shared = false;
  bool is_earlier = true;
  for (const auto& other : rings_) {
    if (other.get() == &ring) {
      is_earlier = false;
      continue;
    }
    const int core = other->core.load(std::memory_order_relaxed);
    if (core < 0 || core >= CPU_SETSIZE) continue;
    CPU_SET(core, &taken);
    is_shared = is_shared || (is_earlier && core == here);
  }
  if (!is_shared) return;
  const int core = usable_core_beside(taken);
  if (core < 0 || !move_to_core(core)) return;
  ring.core.store(core, std::memory_order_relaxed);
  ring.sleeps_between_looks = std::min(2 * ring.sleeps_between_looks, most_sleeps_between_looks);
}

void Crew::dissolve() noexcept {
  for (int k = 0; k < members_; ++k) {
    std::atomic<std::uint32_t>& orders = carriers_[static_cast<std::size_t>(k)].orders;
    orders.fetch_or(Carrier::home_order, std::memory_order_release);
    raw_futex_wake(orders);
  }
}

void Crew::come_back(Context& me) noexcept {
  if (me.ring.load(std::memory_order_relaxed) != nullptr) return;
  Carrier& carrier = *me.carrier;
  me.home->lock();
  me.home->insert(me);
  --me.home->away;
  carrier.to_unlock = me.home;
  switch_context(&me.stack, carrier.stack, carrier.own->thread);
  me.home->unlock();
}

void Crew::leave() noexcept {
  Context& me = *detail::current_context;
  Ring& ring = *me.home;
  // The watchman may have sent away others after their last kernel, and may send `me` away before the lock.
  for (;; ring.unlock(), sched_yield()) {
    come_back(me);
    ring.lock();
    const bool is_last = me.next == &me && ring.away != 0;
    if (me.ring.load(std::memory_order_relaxed) == &ring && !is_last) break;
  }
  Context* const after = me.next;
  ring.remove(me);
  if (ring.first == nullptr) {
    Carrier& carrier = *ring.carrier;
    ring.current = nullptr;
    carrier.to_unlock = &ring;
    carrier.ends_ring = true;
    switch_context(&me.stack, carrier.stack, carrier.own->thread);
  } else {
    switch_to_next(ring, me, after);
  }
  detail::current_context = nullptr;  // at home
}

bool Crew::claim() noexcept {
  if (detail::current_context != nullptr) return false;
  Ring& ring = *rings_.front();
  ring.lock();
  const bool is_mine = ring.is_free;
  if (is_mine) {
    ring.is_free = false;
    ring.joiner = ring.current = joiner_.get();
    ring.carrier = joiner_carrier_.get();
  } else {
    ring.is_wanted.store(true, std::memory_order_relaxed);
  }
  ring.unlock();
  constexpr std::uint32_t claims_between_looks = 16;
  if (rings_.size() > 1 && claims_++ % claims_between_looks == 0)
    ring.core.store(current_core(), std::memory_order_relaxed);
  return is_mine;
}

// It waits for nothing while it carries: with nothing to do for long it leaves the ring to a thread of the
// array.
void Crew::carry_until(const std::atomic<bool>& over, WhileWaiting meanwhile) noexcept {
  Ring& ring = *rings_.front();
  Context& me = *joiner_;
  me.thread = thread_pointer();
  WaitPolicy policy = wait_policy();
  policy.spins /= 16;  // a look at all contexts is that much more than a pause
  for (int idle = 0; !over.load(std::memory_order_acquire) && idle < policy.spins + policy.yields;) {
    meanwhile();
    ring.lock();
    if (ring.joiner != &me) return ring.unlock();  // was taken away meanwhile
    Context* const next = ring.find_ready(ring.first);
    if (next != nullptr) {
      idle = 0;
      ring.give_turn(*next);
      switch_context(&me.stack, next->stack, next->thread);
      if (Ring* const given_up = joiner_carrier_->to_unlock; given_up != nullptr) {
        joiner_carrier_->to_unlock = nullptr;  // a context has kept this thread until its kernel ended
        return given_up->unlock();
      }
      ring.unlock();
    } else {
      ring.unlock();
      ++idle <= policy.spins ? spin_pause() : static_cast<void>(sched_yield());
    }
  }
  ring.lock();
  if (ring.joiner != &me) return ring.unlock();
  // The next kernel may run already.
  const bool is_needed = !ring.is_idle();
  ring.give_up();
  ring.unlock();
  if (is_needed) wake();
}

void Crew::wake() noexcept {
  Ring& ring = *rings_.front();
  ring.lock();
  const bool was_free = ring.is_free;
  ring.is_free = false;
  ring.unlock();
  if (was_free) assign(ring, nullptr);
}

}  // namespace taihu::threads
