// SPDX-License-Identifier: Apache-2.0
// What tests of the link by shared memory between forked processes have in common.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "taihu/message/links/forked_job_for_tests.h"
#include "taihu/message/links/shared_link.h"

namespace taihu::message {

inline int failed(const std::string& problem) {
  std::fprintf(stderr, "%s\n", problem.c_str());
  return 1;
}

inline bool send_number(Link& link, int process, int number, std::size_t bytes = 0) {
  const std::vector<std::byte> payload(bytes);
  return link.send_envelope(process, &number, sizeof number, {payload.data(), payload.size()});
}

inline std::unique_ptr<Link> shared(ForkedHub& hub, int process, SharedMemory wanted = SharedMemory::full) {
  return share_memory(std::make_unique<ForkedLink>(hub, process), wanted);
}

/// Keeps what comes; a number in each.
class Kept final : public EnvelopeReader {
 public:
  std::vector<std::pair<int, std::size_t>> numbers;
  void envelope(int, const std::byte* head, const std::byte*, std::size_t bytes) override {
    int number = -1;
    std::memcpy(&number, head, sizeof number);
    numbers.emplace_back(number, bytes);
  }
};

inline bool wait_for(Link& link, Kept& kept, std::size_t envelopes) {
  for (long look = 0; look < 100'000'000 && kept.numbers.size() < envelopes; ++look)
    (void)link.read(kept, 64);
  return kept.numbers.size() == envelopes;
}

inline bool complete(Link& link, Kept& kept, LinkRequest* request) {
  for (long look = 0; look < 100'000'000; ++look) {
    if (link.test(request)) return true;
    (void)link.read(kept, 64);
  }
  return false;
}

inline bool can_read_memory() {
  const std::vector<int> statuses = run_forked(2, [](ForkedHub& hub, int process) {
    return shared(hub, process)->way_on_machine().find("one copy") == std::string::npos ? 1 : 0;
  });
  return statuses == std::vector<int>{0, 0};
}

}  // namespace taihu::message
