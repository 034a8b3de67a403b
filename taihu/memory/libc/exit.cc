// SPDX-License-Identifier: Apache-2.0
// The end of a rank: exit and its handlers, abort, failed assertions.
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "taihu/memory/libc/rank_process.h"
#include "taihu/memory/libc/signals.h"

// Of libc, for threads of no rank.
extern "C" {
int __cxa_atexit(void (*call)(void*), void* argument, void* library) noexcept;
void __cxa_finalize(void* library);
int __cxa_thread_atexit_impl(void (*call)(void*), void* argument, void* library);
}

namespace taihu::memory::libc {
namespace {

void rank_exit(int status) {
  if (RankProcess* rank = self()) rank->end(status);
  std::exit(status);
}

void rank_exit_at_once(int status) {
  if (RankProcess* rank = self()) rank->end_at_once(status);
  ::_exit(status);
}

void rank_quick_exit(int status) {
  RankProcess* rank = self();
  if (!rank) std::quick_exit(status);
  while (!rank->quick_exit_handlers.empty()) {
    const ExitHandler handler = rank->quick_exit_handlers.back();
    rank->quick_exit_handlers.pop_back();
    reinterpret_cast<void (*)(void*)>(handler.call)(handler.argument);
  }
  rank->end_at_once(status);
}

int add(std::vector<ExitHandler> RankProcess::* list, const ExitHandler& handler) {
  RankProcess* rank = self();
  const std::lock_guard guard(rank->lock);
  (rank->*list).push_back(handler);
  return 0;
}

int rank_cxa_atexit(void (*call)(void*), void* argument, void* library) {
  if (!self()) return __cxa_atexit(call, argument, library);
  return add(&RankProcess::exit_handlers,
             {ExitHandler::Kind::with_argument, reinterpret_cast<void*>(call), argument, library});
}

int rank_atexit(void (*call)()) {
  return rank_cxa_atexit(reinterpret_cast<void (*)(void*)>(reinterpret_cast<void*>(call)), nullptr, nullptr);
}

int rank_on_exit(void (*call)(int, void*), void* argument) {
  if (!self()) return on_exit(call, argument);
  return add(&RankProcess::exit_handlers,
             {ExitHandler::Kind::with_status, reinterpret_cast<void*>(call), argument, nullptr});
}

int rank_at_quick_exit(void (*call)(void*), void* library) {
  if (!self()) return at_quick_exit(reinterpret_cast<void (*)()>(reinterpret_cast<void*>(call)));
  return add(&RankProcess::quick_exit_handlers,
             {ExitHandler::Kind::with_argument, reinterpret_cast<void*>(call), nullptr, library});
}

void rank_finalize(void* library) {
  if (RankProcess* rank = self())
    rank->finalize_library(library);
  else
    __cxa_finalize(library);
}

// Thread-local objects of the rank's first thread are destroyed before its exit handlers run. libc destroys
// those of other threads when the thread ends.
int rank_at_thread_exit(void (*call)(void*), void* argument, void* library) {
  RankProcess* rank = self();
  if (!rank || !rank->on_first_thread()) return __cxa_thread_atexit_impl(call, argument, library);
  rank->thread_exit_handlers.push_back(
      {ExitHandler::Kind::with_argument, reinterpret_cast<void*>(call), argument, library});
  return 0;
}

void rank_abort() {
  raise_in_rank(SIGABRT);
  if (RankProcess* rank = self())
    rank->signal_actions[SIGABRT] = {};  // a handler that returns is not asked again
  std::abort();
}

[[noreturn]] void fail_assertion(const char* condition, const char* file, unsigned line,
                                 const char* function) {
  RankProcess* rank = self();
  std::FILE* stream = rank ? rank->errors() : stderr;
  std::fprintf(stream, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function ? function : "?",
               condition);
  std::fflush(stream);
  rank_abort();
  __builtin_unreachable();
}

// When the first thread of a process leaves by pthread_exit, it waits for the others; so does a rank's first
// thread.
void rank_thread_exit(void* result) {
  RankProcess* rank = self();
  if (!rank || !rank->on_first_thread()) pthread_exit(result);
  for (int live = rank->live_threads.load(); live > 0; live = rank->live_threads.load())
    rank->live_threads.wait(live);
  rank->end(0);
}

}  // namespace

std::span<const Replacement> exit_calls() {
  static const std::array calls = {replace("exit", &rank_exit),
                                   replace("_exit", &rank_exit_at_once),
                                   replace("_Exit", &rank_exit_at_once),
                                   replace("quick_exit", &rank_quick_exit),
                                   replace("atexit", &rank_atexit),
                                   replace("on_exit", &rank_on_exit),
                                   replace("__cxa_atexit", &rank_cxa_atexit),
                                   replace("__cxa_at_quick_exit", &rank_at_quick_exit),
                                   replace("__cxa_finalize", &rank_finalize),
                                   replace("__cxa_thread_atexit_impl", &rank_at_thread_exit),
                                   replace("abort", &rank_abort),
                                   replace("__assert_fail", &fail_assertion),
                                   replace("pthread_exit", &rank_thread_exit)};
  return calls;
}

}  // namespace taihu::memory::libc
