// SPDX-License-Identifier: Apache-2.0
// Real processes for tests, made by fork, and a link between them that can do nothing but exchange texts: all
// else has to go by shared memory.
#pragma once

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "taihu/message/link.h"

namespace taihu::message {

/// What the processes of a test share in addition to the memory under test. In a mapping that fork shares.
struct ForkedHub {
  static constexpr int most_processes = 8;
  static constexpr std::size_t most_text = 4096;
  int processes = 0;
  std::atomic<int> waiting{0};
  std::atomic<int> generation{0};
  std::atomic<int> signal{0};  ///< for the test's own use
  char texts[most_processes][most_text] = {};
};

class ForkedLink final : public Link {
 public:
  ForkedLink(ForkedHub& hub, int process) : hub_(hub), process_(process) {}
  int process() const override { return process_; }
  int processes() const override { return hub_.processes; }
  std::string library() const override { return "none"; }
  int tag_limit() const override { return 32767; }
  std::size_t unasked_bytes(int /*process*/) const override { return 4000; }
  bool send_envelope(int, const void*, std::size_t, const Data&) override { misused(); }
  bool has_room(int, std::size_t) override { misused(); }
  bool read(EnvelopeReader&, int) override { misused(); }
  bool is_quiet() override { return true; }
  LinkRequest* send(int, int, const void*, std::size_t) override { misused(); }
  LinkRequest* receive(int, int, void*, std::size_t) override { misused(); }
  bool test(LinkRequest*) override { misused(); }
  void cancel(LinkRequest*) override { misused(); }

  std::vector<std::string> allgather(const std::string& mine) override {
    std::snprintf(hub_.texts[process_], ForkedHub::most_text, "%s", mine.c_str());
    barrier();
    std::vector<std::string> all;
    for (int process = 0; process < hub_.processes; ++process) all.emplace_back(hub_.texts[process]);
    barrier();
    return all;
  }
  void barrier() override {
    const int mine = hub_.generation.load();
    if (hub_.waiting.fetch_add(1) + 1 == hub_.processes) {
      hub_.waiting.store(0);
      hub_.generation.fetch_add(1);
    }
    while (hub_.generation.load() == mine) sched_yield();
  }
  [[noreturn]] void abort(int exit_code) override { std::_Exit(exit_code); }

 private:
  [[noreturn]] static void misused() {
    std::fprintf(stderr, "a transfer went to the link that cannot carry any\n");
    std::_Exit(3);
  }
  ForkedHub& hub_;
  const int process_;
};

/// Runs `program(hub, process)` in `processes` forked processes; each ends with what it returns. Their wait
/// statuses.
inline std::vector<int> run_forked(int processes, const std::function<int(ForkedHub&, int)>& program) {
  void* const place =
      mmap(nullptr, sizeof(ForkedHub), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const hub = new (place) ForkedHub;
  hub->processes = processes;
  std::fflush(nullptr);
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      std::_Exit(program(*hub, process));
    }
    children.push_back(child);
  }
  std::vector<int> statuses;
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    statuses.push_back(status);
  }
  munmap(place, sizeof(ForkedHub));
  return statuses;
}

}  // namespace taihu::message
