// SPDX-License-Identifier: Apache-2.0
// The report of a node process when a rank crashes: rank, host, signal, fault address and call stack.
//
// The handler runs on the crashed thread, on an alternate stack so that a stack overflow can be reported.
// Only the first crash reports; it then tells the owner that the job is over and stays asleep, because ending
// a job through the MPI library is not possible inside a signal handler.
#pragma once

#include <csignal>
#include <cstddef>
#include <memory>
#include <string>

namespace taihu::launch {

/// Gives the calling thread a stack for signal handlers and lets reports recognise an overflow of the
/// thread's own stack. Must be destroyed by the same thread. Threads without such a stack still report all
/// crashes except stack overflows.
class AlternateStack {
 public:
  AlternateStack();
  ~AlternateStack();
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;

 private:
  std::unique_ptr<std::byte[]> memory_;
  stack_t previous_{};
};

/// Handles SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and SIGTRAP of the whole process while it lives; at most
/// one object at a time. A program that installs its own handlers replaces these.
class CrashReports {
 public:
  /// `job_is_over` is called once, in the signal handler, with 128 + signal: it must be async-signal-safe and
  /// return. SIGTERM calls it too, without a report and without stopping the thread.
  CrashReports(const std::string& host, void (*job_is_over)(int exit_code) noexcept);
  ~CrashReports();
  CrashReports(const CrashReports&) = delete;
  CrashReports& operator=(const CrashReports&) = delete;
};

}  // namespace taihu::launch
