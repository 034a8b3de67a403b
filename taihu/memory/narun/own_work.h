// SPDX-License-Identifier: Apache-2.0
// Marks what a thread allocates while it works for the preloaded library itself: that never becomes a large
// block.
#pragma once

namespace taihu::memory {

class OwnWork {
 public:
  OwnWork() noexcept : before_(active_) { active_ = true; }
  ~OwnWork() { active_ = before_; }
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

  static bool active() noexcept { return active_; }

 private:
  // Looked at by every malloc: must not need one itself.
  static inline thread_local bool active_ __attribute__((tls_model("initial-exec"))) = false;
  bool before_;
};

}  // namespace taihu::memory
