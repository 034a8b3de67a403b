// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/narun/use_observer.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "taihu/base/clock.h"
#include "taihu/memory/narun/operand_address.h"
#include "taihu/memory/narun/own_work.h"

#if defined(__x86_64__)

namespace taihu::memory {
namespace {

constexpr long period_ns = 1'000'000;  // of a thread's processor time; the kernel's tick may be longer
constexpr long round_ns = 20'000'000;  // new threads are looked for so often
constexpr int rest_factor = 9;         // longer than the look itself
constexpr std::size_t most_seen = 1 << 18;
constexpr int most_operands = 8;

struct Seen {
  std::uint64_t place;
  int thread, node;
};

// What the signal handler knows.
const Allocator* watched = nullptr;
std::atomic<bool> taking{false};
std::atomic<std::size_t> seen_count{0};
Seen* seen = nullptr;

Registers registers_of(const ucontext_t& machine) {
  const greg_t* g = machine.uc_mcontext.gregs;
  const auto of = [&](int name) { return static_cast<std::uint64_t>(g[name]); };
  return {{of(REG_RAX), of(REG_RCX), of(REG_RDX), of(REG_RBX), of(REG_RSP), of(REG_RBP), of(REG_RSI),
           of(REG_RDI), of(REG_R8), of(REG_R9), of(REG_R10), of(REG_R11), of(REG_R12), of(REG_R13),
           of(REG_R14), of(REG_R15)}};
}

void take(int, siginfo_t*, void* context) {
  if (!taking.load(std::memory_order_acquire)) return;
  const int before = errno;
  const auto& machine = *static_cast<const ucontext_t*>(context);
  std::uint64_t addresses[most_operands];
  const int count = operand_addresses(static_cast<std::uint64_t>(machine.uc_mcontext.gregs[REG_RIP]),
                                      registers_of(machine), addresses, most_operands);
  unsigned cpu = 0, node = 0;
  syscall(SYS_getcpu, &cpu, &node, nullptr);
  const int thread = static_cast<int>(syscall(SYS_gettid));
  for (int i = 0; i < count; ++i) {
    if (!watched->owns(reinterpret_cast<const void*>(addresses[i]))) continue;
    const std::size_t at = seen_count.fetch_add(1, std::memory_order_relaxed);
    if (at < most_seen) seen[at] = {addresses[i], thread, static_cast<int>(node)};
  }
  errno = before;
}

/// Processor time of all threads of this process.
std::int64_t used_ns() noexcept {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

/// Timers on the processor time of threads.
class Timers {
 public:
  explicit Timers(int signal) : signal_(signal) {}
  ~Timers() {
    for (const auto& [thread, timer] : timers_) timer_delete(timer);
  }
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  void add(int thread) {
    for (const auto& [known, timer] : timers_)
      if (known == thread) return;
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signal_;
    event._sigev_un._tid = thread;
    // The kernel's number of the clock of another thread (CPUCLOCK_PERTHREAD_MASK, CPUCLOCK_SCHED).
    const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | 6);
    timer_t timer{};
    if (timer_create(clock, &event, &timer) != 0) return;
    const itimerspec times{{0, period_ns}, {0, period_ns}};
    timer_settime(timer, 0, &times, nullptr);
    timers_.emplace_back(thread, timer);
  }

 private:
  int signal_;
  std::vector<std::pair<int, timer_t>> timers_;
};

}  // namespace

bool can_observe_use() noexcept {
  return true;
}

UseObserver::UseObserver(const Allocator& allocator, double seconds, Result result)
    : allocator_(allocator), seconds_(seconds), result_(std::move(result)) {}

/// A real-time signal that the program has no use for.
bool UseObserver::choose_signal() noexcept {
  struct sigaction action{};
  for (int number = SIGRTMAX - 1; signal_ == 0 && number > SIGRTMIN; --number) {
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action = {};
    action.sa_sigaction = take;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    if (sigaction(number, &action, nullptr) == 0) signal_ = number;
  }
  return signal_ != 0;
}

bool UseObserver::start() noexcept {
  errno = 0;
  if (now_ns() < next_ns_ || stopped_ || looking_.exchange(true)) return false;
  if (seen == nullptr) {
    void* place = mmap(nullptr, most_seen * sizeof(Seen), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place != MAP_FAILED) seen = static_cast<Seen*>(place);
  }
  watched = &allocator_;
  if (process_ == getpid()) pthread_join(thread_, nullptr);  // the one of the look before, which is over
  // The program's signals are none of our thread's business.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool ready = seen != nullptr && choose_signal();
  const int error = !ready ? (errno != 0 ? errno : EAGAIN) : pthread_create(&thread_, nullptr, run, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  process_ = error == 0 ? getpid() : 0;
  if (error == 0) return true;
  next_ns_ = INT64_MAX;
  looking_ = false;
  return false;
}

void UseObserver::stop() noexcept {
  stopped_ = true;
  if (process_ == getpid()) pthread_join(thread_, nullptr);
}

void* UseObserver::run(void* self) {
  const OwnWork mark;
  auto& observer = *static_cast<UseObserver*>(self);
  const std::int64_t begin = now_ns();
  observer.look();
  const std::int64_t end = now_ns();
  observer.next_ns_ = end + (end - begin) * rest_factor;
  observer.looking_ = false;
  return nullptr;
}

void UseObserver::look() {
  const int own = gettid();
  const std::int64_t end = used_ns() + static_cast<std::int64_t>(seconds_ * 1e9);
  seen_count = 0;
  taking = true;
  {
    Timers timers(signal_);
    while (used_ns() < end && !stopped_) {
      for (const int thread : started_threads())
        if (thread != own) timers.add(thread);
      const timespec pause{0, round_ns};
      nanosleep(&pause, nullptr);
    }
  }
  taking = false;
  const timespec pause{0, round_ns};  // handlers that run now come to their end
  nanosleep(&pause, nullptr);
  if (!stopped_) result_(collect());
}

std::vector<ObservedUse> UseObserver::collect() const {
  std::vector<int> threads = started_threads();
  std::erase(threads, gettid());
  std::vector<ObservedUse> uses;
  const std::size_t count = std::min(seen_count.load(), most_seen);
  for (std::size_t i = 0; i < count; ++i) {
    const auto found = std::find(threads.begin(), threads.end(), seen[i].thread);
    uses.push_back({reinterpret_cast<const std::byte*>(seen[i].place),
                    found == threads.end() ? -1 : static_cast<int>(found - threads.begin()), seen[i].node});
  }
  std::sort(uses.begin(), uses.end(),
            [](const ObservedUse& a, const ObservedUse& b) { return a.place < b.place; });
  return uses;
}

}  // namespace taihu::memory

#else

namespace taihu::memory {

bool can_observe_use() noexcept {
  return false;
}

UseObserver::UseObserver(const Allocator& allocator, double seconds, Result result)
    : allocator_(allocator), seconds_(seconds), result_(std::move(result)) {}

bool UseObserver::start() noexcept {
  errno = ENOSYS;
  return false;
}

void UseObserver::stop() noexcept {}

}  // namespace taihu::memory

#endif
