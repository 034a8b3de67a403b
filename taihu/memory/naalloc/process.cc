// SPDX-License-Identifier: Apache-2.0
// The allocator of this process: settings from the environment, the log they ask for, and its locks over
// fork().
#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "taihu/base/formatted.h"
#include "taihu/memory/naalloc/allocator.h"
#include "taihu/memory/naalloc/settings.h"

namespace taihu::memory {
namespace {

void write_line(void* file, const char* text) {
  static std::atomic<bool> told{false};
  if (fprintf(static_cast<FILE*>(file), "naalloc[%d]: %s\n", getpid(), text) >= 0 || told.exchange(true))
    return;
  fprintf(stderr, "naalloc: cannot write the log (%s); lines of it are missing\n", strerror(errno));
}

void open_log(Allocator& allocator, const EnvironmentSettings& environment) {
  if (environment.log.empty()) return;
  FILE* file = environment.log == "stderr" ? stderr : fopen(environment.log.c_str(), "ae");
  if (file == nullptr) {
    fprintf(stderr, "naalloc: cannot write the log NAALLOC_LOG=%s (%s); nothing is logged\n",
            one_line(environment.log).c_str(), strerror(errno));
    return;
  }
  setvbuf(file, nullptr, _IOLBF, 0);
  allocator.log().send_to(write_line, file);
  for (const std::string& problem : environment.problems) allocator.log().say("%s", problem.c_str());
}

Allocator* make_allocator() {
  // A set-uid program does not follow its user's environment.
  const EnvironmentSettings environment = read_settings(getauxval(AT_SECURE) == 0 ? environ : nullptr);
  auto* allocator = new Allocator(environment.settings, live_page_system());
  open_log(*allocator, environment);
  pthread_atfork([] { process_allocator().before_fork(); },
                 [] { process_allocator().after_fork_in_parent(); },
                 [] { process_allocator().after_fork_in_child(); });
  return allocator;
}

}  // namespace

Allocator& process_allocator() {
  static Allocator* const allocator = make_allocator();
  return *allocator;
}

}  // namespace taihu::memory
