// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/crash_report.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "taihu/base/page_size.h"
#include "taihu/launch/function_names.h"
#include "taihu/memory/current_rank.h"

namespace taihu::launch {
namespace {

constexpr std::array crash_signals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
constexpr std::size_t handler_stack_bytes = 128 << 10;  // the unwinder and the formatting need about 20 KiB
constexpr std::size_t overflow_reach_bytes = 1 << 20;   // how far past its end a stack may be touched at once

// Signal handlers have no argument for state, so it is here; written before the handlers are installed.
std::array<char, 256> host_of_reports{};
void (*tell_job_is_over)(int) noexcept = nullptr;
pid_t process_of_reports = 0;
std::atomic<bool> crashed{false};
std::array<struct sigaction, crash_signals.size() + 1> previous_actions{};

thread_local std::uintptr_t stack_start = 0;  // lowest usable address; 0 when unknown
thread_local std::size_t stack_bytes = 0;
thread_local bool reporting = false;

/// Collects a report of several lines, so that one write shows it whole. snprintf with integers and strings
/// does not allocate in the C libraries we run on, although the standard does not promise it.
class Text {
 public:
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int written = vsnprintf(buffer_.data() + used_, buffer_.size() - used_, format, values);
    va_end(values);
    if (written > 0) used_ += static_cast<std::size_t>(written);
    if (used_ >= buffer_.size()) used_ = buffer_.size() - 1;
  }
  void print() const {
    const ssize_t ignored = write(STDERR_FILENO, buffer_.data(), used_);
    (void)ignored;  // nobody is left to report to
  }

 private:
  std::array<char, 16384> buffer_{};
  std::size_t used_ = 0;
};

const char* name_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault (SIGSEGV)";
    case SIGBUS:
      return "bus error (SIGBUS)";
    case SIGFPE:
      return "arithmetic error (SIGFPE)";
    case SIGILL:
      return "illegal instruction (SIGILL)";
    case SIGABRT:
      return "abort (SIGABRT)";
    default:
      return "trap (SIGTRAP)";
  }
}

bool is_stack_overflow(int signal, const siginfo_t* info) {
  if (signal != SIGSEGV || info->si_code <= 0 || stack_start == 0) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  return address < stack_start + page_bytes() && address + overflow_reach_bytes > stack_start;
}

void add_cause(Text& text, int signal, const siginfo_t* info) {
  const memory::RankIdentity* rank = memory::current_rank();
  text.add("taihu: ");
  if (rank)
    text.add("rank %d", rank->rank);
  else
    text.add("node process %d", static_cast<int>(getpid()));
  text.add(" on %s: %s", host_of_reports.data(), name_of(signal));
  if (is_stack_overflow(signal, info))
    text.add(", stack overflow (its stack has %zu KiB; set TAIHU_STACK_SIZE for more)", stack_bytes >> 10);
  else if (info->si_code > 0 && signal != SIGABRT && signal != SIGTRAP)
    text.add(" at address 0x%zx", reinterpret_cast<std::size_t>(info->si_addr));
  else if (info->si_code <= 0 && signal != SIGABRT)
    text.add(" sent by process %d", static_cast<int>(info->si_pid));
  text.add("\n");
}

void add_frame(Text& text, int index, void* frame) {
  Dl_info place{};
  if (dladdr(frame, &place) == 0 || place.dli_fname == nullptr) {
    text.add("  #%d %p\n", index, frame);
    return;
  }
  const char* file = std::strrchr(place.dli_fname, '/');
  file = file && file[1] ? file + 1 : place.dli_fname;
  const auto offset = [frame](const void* start) {
    return static_cast<std::size_t>(static_cast<const char*>(frame) - static_cast<const char*>(start));
  };
  const FunctionPlace function = function_names().find(place.dli_fname, offset(place.dli_fbase));
  if (function.name != nullptr)
    text.add("  #%d %s+0x%zx in %s+0x%zx\n", index, function.name, static_cast<std::size_t>(function.offset),
             file, offset(place.dli_fbase));
  else if (place.dli_sname)
    text.add("  #%d %s+0x%zx in %s+0x%zx\n", index, place.dli_sname, offset(place.dli_saddr), file,
             offset(place.dli_fbase));
  else
    text.add("  #%d %s+0x%zx\n", index, file, offset(place.dli_fbase));
}

void* instruction_of(const void* context) {
  const auto* state = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return reinterpret_cast<void*>(state->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void*>(state->uc_mcontext.pc);
#else
#error "teach instruction_of where this processor keeps the program counter"
#endif
}

/// The frames from the instruction that crashed on; before it come the handler's own. A jump to a wild
/// address has no frame; then all frames are shown.
void add_stack(Text& text, const void* context) {
  std::array<void*, 64> frames{};
  const int count = backtrace(frames.data(), frames.size());
  const auto* crashed_at = std::find(frames.data(), frames.data() + count, instruction_of(context));
  const int first = crashed_at == frames.data() + count ? 0 : static_cast<int>(crashed_at - frames.data());
  for (int i = first; i < count; ++i) add_frame(text, i - first, frames[i]);
  text.add("  (addr2line -e FILE OFFSET gives the source lines)\n");
}

[[noreturn]] void sleep_forever() {
  while (true) pause();
}

/// A child of fork is a process of its own that ends as any other does: nobody in it waits for the end of the
/// job. The signal comes again after the handler's return.
bool is_of_child(int signal) {
  if (getpid() == process_of_reports) return false;
  struct sigaction plain{};
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
  raise(signal);
  return true;
}

void report_crash(int signal, siginfo_t* info, void* context) {
  if (is_of_child(signal)) return;
  if (crashed.exchange(true)) {
    // A crash inside the report itself must not hang the job; crashes of other threads wait for its end.
    if (reporting) _exit(128 + signal);
    sleep_forever();
  }
  reporting = true;
  Text text;
  add_cause(text, signal, info);
  add_stack(text, context);
  text.print();
  tell_job_is_over(128 + signal);
  sleep_forever();
}

void end_on_request(int signal, siginfo_t*, void*) {
  if (is_of_child(signal)) return;
  tell_job_is_over(128 + signal);
}

}  // namespace

AlternateStack::AlternateStack() : memory_(new std::byte[handler_stack_bytes]) {
  stack_t stack{};
  stack.ss_sp = memory_.get();
  stack.ss_size = handler_stack_bytes;
  sigaltstack(&stack, &previous_);
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* start = nullptr;
  if (pthread_attr_getstack(&attributes, &start, &stack_bytes) == 0)
    stack_start = reinterpret_cast<std::uintptr_t>(start);
  pthread_attr_destroy(&attributes);
}

AlternateStack::~AlternateStack() {
  sigaltstack(&previous_, nullptr);
  stack_start = 0;
}

CrashReports::CrashReports(const std::string& host, void (*job_is_over)(int) noexcept) {
  std::snprintf(host_of_reports.data(), host_of_reports.size(), "%s", host.c_str());
  tell_job_is_over = job_is_over;
  process_of_reports = getpid();
  crashed = false;
  // The first call loads the unwinder, which allocates; a handler must not be the first.
  std::array<void*, 1> frame{};
  backtrace(frame.data(), 1);

  struct sigaction action{};
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  action.sa_sigaction = report_crash;
  for (std::size_t i = 0; i < crash_signals.size(); ++i)
    sigaction(crash_signals[i], &action, &previous_actions[i]);
  action.sa_flags |= SA_RESTART;
  action.sa_sigaction = end_on_request;
  sigaction(SIGTERM, &action, &previous_actions.back());
}

CrashReports::~CrashReports() {
  for (std::size_t i = 0; i < crash_signals.size(); ++i)
    sigaction(crash_signals[i], &previous_actions[i], nullptr);
  sigaction(SIGTERM, &previous_actions.back(), nullptr);
}

}  // namespace taihu::launch
