// SPDX-License-Identifier: Apache-2.0
// Memory that the node processes of one machine share: each makes one segment, with a region for every other
// one to write to.
//
// A segment is a memfd, which has no name in any file system, so nothing is left behind however the job ends.
// The others open it by /proc/<pid>/fd/<number>. Whether a process is on this machine is not believed but
// tried: the boot id says which ones are worth a try; only if what was opened holds the random token that its
// owner has told is it the right one (process numbers mean something else in another container). Two
// processes share memory only if both have opened the other's segment.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "taihu/message/link.h"

namespace taihu::message {

/// What the user allows (TAIHU_SHARED_MEMORY).
enum class SharedMemory : std::uint8_t {
  off,   ///< the MPI library carries everything
  copy,  ///< shared memory, in two copies always
  full,  ///< and long data in one copy, where the kernel permits that
};

/// `text` may be null. Throws Error naming the variable when it is not "off", "copy" or "on".
SharedMemory shared_memory_wanted(const char* text);

class MachineMemory {
 public:
  /// All processes of the job call, with the same `region_bytes`; blocks. `region_bytes(n)`: of each region
  /// when n processes share this machine.
  MachineMemory(Link& way_to_all, SharedMemory wanted, std::size_t (*region_bytes)(int processes));
  ~MachineMemory();
  MachineMemory(const MachineMemory&) = delete;
  MachineMemory& operator=(const MachineMemory&) = delete;

  /// How many processes of the job are, as far as they say, on this machine, this one included.
  int on_machine() const noexcept { return static_cast<int>(members_.size()); }

  struct Neighbour {
    int process;
    pid_t pid;
    std::byte* incoming;  ///< it writes there
    std::byte* outgoing;  ///< it reads there
    bool may_read;        ///< this process may read its memory
    bool may_be_read;     ///< and it this one's
  };
  /// Those that share memory with this process.
  const std::vector<Neighbour>& neighbours() const noexcept { return neighbours_; }

 private:
  struct Mapping;
  struct Seen;

  void make_segment();
  std::string introduction() const;
  Seen look_at(const std::string& introduction);

  std::size_t region_bytes_ = 0;
  std::vector<int> members_;  // processes on this machine
  std::size_t own_place_ = 0;
  std::unique_ptr<Mapping> segment_;
  int file_ = -1;
  std::uint64_t token_[2] = {0, 0};
  std::vector<std::unique_ptr<Mapping>> mappings_;
  std::vector<Neighbour> neighbours_;
};

}  // namespace taihu::message
