// SPDX-License-Identifier: Apache-2.0
// What MPI keeps for each rank, and how a call finds it.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "taihu/collective/group.h"
#include "taihu/launch/layout.h"
#include "taihu/memory/current_rank.h"
#include "taihu/message/endpoint.h"
#include "taihu/mpi/error.h"
#include "taihu/mpi/object.h"
#include "taihu/mpi/objects/communicator.h"
#include "taihu/mpi/objects/operations/reduction_text.h"
#include "taihu/mpi/objects/pending_collective.h"

namespace taihu::mpi {

/// What the ranks of a node process share.
struct NodeServices {
  message::Node& node;
  collective::Groups groups;
  explicit NodeServices(message::Node& of) : node(of), groups(of) { groups.name_reductions(reduction_text); }
};

/// What MPI_COMM_WORLD is to a rank that others have spawned, and who they are.
struct WorldOfRank {
  message::Context context = 0;
  std::vector<int> members;  ///< ranks of the job
  int application = 0;       ///< MPI_APPNUM
  message::Context parent_context = 0;
  std::vector<int> parents;  ///< ranks of the job; empty: not spawned
};

/// What those that have had the number of a rank before leave to it: contexts and ports never have the same
/// names again.
struct RankHistory {
  std::uint64_t contexts = 0, message_numbers = 1;
  int ports = 0;
};

/// Parts of the library that keep something for each rank; each is made by its owner at first use
/// (Rank::part).
class RankPart {
 public:
  virtual ~RankPart() = default;
  /// MPI_Finalize is about to wait for the other ranks: complete what the program has left to the library.
  virtual void finish(Rank&) {}
  /// Adds what the rank has begun in the background. Any thread.
  virtual void add_pending(std::vector<PendingCollective>&) {}
};
enum class Part : int {
  abandoned,
  attributes,
  handles,
  buffered_sends,
  schedules,
  windows,
  files,
  fortran,
  errors,
  tools,
  diagnostics,
  complete_request,
  ports,
  foreign_handles,
  foreign_places,
  viewer_trace,
  exchanges,
  count
};

/// One per rank, from before its program starts until the node process ends.
class Rank {
 public:
  /// A rank that starts with the job.
  Rank(memory::RankIdentity& identity, message::Endpoint& endpoint, NodeServices& services);
  /// A spawned one.
  Rank(memory::RankIdentity& identity, message::Endpoint& endpoint, NodeServices& services,
       const WorldOfRank& world, const RankHistory& before = {});
  ~Rank();

  int number() const noexcept { return identity_.rank; }  ///< in the job; in MPI_COMM_WORLD unless spawned
  memory::RankIdentity& identity() noexcept { return identity_; }
  message::Endpoint& endpoint() noexcept { return endpoint_; }
  message::Node& node() noexcept { return services_.node; }
  const launch::Layout& layout() noexcept { return services_.node.layout(); }
  NodeServices& services() noexcept { return services_; }
  /// Whether a rank of the job is in this node process.
  bool is_inside(int job_rank) noexcept { return layout().process_of(job_rank) == node().process(); }

  /// `ended`: its program has ended, or never ran, without MPI_Init.
  enum class Phase { before, running, finished, ended };
  std::atomic<Phase> phase{Phase::before};  ///< of MPI_COMM_WORLD
  std::atomic<int> sessions{0};  ///< open ones: while there are any, MPI may be used without MPI_Init
  std::atomic<std::uint64_t> message_numbers{1};  ///< next one, where calls are traced
  std::atomic<int> ports{0};                      ///< that it has opened so far
  /// What MPI_Finalize has left to do when the program has ended with exit code 0; null: nothing.
  void (*left_to_the_end)(Rank&) = nullptr;
  pthread_t main_thread{};  ///< that called MPI_Init or MPI_Session_init first

  RankHistory history() const noexcept { return {allocated_, message_numbers, ports}; }
  /// Of spawned ranks, in its groups; null in jobs without them. Stays as long as somebody holds it.
  const std::shared_ptr<RankNames>& names() const noexcept { return names_; }

  PredefinedObjects predefined{};
  Communicator& world() noexcept { return *world_; }
  Communicator& self() noexcept { return *self_; }
  int application = 0;             ///< MPI_APPNUM
  int universe = 0;                ///< MPI_UNIVERSE_SIZE
  Communicator* parent = nullptr;  ///< owns it until the program frees it; null: not spawned, or freed
  template <class T, class Handle>
  T* find(Handle handle) const noexcept {
    return object_of<T>(predefined, handle);
  }

  /// Contexts for a new communicator, different from all others of the job. Some member of it calls and tells
  /// the other members. Any thread.
  message::Context allocate_contexts() noexcept;

  /// The rank's instance of a part; any thread.
  template <class T>
  T& part(Part which) {
    std::atomic<RankPart*>& slot = parts_[static_cast<int>(which)];
    RankPart* found = slot.load(std::memory_order_acquire);
    if (found == nullptr) {
      const std::lock_guard hold(parts_lock_);
      found = slot.load(std::memory_order_acquire);
      if (found == nullptr) slot.store(found = new T(*this), std::memory_order_release);
    }
    return *static_cast<T*>(found);
  }

  /// Calls `finish` of all parts there are.
  void finish_parts();
  /// Collectives in the background that have not ended. Any thread.
  std::vector<PendingCollective> pending_collectives();

 private:
  memory::RankIdentity& identity_;
  message::Endpoint& endpoint_;
  NodeServices& services_;
  const std::shared_ptr<RankNames> names_;
  Reference<Communicator> world_, self_;
  std::atomic<std::uint64_t> allocated_{0};
  std::mutex parts_lock_;
  std::atomic<RankPart*> parts_[static_cast<int>(Part::count)]{};
};

/// The caller's rank, or null on a thread that belongs to none.
inline Rank* current_rank() noexcept {
  const memory::RankIdentity* identity = memory::current_rank();
  return identity != nullptr ? static_cast<Rank*>(identity->runtime) : nullptr;
}

/// The caller's rank; ends the job with a message naming `call` when there is none.
Rank& this_rank(const char* call);
/// The same between MPI_Init and MPI_Finalize, and while a session is open, only.
inline Rank& running_rank(const char* call);
[[noreturn]] void not_running(const char* call);

inline Rank& running_rank(const char* call) {
  Rank* const rank = current_rank();
  if (rank == nullptr || (rank->phase.load(std::memory_order_relaxed) != Rank::Phase::running &&
                          rank->sessions.load(std::memory_order_relaxed) == 0)) [[unlikely]]
    not_running(call);
  return *rank;
}

}  // namespace taihu::mpi
