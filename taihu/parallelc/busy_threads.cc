// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/busy_threads.h"

#include <dirent.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include "taihu/base/clock.h"
#include "taihu/node/source_lines.h"
#include "taihu/parallelc/process.h"
#include "taihu/threads/current_member.h"

namespace taihu::parallelc {
namespace {

/// Each may take some time, and the watch has other things to do. Those who have returned from the kernel are
/// asked, too, as those who sleep in a system call: again and again, but ever more seldom.
constexpr std::size_t most_asked_at_once = 4;

enum class Asking : int { nobody, one, it_answers, it_has_answered };

/// The thread that is asked where it is, and its answer. One at a time, by the watch.
struct Question {
  std::atomic<Asking> state{Asking::nobody};
  const Process* process = nullptr;
  int thread = -1;
  const void* interrupted_at = nullptr;
  std::array<void*, 24> frames{};
  int frame_count = 0;
};
Question question;

const void* program_counter(const void* context) noexcept {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(machine.pc);
#else
  (void)machine;
  return nullptr;
#endif
}

/// Runs on every thread that is interrupted, at any place of its program.
void answer_question(int /*signal*/, siginfo_t* /*info*/, void* context) noexcept {
  if (question.state.load(std::memory_order_acquire) != Asking::one) return;
  const threads::Member* const member = threads::current_member();
  if (member == nullptr || !member->in_kernel || member->index != question.thread ||
      current_process() != question.process) {
    return;
  }
  Asking expected = Asking::one;
  if (!question.state.compare_exchange_strong(expected, Asking::it_answers, std::memory_order_acq_rel))
    return;
  const int error = errno;
  question.interrupted_at = program_counter(context);
  question.frame_count = backtrace(question.frames.data(), static_cast<int>(question.frames.size()));
  errno = error;
  question.state.store(Asking::it_has_answered, std::memory_order_release);
}

/// Whether a thread of the system runs or waits for a core.
bool wants_a_core(const char* thread) {
  char path[64], line[512] = "";
  std::snprintf(path, sizeof path, "/proc/self/task/%.16s/stat", thread);
  std::FILE* const file = std::fopen(path, "r");
  if (file == nullptr) return false;
  const std::size_t bytes = std::fread(line, 1, sizeof line - 1, file);
  std::fclose(file);
  line[bytes] = 0;
  const char* const behind_name = std::strrchr(line, ')');
  return behind_name != nullptr && std::strncmp(behind_name, ") R", 3) == 0;
}

void interrupt_running_threads() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/task"), closedir);
  if (folder == nullptr) return;
  const long own = syscall(SYS_gettid);
  while (const dirent* const entry = readdir(folder.get())) {
    const long thread = std::atol(entry->d_name);
    if (thread > 0 && thread != own && wants_a_core(entry->d_name))
      syscall(SYS_tgkill, getpid(), thread, SIGURG);
  }
}

void pause_a_millisecond() noexcept {
  const timespec pause{0, 1'000'000};
  nanosleep(&pause, nullptr);
}

/// The program may use the signal itself.
bool is_signal_ours() {
  struct sigaction now{};
  return sigaction(SIGURG, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
         now.sa_sigaction == answer_question;
}

/// Whether accelerator thread `thread` has said where it is; not when it runs no kernel or does not run, or
/// the program uses the signal.
bool ask(const Process& process, int thread) {
  if (!is_signal_ours()) return false;
  constexpr int rounds = 10, looks = 20;
  question.process = &process;
  question.thread = thread;
  question.state.store(Asking::one, std::memory_order_release);
  const auto is_answered = [] {
    return question.state.load(std::memory_order_acquire) == Asking::it_has_answered;
  };
  for (int round = 0; round < rounds && !is_answered(); ++round) {
    interrupt_running_threads();
    for (int look = 0; look < looks && !is_answered(); ++look) pause_a_millisecond();
  }
  Asking expected = Asking::one;
  if (question.state.compare_exchange_strong(expected, Asking::nobody, std::memory_order_acq_rel))
    return false;
  while (!is_answered()) pause_a_millisecond();
  question.state.store(Asking::nobody, std::memory_order_relaxed);
  return true;
}

/// Where the innermost code of the program is that the answer names.
std::string place_of_answer(const Process& process) {
  void* const* const first = question.frames.data();
  void* const* const end = first + question.frame_count;
  void* const* const inner = std::find(first, end, question.interrupted_at);
  std::vector<const void*> calls;
  // As of a call that returns behind the instruction.
  calls.push_back(static_cast<const char*>(question.interrupted_at) + 1);
  if (inner != end) calls.insert(calls.end(), inner + 1, end);
  const void* const own = file_of(reinterpret_cast<const void*>(&answer_question));
  const void* const program = process.program != nullptr ? file_of(process.program) : nullptr;
  const auto of_program = std::ranges::find_if(calls, [&](const void* call) {
    const void* const file = file_of(call);
    return program != nullptr ? file == program : file != own;
  });
  return node::source_place(of_program != calls.end() ? *of_program : calls.front());
}

}  // namespace

BusyThreads::BusyThreads(double timeout_seconds)
    : timeout_seconds_(timeout_seconds), timeout_ns_(static_cast<std::int64_t>(1e9 * timeout_seconds)) {
  void* frame;
  backtrace(&frame, 1);  // the first one loads libraries, which a signal handler must not
  struct sigaction before{};
  if (sigaction(SIGURG, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) return;
  struct sigaction action{};
  action.sa_sigaction = answer_question;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigaction(SIGURG, &action, nullptr);
}

std::string BusyThreads::report(Process& process) {
  struct Busy {
    int thread;
    std::int64_t since_ns;
  };
  std::vector<Busy> busy;
  int waiting_long = 0;
  {
    const std::lock_guard hold(process.waiting.mutex);
    WaitingCalls& waiting = process.waiting;
    const auto size = static_cast<std::size_t>(process.array->size());
    waiting.look_at_calls();
    const std::int64_t now = now_ns();
    std::vector<bool> waits(size);
    std::ptrdiff_t waiting_now = 0;
    const auto note = [&](int thread, std::int64_t since_ns) {
      if (waits[static_cast<std::size_t>(thread)]) return;
      waits[static_cast<std::size_t>(thread)] = true;
      ++waiting_now;
      if (now - since_ns >= timeout_ns_) ++waiting_long;
    };
    for (const Waiting* call : waiting.open)
      if (call->is_in_kernel()) note(call->thread(), call->since_ns());
    for (const WaitingLoops* loops : waiting.loops)
      if (loops->waits() && loops->is_in_kernel()) note(loops->thread(), loops->since_ns());
    if (waiting_long == 0 || process.array->running() <= waiting_now) return {};
    for (std::size_t thread = 0; thread < size; ++thread) {
      WaitingCalls::Thread& known = waiting.threads[thread];
      if (waits[thread] || known.is_named || now - known.came_back_ns < timeout_ns_ ||
          now < known.next_question_ns)
        continue;
      if (busy.size() == most_asked_at_once) break;
      // It may sleep in a system call now, and compute later.
      known.patience_ns = std::max(timeout_ns_, 2 * known.patience_ns);
      known.next_question_ns = now + known.patience_ns;
      busy.push_back({static_cast<int>(thread), known.came_back_ns});
    }
  }
  std::string text;
  for (const auto [thread, since_ns] : busy) {
    if (!ask(process, thread)) continue;
    {
      const std::lock_guard hold(process.waiting.mutex);
      WaitingCalls::Thread& known = process.waiting.threads[static_cast<std::size_t>(thread)];
      if (known.came_back_ns == since_ns) known.is_named = true;
    }
    const std::string place = place_of_answer(process);
    char line[160];
    std::snprintf(line, sizeof line,
                  "taihu: rank %d, accelerator thread %d, has not come back to the runtime for %g s while %d "
                  "%s of its array wait%s",
                  process.rank, thread, timeout_seconds_, waiting_long,
                  waiting_long == 1 ? "other" : "others", waiting_long == 1 ? "s" : "");
    text += line + (place.empty() ? "" : ", at " + place) + "\n";
  }
  return text;
}

}  // namespace taihu::parallelc
