// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/libc/signals.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "taihu/base/error.h"
#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory {
namespace {

constexpr std::array crash_signals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

// All ranks of the process, for process-wide signals. A slot is null or a live rank. The dispatcher reads it
// and may interrupt anything, so there is no lock.
std::array<std::atomic<RankProcess*>, libc::most_ranks> ranks;
std::atomic<CrashReport> crash_report{nullptr};
std::array<struct sigaction, NSIG>
    actions_before;  // of the process, for threads of no rank; written under `mutex`
std::array<std::atomic<bool>, NSIG> dispatched;
std::mutex mutex;

bool is_valid(int signal) {
  return signal > 0 && signal < NSIG;
}

struct sigaction& action_of(RankProcess& rank, int signal) {
  return rank.signal_actions[static_cast<std::size_t>(signal)];
}

bool has_default(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

bool is_ignored(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_IGN;
}

bool ignored_by_default(int signal) {
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

bool is_crash(int signal) {
  return std::find(crash_signals.begin(), crash_signals.end(), signal) != crash_signals.end();
}

// Whether the signal is meant for the thread that got it, and not for the whole process.
bool for_one_thread(int signal, const siginfo_t& details) {
  const bool fault = is_crash(signal) && details.si_code > 0;
  const bool queued_here = details.si_code == SI_QUEUE && details.si_pid == getpid();
  // A timer of the process's time interrupts the thread that was running: that is the thread a profiler wants
  // to see.
  const bool counted = (signal == SIGPROF || signal == SIGVTALRM) && libc::self() != nullptr;
  return fault || queued_here || counted || signal == SIGPIPE || details.si_code == SI_TKILL ||
         details.si_code == SI_TIMER;
}

void call_handler(RankProcess& rank, int signal, siginfo_t* details, void* context) {
  struct sigaction& stored = action_of(rank, signal);
  const struct sigaction action = stored;
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    stored.sa_handler = SIG_DFL;
    stored.sa_flags = 0;
  }
  sigset_t before;
  sigset_t blocked = action.sa_mask;
  if ((action.sa_flags & SA_NODEFER) == 0) sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  if ((action.sa_flags & SA_SIGINFO) != 0)
    action.sa_sigaction(signal, details, context);
  else
    action.sa_handler(signal);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Does what the process would do without ranks: calls its earlier handler, or takes the default action of the
// signal.
void take_default(RankProcess* rank, int signal, siginfo_t* details, void* context) {
  CrashReport report = crash_report.load();
  if (rank && !rank->in_child_process() && report && is_crash(signal))
    report(rank->identity, signal, *details);
  const struct sigaction& before = actions_before[static_cast<std::size_t>(signal)];
  if (!has_default(before) && !is_ignored(before)) {
    if ((before.sa_flags & SA_SIGINFO) != 0)
      before.sa_sigaction(signal, details, context);
    else
      before.sa_handler(signal);
    return;
  }
  if (is_ignored(before) || ignored_by_default(signal)) return;
  struct sigaction plain{};
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
}

// Passes a signal for the whole process to the first thread of each rank that handles it; true when one does.
bool forward(int signal) {
  bool handled = false;
  for (auto& slot : ranks) {
    RankProcess* rank = slot.load();
    if (!rank || has_default(action_of(*rank, signal))) continue;
    handled = true;
    if (!is_ignored(action_of(*rank, signal))) syscall(SYS_tgkill, getpid(), rank->first_thread_id, signal);
  }
  return handled;
}

void dispatch(int signal, siginfo_t* details, void* context) {
  const int error_before = errno;
  RankProcess* rank = libc::self();
  if (!for_one_thread(signal, *details)) {
    if (!forward(signal)) take_default(nullptr, signal, details, context);
  } else if (!rank || has_default(action_of(*rank, signal))) {
    take_default(rank, signal, details, context);
  } else if (!is_ignored(action_of(*rank, signal))) {
    call_handler(*rank, signal, details, context);
  } else if (is_crash(signal) && details->si_code > 0) {
    take_default(rank, signal, details, context);  // a fault cannot be ignored
  }
  errno = error_before;
}

void install_dispatcher(int signal, int flags) {
  const std::lock_guard guard(mutex);
  const auto at = static_cast<std::size_t>(signal);
  struct sigaction action{};
  action.sa_sigaction = &dispatch;
  action.sa_flags =
      SA_SIGINFO | SA_ONSTACK | SA_NODEFER | (flags & (SA_RESTART | SA_NOCLDSTOP | SA_NOCLDWAIT));
  struct sigaction before{};
  if (sigaction(signal, &action, &before) != 0) return;
  if (!dispatched[at].exchange(true)) actions_before[at] = before;
}

}  // namespace

void watch_for_crashes(CrashReport report) {
  crash_report.store(report);
  for (const int signal : crash_signals) install_dispatcher(signal, 0);
}

namespace libc {

void add_rank(RankProcess& rank) {
  for (auto& slot : ranks) {
    RankProcess* empty = nullptr;
    if (slot.compare_exchange_strong(empty, &rank)) return;
  }
  throw Error("more than " + std::to_string(most_ranks) +
              " ranks in one node process; use more processes per node");
}

void remove_rank(RankProcess& rank) {
  for (auto& slot : ranks) {
    RankProcess* own = &rank;
    if (slot.compare_exchange_strong(own, nullptr)) return;
  }
}

void forget_other_ranks(RankProcess& rank) {
  for (auto& slot : ranks)
    if (slot.load() != &rank) slot.store(nullptr);
}

void keep_ignored_signals(RankProcess& rank) {
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  for (int signal = 1; signal < NSIG; ++signal)
    if (is_ignored(action_of(rank, signal))) ::sigaction(signal, &ignore, nullptr);
}

int raise_in_rank(int signal) {
  return static_cast<int>(syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal));
}

namespace {

int rank_sigaction(int signal, const struct sigaction* wanted, struct sigaction* before) {
  RankProcess* rank = self();
  if (!rank || rank->in_child_process()) return ::sigaction(signal, wanted, before);
  if (!is_valid(signal) || (wanted && (signal == SIGKILL || signal == SIGSTOP))) {
    errno = EINVAL;
    return -1;
  }
  const std::lock_guard guard(rank->lock);
  if (before) *before = action_of(*rank, signal);
  if (!wanted) return 0;
  action_of(*rank, signal) = *wanted;
  if (!has_default(*wanted)) install_dispatcher(signal, wanted->sa_flags);
  return 0;
}

sighandler_t set_handler(int signal, sighandler_t handler, int flags) {
  struct sigaction wanted{}, before{};
  wanted.sa_handler = handler;
  wanted.sa_flags = flags;
  sigemptyset(&wanted.sa_mask);
  return rank_sigaction(signal, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}

sighandler_t rank_signal(int signal, sighandler_t handler) {
  return set_handler(signal, handler, SA_RESTART);
}

sighandler_t rank_sysv_signal(int signal, sighandler_t handler) {
  return set_handler(signal, handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
}

int rank_raise(int signal) {
  return self() ? raise_in_rank(signal) : ::raise(signal);
}

// Whether a thread of the process blocks the signal. One that waits for it (sigwait) does not.
bool blocks(pid_t thread, int signal) {
  char path[64], line[256];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
  std::FILE* file = std::fopen(path, "re");
  if (!file) return true;
  unsigned long long blocked = 0;
  while (std::fgets(line, sizeof line, file) && std::sscanf(line, "SigBlk: %llx", &blocked) != 1) {
  }
  std::fclose(file);
  return ((blocked >> (signal - 1)) & 1) != 0;
}

// The thread that gets a signal to the rank: the caller, unless it blocks the signal and another thread does
// not.
pid_t receiver(RankProcess& rank, int signal) {
  const auto caller = static_cast<pid_t>(syscall(SYS_gettid));
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  if (!is_valid(signal) || sigismember(&blocked, signal) == 0) return caller;
  const std::lock_guard guard(rank.lock);
  for (const pid_t thread : rank.threads)
    if (!blocks(thread, signal)) return thread;
  return caller;
}

// A rank that sends itself a signal means itself, not all ranks of the process.
int rank_kill(pid_t process, int signal) {
  RankProcess* rank = self();
  const bool own = rank && process == getpid() && signal != 0;
  return own ? static_cast<int>(syscall(SYS_tgkill, process, receiver(*rank, signal), signal))
             : ::kill(process, signal);
}

int rank_sigqueue(pid_t process, int signal, union sigval value) {
  RankProcess* rank = self();
  const bool own = rank && process == getpid() && signal != 0;
  if (!own) return ::sigqueue(process, signal, value);
  siginfo_t details{};
  details.si_signo = signal;
  details.si_code = SI_QUEUE;
  details.si_pid = process;
  details.si_uid = getuid();
  details.si_value = value;
  return static_cast<int>(syscall(SYS_rt_tgsigqueueinfo, process, receiver(*rank, signal), signal, &details));
}

}  // namespace

std::span<const Replacement> signal_calls() {
  static const std::array calls = {replace("sigaction", &rank_sigaction),
                                   replace("signal", &rank_signal),
                                   replace("bsd_signal", &rank_signal),
                                   replace("ssignal", &rank_signal),
                                   replace("sysv_signal", &rank_sysv_signal),
                                   replace("__sysv_signal", &rank_sysv_signal),
                                   replace("raise", &rank_raise),
                                   replace("gsignal", &rank_raise),
                                   replace("kill", &rank_kill),
                                   replace("sigqueue", &rank_sigqueue)};
  return calls;
}

}  // namespace libc
}  // namespace taihu::memory
