// SPDX-License-Identifier: Apache-2.0
// Time spent in the steps of set-up and of the cycle, for reports. A step counts without the steps inside it.
#pragma once

#include <string>
#include <vector>

#include "taihu/base/clock.h"

namespace taihu::amg {

class Profile {
 public:
  struct Step {
    const char* name;
    std::int64_t ns;
    std::int64_t calls;
  };

  /// Makes `name`, a string that lives on, the current step; returns the one before. One thread only.
  const char* enter(const char* name) {
    const std::int64_t now = now_ns();
    if (current_ != nullptr) step(current_).ns += now - since_;
    since_ = now;
    const char* before = current_;
    current_ = name;
    return before;
  }
  void count(const char* name) { ++step(name).calls; }

  /// In order of first use.
  const std::vector<Step>& steps() const { return steps_; }

 private:
  Step& step(const char* name) {
    for (Step& step : steps_)
      if (step.name == name) return step;
    return steps_.emplace_back(Step{name, 0, 0});
  }

  std::vector<Step> steps_;
  const char* current_ = nullptr;
  std::int64_t since_ = 0;
};

/// Counts its life time for the named step of a profile, if there is one.
class Timed {
 public:
  Timed(Profile* profile, const char* name) : profile_(profile) {
    if (profile_ == nullptr) return;
    before_ = profile_->enter(name);
    profile_->count(name);
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  ~Timed() {
    if (profile_ != nullptr) profile_->enter(before_);
  }

 private:
  Profile* profile_;
  const char* before_ = nullptr;
};

}  // namespace taihu::amg
