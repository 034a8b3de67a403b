// SPDX-License-Identifier: Apache-2.0
// Several threads at once, for tests.
#pragma once

#include <functional>
#include <thread>
#include <vector>

namespace taihu::threads {

/// Calls body(0) .. body(count - 1) on a thread each and waits for all.
inline void on_threads(int count, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace taihu::threads
