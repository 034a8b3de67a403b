// SPDX-License-Identifier: Apache-2.0
// Failures that all ranks learn of, so that none waits for one that has failed.
#pragma once

#include <new>
#include <string>

#include "taihu/base/error.h"
#include "taihu/parallel/communicator.h"

namespace taihu::parallel {

/// A failure that every rank throws at the same place: it need be told only once.
class SharedError : public Error {
 public:
  explicit SharedError(const std::string& text, bool wrong_use = false)
      : Error(text), wrong_use_(wrong_use) {}
  bool wrong_use() const noexcept { return wrong_use_; }  ///< it was a UsageError

 private:
  bool wrong_use_;
};

/// Throws SharedError when something does not hold that every rank finds alike.
inline void check_alike(bool holds, const std::string& text) {
  if (!holds) throw SharedError(text);
}

/// Throws SharedError on every rank when one of them has a problem: the text of the first that has.
/// Collective.
void throw_together(Communicator& ranks, const std::string& problem, bool wrong_use = false);

/// Runs `work` where `here` holds. What it throws on one rank is thrown as SharedError on every rank.
/// Collective.
template <typename Work>
void together(Communicator& ranks, bool here, const Work& work) {
  std::string problem;
  bool wrong_use = false;
  try {
    if (here) work();
  } catch (const UsageError& error) {
    problem = error.what();
    wrong_use = true;
  } catch (const std::bad_alloc&) {
    problem = "there is not enough memory";
  } catch (const std::exception& error) {
    problem = error.what();
  }
  throw_together(ranks, problem, wrong_use);
}

}  // namespace taihu::parallel
