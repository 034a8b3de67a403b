// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/bindings/node_process.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "taihu/base/error.h"
#include "taihu/mpi/bindings/mpich_abi/names.h"
#include "taihu/mpi/bindings/open_mpi_abi/names.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/diagnostics/collective_trace.h"
#include "taihu/mpi/objects/diagnostics/viewer_trace.h"
#include "taihu/mpi/objects/dropped_counts.h"
#include "taihu/mpi/objects/job.h"
#include "taihu/mpi/objects/rank_names.h"

namespace taihu::mpi {
namespace {

/// Whether `library` (a name such as libmpi.so.40) brings MPI_ calls of another implementation.
bool is_other_mpi(std::string_view library) {
  const std::string_view name = library.substr(library.rfind('/') + 1);
  if (mpich::is_library(name) || open_mpi::is_library(name)) return false;
  const std::string_view stem = name.substr(0, name.find(".so"));
  return stem == "libmpi" || stem == "libmpich";
}

/// TAIHU_TRACE_CALLS.
std::size_t calls_to_trace() {
  const char* const text = std::getenv("TAIHU_TRACE_CALLS");
  if (text == nullptr || *text == '\0') return 1'000'000;
  std::size_t calls = 0;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, calls);
  check_input(
      error == std::errc() && stop == end && calls > 0,
      std::string("TAIHU_TRACE_CALLS=") + text + " is not a number of calls; leave it out for 1000000");
  return calls;
}

/// Whether the rank uses MPI no more: neither it nor the groups that it has left behind count.
bool has_left(const Rank& rank) {
  const Rank::Phase phase = rank.phase;
  return (phase == Rank::Phase::finished || phase == Rank::Phase::ended) && rank.sessions == 0;
}

}  // namespace

void Mpi::check(const memory::ImageTemplate& program) {
  for (const auto& object : program.objects()) {
    for (const std::string& needed : object->needed()) {
      check_input(!is_other_mpi(needed),
                  object->path() + " was linked to another MPI library (" + needed +
                      "), which cannot run in ranks that are threads; build it with macc, mac++ or mafc");
    }
  }
}

void Mpi::prepare(const node::Preparation& preparation, std::span<memory::RankIdentity> ranks) {
  set_job_parameters(preparation.job);
  observe_calls(preparation.job.stats,
                !preparation.job.trace_collectives.empty() || !preparation.job.trace.empty());
  const int ranks_at_start = preparation.node.layout().first_ranks();
  if (!preparation.job.trace_collectives.empty()) trace_collectives(calls_to_trace(), ranks_at_start);
  if (!preparation.job.trace.empty()) trace_calls(calls_to_trace(), ranks_at_start);
  services_ = std::make_unique<NodeServices>(preparation.node);
  message::Node& node = preparation.node;
  const launch::Layout& layout = node.layout();
  has_spares_ = layout.spare_ranks != 0;
  node_ = &node;
  identities_ = ranks;
  ranks_.resize(ranks.size());
  first_ranks_running_ = node.local_ranks();
  for (memory::RankIdentity& identity : ranks)
    if (identity.rank < layout.first_ranks())
      add(identity.local_index,
          std::make_unique<Rank>(identity, node.endpoint(identity.local_index), *services_));
  if (node.process() == layout.processes - 1)
    job_service_ = std::make_unique<JobService>(node, preparation.spares, *this);
  else
    serve_names(node, *this);
}

Rank& Mpi::add(int local_index, std::unique_ptr<Rank> rank) {
  const std::lock_guard hold(lock_);
  const auto index = static_cast<std::size_t>(local_index);
  ranks_[index] = std::move(rank);
  identities_[index].runtime = ranks_[index].get();
  return *ranks_[index];
}

Rank& Mpi::make(int local_index, const WorldOfRank& world) {
  RankHistory before;
  {
    const std::lock_guard hold(lock_);
    if (const auto found = histories_.find(local_index); found != histories_.end()) before = found->second;
  }
  node_->add_rank(local_index);
  memory::RankIdentity& identity = identities_[static_cast<std::size_t>(local_index)];
  try {
    return add(local_index,
               std::make_unique<Rank>(identity, node_->endpoint(local_index), *services_, world, before));
  } catch (...) {
    node_->remove_rank(local_index);
    throw;
  }
}

bool Mpi::forget(int local_index) {
  const auto index = static_cast<std::size_t>(local_index);
  std::shared_ptr<Rank> rank;
  {
    const std::lock_guard hold(lock_);
    rank = ranks_[index];
  }
  const bool is_over = has_left(*rank);
  if (!node_->remove_rank(local_index) || !is_over) return false;
  const std::lock_guard hold(lock_);
  drop_counts_of(rank->number());
  histories_[local_index] = rank->history();
  identities_[index].runtime = nullptr;
  ranks_[index].reset();
  return true;
}

std::set<int> Mpi::named() {
  std::set<int> all;
  const std::lock_guard hold(lock_);
  for (const auto& rank : ranks_)
    if (rank != nullptr && rank->names() != nullptr && !has_left(*rank)) rank->names()->add_to(all);
  return all;
}

/// Calls `use` with the ranks that have started and are not forgotten, which stay for that time.
template <class Use>
auto Mpi::with_running(Use&& use) {
  std::vector<std::shared_ptr<Rank>> kept;
  {
    const std::lock_guard hold(lock_);
    kept = ranks_;
  }
  std::vector<Rank*> ranks;
  for (const auto& rank : kept)
    if (rank != nullptr) ranks.push_back(rank.get());
  return use(ranks);
}

void Mpi::all_loaded(message::Node& node) {
  // In one node process calls that contradict each other are told by the board of the group.
  if (job_parameters().deadlock_timeout_seconds <= 0 && node.layout().processes == 1) return;
  watch_ = std::make_unique<node::DeadlockWatch>(
      node, job_parameters().deadlock_timeout_seconds,
      node::DeadlockWatch::Questions{.look = [this] { return with_running(look_at); },
                                     .report = [this] { return with_running(waiting_ranks); },
                                     .calls = [this] { return with_running(pending_collectives); },
                                     .contradiction = contradiction});
}

int Mpi::ended(memory::RankIdentity& identity, int status) {
  Rank& rank = *static_cast<Rank*>(identity.runtime);
  if (status == 0 && rank.phase == Rank::Phase::running)
    end_job(rank, 1, "ended without MPI_Finalize after MPI_Init; ending the job");
  if (status == 0 && rank.left_to_the_end != nullptr) {
    memory::set_current_rank(&identity);  // which the thread is no more
    rank.left_to_the_end(rank);
    memory::set_current_rank(nullptr);
  }
  if (status == 0 && rank.sessions.load() != 0)
    end_job(rank, 1, "ended without MPI_Session_finalize after MPI_Session_init; ending the job");
  if (status == 0 && (trace_lost(rank) || viewer_trace_lost(rank))) return 1;
  if (status == 0 && rank.phase == Rank::Phase::before) rank.phase = Rank::Phase::ended;
  if (status != 0 || !has_spares_) return status;
  if (job_service_ != nullptr) {
    job_service_->rank_ended();
  } else if (--first_ranks_running_ == 0) {
    tell_process_ended(rank.node());
  }
  return 0;
}

}  // namespace taihu::mpi
