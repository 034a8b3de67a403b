// SPDX-License-Identifier: Apache-2.0
// The allocator's log: one line of text for each event, to whom it may concern. Does not allocate.
#pragma once

#include <atomic>
#include <mutex>

namespace taihu::memory {

class Log {
 public:
  using Line = void (*)(void* user, const char* text);

  /// Null ends it. No line is on its way to the old receiver when this returns.
  void send_to(Line line, void* user);
  /// Whether anybody listens: events that are costly to describe ask first.
  bool on() const noexcept { return line_.load(std::memory_order_relaxed) != nullptr; }
  /// Longer lines are cut at 500 bytes.
  [[gnu::format(printf, 2, 3)]] void say(const char* format, ...);

  std::mutex& mutex() noexcept { return mutex_; }  ///< held over fork()

 private:
  std::mutex mutex_;
  std::atomic<Line> line_ = nullptr;  ///< changes under mutex_
  void* user_ = nullptr;
};

}  // namespace taihu::memory
