// SPDX-License-Identifier: Apache-2.0
// `--tag-output`: every line that a rank prints through C's stdout or stderr starts with "[rank] ".
//
// The ranks of a node process share one stdout object, so it is replaced by an unbuffered stream whose write
// function runs on the printing thread, asks which rank that is, collects the rank's text and passes on whole
// lines. Text that goes around stdio (the write system call, C++ streams, Fortran units) is not tagged.
#pragma once

#include <cstdio>
#include <memory>

namespace taihu::launch {

/// Replaces stdout and stderr while it lives. One at a time; made before and destroyed after the ranks run.
class TaggedOutput {
 public:
  /// Throws Error when the C library has no memory for it.
  TaggedOutput();
  ~TaggedOutput();
  TaggedOutput(const TaggedOutput&) = delete;
  TaggedOutput& operator=(const TaggedOutput&) = delete;

  /// Prints the lines that ranks began and did not end. Any thread may call.
  void flush();

 private:
  class Stream;
  std::unique_ptr<Stream> out_, err_;
};

}  // namespace taihu::launch
