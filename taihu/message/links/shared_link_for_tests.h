// SPDX-License-Identifier: Apache-2.0
// What tests of the link by shared memory between forked processes have in common.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
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

}  // namespace taihu::message
