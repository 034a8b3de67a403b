// SPDX-License-Identifier: Apache-2.0
// Windows: what one rank knows of a window and has under way on it. Memory of ranks of the same node process
// is used directly; what goes to other node processes is counted in `Target::pending` until it is answered.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "taihu/mpi/guarded.h"
#include "taihu/mpi/objects/communicator.h"
#include "taihu/mpi/work/windows/exposure.h"
#include "taihu/mpi/work/windows/window_hints.h"
#include "taihu/mpi/work/windows/window_memory.h"

namespace taihu::mpi::windows {

/// Whether this rank may access a target now, and what is to be given back at the end.
enum class TargetAccess : std::uint8_t { closed, started, shared, exclusive, unchecked };

/// A member of the window as this rank sees it.
struct Target {
  Exposure* exposure = nullptr;  ///< null: in another node process
  bool is_mapped = false;        ///< plain loads and stores at `base` reach it
  std::byte* base = nullptr;     ///< null in dynamic windows; an address of this node process if mapped
  MPI_Aint size_bytes = 0;
  MPI_Aint displacement_unit = 1;
  int process = -1;          ///< node process
  std::uint64_t remote = 0;  ///< address of the exposure, there
  std::atomic<TargetAccess> access{TargetAccess::closed};
  std::uint32_t posts_used = 0;           ///< of exposure epochs that my access epochs have matched
  std::atomic<std::uint32_t> pending{0};  ///< calls of its node process that are not answered
  std::atomic<std::uint32_t> awaited{0};  ///< those of them that bring data
};

/// What kind of access epoch a rank is in. `fence_possible`: after a fence, nothing accessed yet, so that
/// another kind of epoch may begin instead.
enum class Access : std::uint8_t { none, fence_possible, fence, started, locks, lock_all };

struct Window final : Object {
  static constexpr Kind object_kind = Kind::window;

  /// `communicator`: the window's own.
  Window(Rank& rank, Reference<Communicator> communicator, int flavor);
  ~Window() override;

  int size() const noexcept { return communicator->size(); }
  message::Endpoint& endpoint() noexcept { return owner.endpoint(); }
  bool is_dynamic() const noexcept { return flavor == MPI_WIN_FLAVOR_DYNAMIC; }

  Rank& owner;
  const Reference<Communicator> communicator;
  const int flavor;
  const int model = MPI_WIN_UNIFIED;
  WindowMemory memory;  ///< that the library has made for it
  Exposure exposure;    ///< my own part
  const std::unique_ptr<Target[]> targets;

  // Attributes that the standard predefines; the values that MPI_Win_get_attr points to.
  MPI_Aint size_bytes = 0;
  int displacement_unit = 1;  ///< of a unit beyond int: its lowest bits

  Reference<ErrorHandler> errors;
  Guarded<std::string> name;
  Guarded<WindowHints> hints;

  // The access epoch; changed under epoch_lock, since threads of the rank may lock several targets at once.
  message::SpinLock epoch_lock;
  std::atomic<Access> access{Access::none};
  std::atomic<bool> open_to_all{false};  ///< every target may be accessed without a look at it
  bool lock_all_unchecked = false;       ///< MPI_MODE_NOCHECK
  int locks = 0;                         ///< targets locked one by one (MPI_PROC_NULL included)
  std::vector<int> opened;               ///< started, or locked under MPI_Win_lock_all

  // The exposure epoch of MPI_Win_post.
  bool posted = false;
  std::uint64_t completions_expected = 0;

  // Calls of other node processes under way, all targets together.
  std::atomic<std::uint32_t> pending{0};
  std::atomic<std::uint64_t> pending_bytes{0};
  std::atomic<int> remote_error{MPI_SUCCESS};  ///< the first that came back since it was last reported
  std::atomic<std::uint32_t> idle_turns{0};
};

}  // namespace taihu::mpi::windows
