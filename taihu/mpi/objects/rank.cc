// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/rank.h"

#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "taihu/memory/libc/other_job.h"
#include "taihu/memory/libc/rank_process.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/job.h"
#include "taihu/mpi/objects/predefined.h"
#include "taihu/mpi/objects/rank_names.h"

namespace taihu::mpi {
namespace {

// Contexts below the first allocated ones; two ranks' MPI_COMM_SELF may be the same, as they have no member
// in common.
constexpr message::Context world_context = contexts_per_communicator;
constexpr message::Context self_context = 2 * contexts_per_communicator;

/// Of the ranks that start with the job.
WorldOfRank first_world(const launch::Layout& layout) {
  WorldOfRank world;
  world.context = world_context;
  world.members.resize(static_cast<std::size_t>(layout.first_ranks()));
  std::iota(world.members.begin(), world.members.end(), 0);
  return world;
}

}  // namespace

Rank::Rank(memory::RankIdentity& identity, message::Endpoint& endpoint, NodeServices& services)
    : Rank(identity, endpoint, services, first_world(services.node.layout())) {}

Rank::Rank(memory::RankIdentity& identity, message::Endpoint& endpoint, NodeServices& services,
           const WorldOfRank& world, const RankHistory& before)
    : message_numbers(before.message_numbers),
      ports(before.ports),
      application(world.application),
      universe(job_parameters().universe != 0 ? job_parameters().universe
                                              : endpoint.node().layout().first_ranks()),
      identity_(identity),
      endpoint_(endpoint),
      services_(services),
      names_(layout().spare_ranks != 0 ? std::make_shared<RankNames>(layout().first_ranks()) : nullptr),
      allocated_(before.contexts) {
  const auto group_of = [this](const std::vector<int>& members) {
    return Reference<Group>(new Group(members, names_));
  };
  world_ = Reference<Communicator>(new Communicator(*this, world.context, group_of(world.members)));
  self_ = Reference<Communicator>(new Communicator(*this, self_context, group_of({identity.rank})));
  add_predefined_objects(*this);  // of which MPI_INFO_ENV tells the size of the world
  add_predefined(predefined, MPI_COMM_WORLD, *world_);
  add_predefined(predefined, MPI_COMM_SELF, *self_);
  world_->name.set("MPI_COMM_WORLD");
  self_->name.set("MPI_COMM_SELF");
  for (Communicator* communicator : {world_.get(), self_.get()})
    communicator->errors = Reference<ErrorHandler>::to(find<ErrorHandler>(MPI_ERRORS_ARE_FATAL));
  if (world.parents.empty()) return;
  parent = new Communicator(*this, world.parent_context, world_->group, group_of(world.parents));
  parent->errors = world_->errors;
  parent->name.set("MPI_COMM_PARENT");
}

Rank::~Rank() {
  for (auto& part : parts_) delete part.load();
  if (parent != nullptr) parent->release();
  // Communicators belong to their references, datatypes and operations to all ranks.
  for (Object* object : predefined) {
    if (object != nullptr &&
        (object->kind == Kind::group || object->kind == Kind::info || object->kind == Kind::error_handler))
      object->release();
  }
}

message::Context Rank::allocate_contexts() noexcept {
  // From 2^32 on: the number of the allocating rank, then that of the communicator.
  const std::uint64_t communicator = allocated_.fetch_add(1, std::memory_order_relaxed);
  return static_cast<message::Context>(((static_cast<std::uint64_t>(number()) + 1) << 40) +
                                       communicator * contexts_per_communicator);
}

void Rank::finish_parts() {
  for (auto& part : parts_) {
    if (RankPart* const found = part.load(std::memory_order_acquire)) found->finish(*this);
  }
}

std::vector<PendingCollective> Rank::pending_collectives() {
  std::vector<PendingCollective> pending;
  for (auto& part : parts_) {
    if (RankPart* const found = part.load(std::memory_order_acquire)) found->add_pending(pending);
  }
  return pending;
}

Rank& this_rank(const char* call) {
  Rank* const rank = current_rank();
  if (rank != nullptr) return *rank;
  memory::libc::refuse_in_child(call);
  memory::libc::refuse_in_other_job(call, "parallelc-node", "marun, which runs MPI programs");
  std::fprintf(stderr,
               "taihu: %s was called by a thread that belongs to no rank (only threads that a rank's program "
               "has started may call MPI)\n",
               call);
  std::abort();
}

void not_running(const char* call) {
  Rank& rank = this_rank(call);
  end_job(rank, 1,
          std::string(call) + (rank.phase == Rank::Phase::before ? " was called before MPI_Init"
                                                                 : " was called after MPI_Finalize"));
}

void end_job(Rank& rank, int code, const std::string& message) {
  // The caller's streams only: one of another rank may be locked by a read that never ends.
  if (rank.identity().process != nullptr) rank.identity().process->flush_streams();
  std::fprintf(stderr, "taihu: rank %d: %s\n", rank.number(), message.c_str());
  // An exit status has eight bits; a code whose low bits are zero must still count as a failure.
  rank.node().abort(code != 0 && (code & 0xff) == 0 ? 1 : code);
  __builtin_unreachable();  // gcc 12 does not see that a virtual function does not return
}

}  // namespace taihu::mpi
