// SPDX-License-Identifier: Apache-2.0
#include "bench/rmc_paper/run.h"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "taihu/base/clock.h"
#include "taihu/neutron/source/fission_bank.h"
#include "taihu/parallel/messages.h"
#include "taihu/parallel/shared_error.h"

namespace taihu::listed {
namespace {

constexpr std::int64_t most_lost = 10;

neutron::Site packed(const Site& site) {
  neutron::Site made;
  made.r = {site.position[0], site.position[1], site.position[2]};
  made.u = {site.direction[0], site.direction[1], site.direction[2]};
  made.group = neutron::GroupId(site.group);
  return made;
}

Site unpacked(const neutron::Site& site) {
  return {.position = {site.r.x, site.r.y, site.r.z},
          .direction = {site.u.x, site.u.y, site.u.z},
          .group = site.group.index()};
}

double seconds_since(std::int64_t start) {
  return static_cast<double>(now_ns() - start) * 1e-9;
}

}  // namespace

Run::Run(const Model& model, const neutron::Model& source, parallel::Communicator& ranks,
         const RunOptions& options)
    : model_(model), ranks_(ranks), options_(options) {
  first_history_ = neutron::first_history(options.particles, ranks.rank(), ranks.size());
  for (const Tally& tally : model.tallies) {
    const std::int64_t bins = tally.mesh.size(),
                       first = neutron::first_history(bins, ranks.rank(), ranks.size());
    const auto owned =
        static_cast<std::size_t>(neutron::first_history(bins, ranks.rank() + 1, ranks.size()) - first);
    tallies_.push_back(
        {.first = first, .bins = bins, .sum = List<double>(owned), .sum_sq = List<double>(owned)});
  }
  sample_first_source(source);
}

void Run::sample_first_source(const neutron::Model& model) {
  const neutron::SourceSampler sampler(model.settings.sources, model.geometry, model.data, nullptr);
  neutron::CellMemory memory(model.geometry);
  const std::int64_t last = neutron::first_history(options_.particles, ranks_.rank() + 1, ranks_.size());
  for (std::int64_t history = first_history_; history < last; ++history) {
    neutron::Stream random(options_.seed, neutron::StreamUse::source, 0, static_cast<std::uint64_t>(history));
    source_.push_back(unpacked(sampler.sample(random, memory)));
  }
}

Result Run::run() {
  Result result;
  List<double> active_k;
  for (int generation = 0; generation < options_.batches; ++generation) {
    const bool active = generation >= options_.inactive;
    ranks_.all(0);
    const std::int64_t start = now_ns();
    k_ = run_generation(generation, active, result);
    if (active) {
      active_k.push_back(k_);
      result.seconds += seconds_since(start);
    }
  }
  ranks_.maximum({&result.seconds, 1});
  const auto count = static_cast<double>(active_k.size());
  double squares = 0;
  for (const double k : active_k) result.k += k / count;
  for (const double k : active_k) squares += (k - result.k) * (k - result.k);
  result.deviation = count > 1 ? std::sqrt(squares / (count - 1) / count) : 0;
  return result;
}

double Run::run_generation(int generation, bool active, Result& result) {
  List<List<Site>> made(source_.size());
  k_sum_.clear();
  run_histories(generation, active, made, result);
  ranks_.sum({&k_sum_, 1});
  std::int64_t lost = 0;
  for (const std::int64_t of_rank : ranks_.all(result.lost)) lost += of_rank;
  parallel::check_alike(lost <= most_lost, "more than 10 neutrons were lost; the geometry has holes");
  if (active) add_tallies(thread_tallies_.front());
  thread_tallies_.clear();
  choose_source(generation, made);
  return k_sum_.value() / static_cast<double>(options_.particles);
}

/// The tallies of all threads are in the first one's when it returns.
void Run::run_histories(int generation, bool active, List<List<Site>>& made, Result& result) {
  thread_tallies_.resize(static_cast<std::size_t>(options_.threads));
  const auto count = static_cast<std::int64_t>(source_.size());
#pragma omp parallel num_threads(options_.threads)
  {
    const AllocationCount before = allocation_count;
    DenseTallies& bins = thread_tallies_[static_cast<std::size_t>(omp_get_thread_num())];
    if (active)
      for (const Tally& tally : model_.tallies) bins.emplace_back(tally.mesh.size());
    neutron::ExactSum k;
    std::int64_t lost = 0, flights = 0;
#pragma omp for schedule(runtime)
    for (std::int64_t i = 0; i < count; ++i) {
      const auto number = static_cast<std::uint64_t>(first_history_ + i);
      Neutron neutron(model_, source_[i],
                      neutron::Stream(options_.seed, neutron::StreamUse::history, generation, number), k_,
                      active);
      if (!neutron.run()) ++lost;
      k.add(neutron.k_collision());
      flights += static_cast<std::int64_t>(neutron.flights());
      for (std::size_t tally = 0; tally < bins.size(); ++tally)
        for (const Contribution& part : neutron.contributions()[tally]) bins[tally][part.bin] += part.value;
      made[i] = neutron.take_sites();
    }
    for (std::size_t tally = 0; tally < bins.size(); ++tally) {
      List<double>& all = thread_tallies_[0][tally];
#pragma omp for schedule(static)
      for (std::int64_t bin = 0; bin < std::ssize(all); ++bin)
        for (std::size_t thread = 1; thread < thread_tallies_.size(); ++thread)
          all[bin] += thread_tallies_[thread][tally][bin];
    }
#pragma omp critical
    {
      k_sum_ += k;
      result.lost += lost;
      result.flights += flights;
      result.allocations.blocks += allocation_count.blocks - before.blocks;
      result.allocations.bytes += allocation_count.bytes - before.bytes;
      result.allocations.huge_blocks += allocation_count.huge_blocks - before.huge_blocks;
    }
  }
  result.histories += count;
}

/// Each rank gets the sums of the bins that it owns.
void Run::add_tallies(const DenseTallies& sums) {
  for (std::size_t tally = 0; tally < tallies_.size(); ++tally) {
    OwnedTally& owned = tallies_[tally];
    std::vector<parallel::Bytes> out(static_cast<std::size_t>(ranks_.size()));
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      const std::int64_t first = neutron::first_history(owned.bins, rank, ranks_.size());
      const std::int64_t last = neutron::first_history(owned.bins, rank + 1, ranks_.size());
      parallel::append(out[rank], sums[tally].data() + first, static_cast<std::size_t>(last - first));
    }
    List<double> total(owned.sum.size());
    for (const parallel::Bytes& bytes : parallel::exchange_all(ranks_, std::move(out))) {
      parallel::Reader reader(bytes);
      for (double& value : total) value += reader.read<double>();
    }
    for (std::size_t bin = 0; bin < total.size(); ++bin) {
      const double mean = total[bin] / static_cast<double>(options_.particles);
      owned.sum[bin] += mean;
      owned.sum_sq[bin] += mean * mean;
    }
  }
}

/// The banks of all histories become one, of which rmc's comb takes the next source.
void Run::choose_source(int generation, const List<List<Site>>& made) {
  std::vector<neutron::Site> bank;
  for (const List<Site>& sites : made)
    for (const Site& site : sites) bank.push_back(packed(site));
  const neutron::Stream random(options_.seed, neutron::StreamUse::resampling, generation, 0);
  source_.clear();
  for (const neutron::Site& site : neutron::next_source(ranks_, bank, options_.particles, random))
    source_.push_back(unpacked(site));
}

}  // namespace taihu::listed
