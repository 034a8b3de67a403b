// SPDX-License-Identifier: Apache-2.0
// Locks on ranges of a file, for atomic mode: among the ranks of a node process by a list in memory, among
// node processes by the kernel's locks on open file descriptions (F_OFD_SETLKW), which the ranks of a node
// process share. A holder does system calls on the file and nothing else, and holds one range, so waiting
// needs no progress of messages and cannot end in a deadlock.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>

namespace taihu::mpi::files {

class RangeLocks {
 public:
  /// A held range; ends with its life.
  class Hold {
   public:
    /// Waits for [first, end). With `among_processes` locks it in the kernel too; throws the errno value of
    /// a failure there.
    Hold(RangeLocks& locks, int descriptor, std::int64_t first, std::int64_t end, bool among_processes);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    void leave() noexcept;

    struct Range {
      std::int64_t first, end;
    };
    friend class RangeLocks;
    RangeLocks& locks_;
    int descriptor_;
    bool among_processes_;
    std::list<Range>::iterator range_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Hold::Range> held_;
};

}  // namespace taihu::mpi::files
