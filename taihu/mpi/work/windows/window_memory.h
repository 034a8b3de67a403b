// SPDX-License-Identifier: Apache-2.0
// Memory that the library makes for windows: a rank's own, or a segment that all ranks of the window share.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "taihu/mpi/objects/communicator.h"

namespace taihu::mpi::windows {

/// Owns memory; movable.
class WindowMemory {
 public:
  WindowMemory() = default;
  /// `give_back` runs at the end.
  WindowMemory(std::byte* base, std::function<void()> give_back)
      : base_(base), give_back_(std::move(give_back)) {}
  WindowMemory(WindowMemory&& other) noexcept
      : base_(std::exchange(other.base_, nullptr)), give_back_(std::exchange(other.give_back_, nullptr)) {}
  WindowMemory& operator=(WindowMemory&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(give_back_, other.give_back_);
    return *this;
  }
  ~WindowMemory() {
    if (give_back_) give_back_();
  }

  std::byte* base() const noexcept { return base_; }

 private:
  std::byte* base_ = nullptr;
  std::function<void()> give_back_;
};

/// Of one rank, aligned to pages when it is large. Throws std::bad_alloc.
WindowMemory make_own_memory(std::size_t bytes);

/// Where the parts of a shared segment begin.
enum class Parts {
  contiguous,  ///< each directly behind that of the member before
  on_pages,    ///< each on a page of its own
};

/// My view of a segment that all members share: `base` of the memory is that of my part.
struct SharedSegment {
  WindowMemory memory;
  std::vector<std::byte*> parts;  ///< by member, at addresses of this node process
};

/// All members of `communicator` call, with the sizes of all members. They must run on one
/// operating-system node (error MPI_ERR_RMA_SHARED); its node processes map one object. The memory is zeroed.
/// Collective; MPI_ERR_NO_MEM at all members when one of them fails. The memory must stay until all members
/// have stopped using it.
SharedSegment make_shared_segment(Communicator& communicator, const std::vector<MPI_Aint>& sizes,
                                  Parts parts);

}  // namespace taihu::mpi::windows
