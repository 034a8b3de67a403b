// SPDX-License-Identifier: Apache-2.0
// Communicators: a group (between communicators: two), and contexts that keep their messages apart.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "taihu/collective/group.h"
#include "taihu/message/endpoint.h"
#include "taihu/mpi/guarded.h"
#include "taihu/mpi/object.h"
#include "taihu/mpi/objects/error_handler.h"
#include "taihu/mpi/objects/group.h"
#include "taihu/mpi/objects/session.h"

namespace taihu::mpi {

class Rank;
struct Info;

/// Contexts of one communicator, relative to Communicator::context. What kind of traffic never meets another.
enum class Traffic : int {
  point_to_point = 0,
  collectives = 1,  ///< of collective::GroupHandle
  schedules = 2,    ///< non-blocking and other collectives made of messages
  management = 3,   ///< making communicators, windows and files
  groups = 4,       ///< MPI_Comm_create_group
  peers = 5,        ///< of the leaders in MPI_Intercomm_create
  partitioned = 6,  ///< announcements of partitioned sends; their data have contexts of their own
  inside = 7,       ///< collectives that are no calls of the program (communicators/inside.h)
};
inline constexpr int contexts_per_communicator = 8;

/// A process topology; exactly one of the kinds.
struct Topology {
  int kind = MPI_UNDEFINED;  ///< MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH
  // MPI_CART, by dimension:
  std::vector<int> dimensions, periods;
  // MPI_GRAPH, as given to MPI_Graph_create:
  std::vector<int> index, edges;
  // MPI_DIST_GRAPH, of this rank; MPI_GRAPH and MPI_CART too, in the order that neighbourhood collectives use
  // (MPI_PROC_NULL at the edges of a grid):
  std::vector<int> sources, destinations;
  std::vector<int> source_weights, destination_weights;  ///< empty: unweighted
  bool weighted = false;
};

struct Communicator final : Object {
  static constexpr Kind object_kind = Kind::communicator;

  /// `remote` is null for an intracommunicator. Local; agreement on the contexts is the caller's business
  /// (make_communicator.h).
  Communicator(Rank& owner, message::Context contexts, Reference<Group> local, Reference<Group> remote = {});
  ~Communicator() override;

  int size() const noexcept { return group->size(); }
  bool is_inter() const noexcept { return static_cast<bool>(remote_group); }
  /// An intracommunicator of the caller alone.
  bool has_one_member() const noexcept { return size() == 1 && !is_inter(); }
  /// Whom ranks given to point-to-point calls mean.
  const Group& partners() const noexcept { return is_inter() ? *remote_group : *group; }
  message::Context context_of(Traffic traffic) const noexcept {
    return context + static_cast<message::Context>(traffic);
  }
  /// My part in the shared-memory and hierarchical collectives; joined at first use. Intracommunicators only.
  collective::GroupHandle& collectives();
  /// The same for what no collective of the program may meet: making communicators, MPI_Finalize and the
  /// like.
  collective::GroupHandle& collectives_inside();
  /// Tag of the next collective made of messages: equal on all members, since all call in the same order.
  int next_schedule_tag() noexcept { return static_cast<int>(schedule_count++ & 0x3fffffff); }

  Rank& owner;
  /// Constant, but MPI_Comm_idup only learns it later; the communicator is not used before.
  message::Context context;
  const Reference<Group> group;
  const Reference<Group> remote_group;
  const int rank;  ///< my member number in `group`
  Reference<ErrorHandler> errors;
  Guarded<std::string> name;
  Guarded<std::map<std::string, std::string>> hints;  ///< of MPI_Comm_set_info
  std::unique_ptr<Topology> topology;
  Reference<Session> session;               ///< that it comes from; null: from MPI_COMM_WORLD
  std::shared_ptr<SendBuffer> send_buffer;  ///< guarded by the rank's buffered sends; null: none attached
  std::uint64_t schedule_count = 0;
  std::uint64_t traced = 0;  ///< collectives so far, when they are traced
  /// Number of the next blocking collective of the program, for reports, in jobs of several node processes.
  /// 0: not known any more, since one has failed, and who was refused takes no part in it.
  std::uint64_t next_collective = 1;

 private:
  collective::GroupHandle& joined(std::optional<collective::GroupHandle>& handle, Traffic traffic);

  std::optional<collective::GroupHandle> collectives_, collectives_inside_;
};

}  // namespace taihu::mpi
