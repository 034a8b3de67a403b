// SPDX-License-Identifier: Apache-2.0
// The stack of a rank's first thread, which is the only stack that a process begins with: interpreters (R)
// and collectors of garbage compare addresses with __libc_stack_end and the limit that getrlimit tells.
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>

#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory {
namespace {

struct Stack {
  char* begin;
  std::size_t bytes;
};

Stack stack_of(pthread_t thread) {
  pthread_attr_t attributes;
  Stack stack{nullptr, 0};
  if (pthread_getattr_np(thread, &attributes) != 0) return stack;
  void* begin = nullptr;
  if (pthread_attr_getstack(&attributes, &begin, &stack.bytes) == 0) stack.begin = static_cast<char*>(begin);
  pthread_attr_destroy(&attributes);
  return stack;
}

}  // namespace

void* RankProcess::find_stack_end() {
  const Stack stack = stack_of(pthread_self());
  return stack.begin + stack.bytes;
}

namespace libc {
namespace {

// `Limits`: rlimit or rlimit64.
template <auto libc_call, typename Limits>
int rank_getrlimit(__rlimit_resource_t resource, Limits* limits) {
  const int result = libc_call(resource, limits);
  const RankProcess* const rank = self();
  if (result != 0 || rank == nullptr || resource != RLIMIT_STACK) return result;
  // Not above the hard limit: programs give what they got to setrlimit.
  if (const std::size_t bytes = stack_of(rank->first_thread).bytes; bytes != 0)
    limits->rlim_cur = std::min<decltype(limits->rlim_cur)>(bytes, limits->rlim_max);
  return result;
}

}  // namespace

std::span<const Replacement> stack_calls() {
  static const std::array calls = {replace("getrlimit", &rank_getrlimit<&::getrlimit, rlimit>),
                                   replace("getrlimit64", &rank_getrlimit<&::getrlimit64, rlimit64>)};
  return calls;
}

}  // namespace libc
}  // namespace taihu::memory
