// SPDX-License-Identifier: Apache-2.0
// fork and vfork. The child holds a copy of the node process (vfork: its memory itself) but runs the calling
// thread alone, as the child of any threaded program. Its descriptors are those of its rank under the
// system's numbers, and its handlers of pthread_atfork are those of its rank. The child is not a rank: MPI
// refuses to work in it.
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utmp.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>

#include "taihu/memory/libc/children.h"
#include "taihu/memory/libc/descriptors.h"
#include "taihu/memory/libc/signals.h"

namespace taihu::memory::libc {
namespace {

void enter_child(RankProcess& rank) {
  use_system_numbers(rank);
  keep_ignored_signals(rank);
}

// After fork: the copy of the memory is the child's own.
void become_child(RankProcess& rank) {
  new (&rank.lock) std::recursive_mutex;  // the lock would not recognise the child's thread as its owner
  enter_child(rank);
  rank.is_child = true;
  rank.identity.runtime = nullptr;
  rank.first_thread = pthread_self();
  rank.first_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
  rank.live_threads.store(0);
  rank.children.clear();
  rank.lock_holders.clear();
  rank.has_lock_holders = false;
  forget_other_ranks(rank);
}

void call(void (*handler)()) {
  if (handler) handler();
}

}  // namespace

void refuse_in_child(const char* call) {
  const RankProcess* rank = self();
  if (!rank || !rank->in_child_process()) return;
  std::fprintf(
      stderr,
      "taihu: rank %d: %s was called in a child process made by fork (the child is not a rank; it may "
      "compute, call exec and end); call it in the rank itself\n",
      rank->identity.rank, call);
  ::_exit(1);
}

pid_t fork_rank() {
  RankProcess* rank = self();
  if (!rank) return ::fork();
  const auto handlers = rank->fork_handlers;
  for (auto handler = handlers.rbegin(); handler != handlers.rend(); ++handler) call(handler->before);
  pid_t child = -1;
  {
    const UntilChildIsKnown blocked;
    rank->image.before_fork();
    rank->lock.lock();
    child = ::fork();
    if (child == 0)
      become_child(*rank);
    else
      rank->lock.unlock();
    rank->image.after_fork(child == 0);
    if (child > 0) rank->children.add(child);
  }
  for (const ForkHandler& handler : handlers) call(child == 0 ? handler.in_child : handler.in_parent);
  return child;
}

// The signal masks from before vfork: that of the rank, and that of a child that calls vfork itself.
static thread_local std::array<std::optional<UntilChildIsKnown>, 2> blocked_by_vfork;

static std::optional<UntilChildIsKnown>& blocked_at(int depth) {
  return blocked_by_vfork[depth > 0 ? 1 : 0];
}

extern "C" __attribute__((used, visibility("hidden"))) void taihu_before_vfork() {
  blocked_at(detail::vfork_depth).emplace();
}

extern "C" __attribute__((used, visibility("hidden"))) pid_t taihu_after_vfork(long result) {
  RankProcess* rank = self();
  if (result == 0) {
    // A child of a child has the system's numbers already.
    const bool first = rank && !in_child();
    pthread_sigmask(SIG_SETMASK, &blocked_at(detail::vfork_depth++)->before(), nullptr);
    if (first) enter_child(*rank);
    return 0;
  }
  if (result > 0) --detail::vfork_depth;  // which the child has raised
  if (rank && result > 0) rank->children.add(static_cast<pid_t>(result));
  blocked_at(detail::vfork_depth).reset();
  if (result > 0) return static_cast<pid_t>(result);
  errno = static_cast<int>(-result);
  return -1;
}

// The child returns from the call first and overwrites the stack frame. So the return address is kept in a
// register.
#if defined(__x86_64__)
extern "C" __attribute__((visibility("hidden"))) pid_t taihu_vfork();
asm(R"(
  .pushsection .text
  .globl taihu_vfork
  .hidden taihu_vfork
  .type taihu_vfork, @function
taihu_vfork:
  sub $8, %rsp
  call taihu_before_vfork
  add $8, %rsp
  pop %rdi
  mov $58, %eax
  syscall
  push %rdi
  mov %rax, %rdi
  jmp taihu_after_vfork
  .size taihu_vfork, . - taihu_vfork
  .popsection
)");
#elif defined(__aarch64__)
extern "C" __attribute__((visibility("hidden"))) pid_t taihu_vfork();
asm(R"(
  .pushsection .text
  .globl taihu_vfork
  .hidden taihu_vfork
  .type taihu_vfork, %function
taihu_vfork:
  stp x29, x30, [sp, #-16]!
  bl taihu_before_vfork
  ldp x29, x30, [sp], #16
  mov x0, #0x4111
  mov x1, #0
  mov x2, #0
  mov x3, #0
  mov x4, #0
  mov x8, #220
  svc #0
  b taihu_after_vfork
  .size taihu_vfork, . - taihu_vfork
  .popsection
)");
#else
static pid_t taihu_vfork() {
  return fork_rank();
}
#endif

namespace {

int rank_register_atfork(void (*before)(), void (*in_parent)(), void (*in_child)(), void* library) {
  RankProcess* rank = self();
  if (!rank) return pthread_atfork(before, in_parent, in_child);
  const std::lock_guard guard(rank->lock);
  rank->fork_handlers.push_back({before, in_parent, in_child, library});
  return 0;
}

int rank_atfork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  return rank_register_atfork(before, in_parent, in_child, nullptr);
}

int rank_forkpty(int* master, char* name, const termios* terminal, const winsize* size) {
  int ours = -1, theirs = -1;
  if (::openpty(&ours, &theirs, name, terminal, size) != 0) return -1;
  const pid_t child = fork_rank();
  if (child == 0) {
    ::close(ours);
    if (::login_tty(theirs) != 0) ::_exit(1);
    return 0;
  }
  ::close(theirs);
  if (child < 0)
    ::close(ours);
  else
    *master = adopt(ours);
  return child;
}

// libc's would end the parent, and with it all ranks.
int rank_daemon(int keep_directory, int keep_streams) {
  RankProcess* rank = self();
  if (!rank || in_child()) return ::daemon(keep_directory, keep_streams);
  std::fprintf(
      stderr,
      "taihu: rank %d: daemon is refused (it ends the calling process, and with it all ranks); start "
      "the work in a child, with fork or posix_spawn\n",
      rank->identity.rank);
  errno = EPERM;
  return -1;
}

}  // namespace

std::span<const Replacement> fork_calls() {
  static const std::array calls = {replace("fork", &fork_rank),
                                   replace("vfork", &taihu_vfork),
                                   replace("__register_atfork", &rank_register_atfork),
                                   replace("pthread_atfork", &rank_atfork),
                                   replace("forkpty", &rank_forkpty),
                                   replace("daemon", &rank_daemon)};
  return calls;
}

}  // namespace taihu::memory::libc
