// SPDX-License-Identifier: Apache-2.0
// The part of a simulation that depends on the domains: what a rank scores in and owns, and how that changes
// when domains move. They move between batches, when the bins of a batch are empty. Only statistics go to
// other ranks then; sources are on the ranks of their histories, wherever the domains are.
#include <malloc.h>

#include <algorithm>
#include <memory>

#include "taihu/base/clock.h"
#include "taihu/neutron/tally/move_statistics.h"
#include "taihu/neutron/transport/simulation.h"

/// Of libtaihu_heap.so (memory/heap/process.cc).
extern "C" [[gnu::weak]] void taihu_heap_report();

namespace taihu::neutron {

namespace {

/// New arrays have other lengths than those that were freed: they need not fit there, and a process would
/// have both. For Taihu's heap, which keeps what is freed. The C library's function must not be called where
/// another malloc stands in for its own: it fails when the thread ends.
void give_back_freed_memory() {
  if (taihu_heap_report != nullptr) malloc_trim(0);
}

}  // namespace
namespace {

/// From this number of bins on, threads share the bins, which have marks (bin_marks.h). Below it, each thread
/// has its own, at most 1 MiB.
constexpr std::int64_t bins_to_share = 1 << 16;

/// From this number of bins on, the memory of tallies counts: domains with little work do not become as large
/// as they could. The ranks' shares of the work are then at most a third above the mean, and those of the
/// bins at most four times the mean.
constexpr std::int64_t bins_to_spare = 1'000'000;
constexpr double even_part_of_work = 0.25;

}  // namespace

/// Gives this rank its part of space and its bins, which are empty.
void Simulation::settle() {
  if (domains_) {
    box_ = domains_->box(domains_->domain_of_rank(ranks_->rank()));
    problem_.box = &box_;
    problem_.window = &shares_->window();
  }
  const std::int64_t bins = shares_->window().size;
  marks_ = BinMarks(bins);
  problem_.shared_bins = nullptr;
  if (bins >= bins_to_share) {
    shared_bins_.sums.resize(bins);
    shared_bins_.alone = threads() == 1;
    problem_.shared_bins = &shared_bins_;
  }
  for (int i = 0; i < threads(); ++i) runners_.push_back(make_history_runner(problem_));
  if (domains_)
    transport_ = std::make_unique<DomainTransport>(*domains_, *shares_, *ranks_, team_, schedule_, runners_,
                                                   model_->settings.particles);
  collector_ = std::make_unique<BatchCollector>(*shares_, *ranks_, team_);
  const std::int64_t copies = problem_.shared_bins == nullptr ? threads() : 1;
  most_tally_bytes_ =
      std::max(most_tally_bytes_, bins * copies * static_cast<std::int64_t>(sizeof(ExactSum)) +
                                      shares_->owned_count() * 2 * static_cast<std::int64_t>(sizeof(double)));
}

std::int64_t Simulation::flights_since_move() const noexcept {
  std::int64_t sum = 0;
  for (const auto& runner : runners_) sum += runner->flights();
  return sum;
}

/// Whether the domains move after a batch, where `batches` are done, `batches_here` of them by this object.
bool Simulation::domains_move_after(int batches, int batches_here) const noexcept {
  if (!domains_ || domain_options_.stand || batches >= model_->settings.last_batch()) return false;
  const int every = domain_options_.move_every;
  return batches_here == 1 || batches == model_->settings.inactive || (every > 0 && batches % every == 0);
}

/// From now on flights count in maps.
void Simulation::measure_load() {
  load_maps_.assign(runners_.size(), domains_->load_map());
  for (std::size_t i = 0; i < runners_.size(); ++i) runners_[i]->count_load(&load_maps_[i]);
}

/// Cuts the domains anew by what was counted since measure_load(). Collective.
void Simulation::move_domains() {
  const std::int64_t start = now_ns();
  LoadMap load = domains_->load_map();
  for (const LoadMap& map : load_maps_)
    for (std::size_t i = 0; i < map.counts.size(); ++i) load.counts[i] += map.counts[i];
  load_maps_.clear();
  ranks_->sum(std::span<std::int64_t>(load.counts));
  const std::unique_ptr<const Domains> before = std::move(domains_);
  const std::unique_ptr<const BinShares> shares_before = std::move(shares_);
  const bool spares = layout_.bin_count >= bins_to_spare;
  domains_ = std::make_unique<Domains>(before->moved(load, spares ? even_part_of_work : 0));
  shares_ = std::make_unique<BinShares>(layout_, domains_.get(), ranks_->rank(), ranks_->size());
  last_move_ = DomainMove{batch_, before->imbalance(load), domains_->imbalance(load)};
  flights_before_move_ += flights_since_move();
  lost_ = take_lost();
  for (const auto& runner : runners_) lost_before_move_ += runner->lost_count();
  // What is not needed for moving makes room first.
  transport_.reset();
  collector_.reset();
  runners_.clear();
  HotVector<ExactSum>().swap(shared_bins_.sums);
  give_back_freed_memory();
  if (statistics_.realizations == 0) {
    statistics_ = TallyStatistics();
    statistics_.resize(shares_->owned_count());
  } else {
    statistics_ = move_statistics(*ranks_, layout_, *shares_before, *shares_, statistics_);
    give_back_freed_memory();
  }
  settle();
  times_.tallies += static_cast<double>(now_ns() - start) * 1e-9;
}

}  // namespace taihu::neutron
