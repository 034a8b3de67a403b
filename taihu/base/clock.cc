// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/clock.h"

#include <ctime>

namespace taihu {

std::int64_t now_ns() noexcept {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace taihu
