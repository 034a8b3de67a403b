// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/transport/simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "taihu/base/clock.h"
#include "taihu/base/error.h"
#include "taihu/neutron/source/fission_bank.h"
#include "taihu/neutron/transport/tracking_choice.h"
#include "taihu/parallel/messages.h"
#include "taihu/parallel/shared_error.h"

namespace taihu::neutron {
namespace {

double elapsed_since(std::int64_t start_ns) {
  return static_cast<double>(now_ns() - start_ns) * 1e-9;
}

TallyMaterials tally_materials(const Model& model) {
  TallyMaterials materials{
      .count = static_cast<int>(model.materials.size()), .nuclear = model.nuclear.get(), .macroscopics = {}};
  if (!model.nuclear)
    for (const Material& material : model.materials)
      materials.macroscopics.push_back(material.macroscopics[0]);
  return materials;
}

/// Whether a result depends on when a neutron is where.
bool needs_time(const Model& model) {
  return model.settings.time_cutoff < infinity || model.settings.surface_banking.wanted ||
         model.settings.collision_tracking.wanted ||
         std::any_of(
             model.filters.begin(), model.filters.end(),
             [](const Filter& filter) { return filter.type == FilterType::time; });
}

/// A list of each runner.
template <typename Record>
std::vector<std::vector<Record>*> lists_of(const std::vector<std::unique_ptr<HistoryRunner>>& runners,
                                           std::vector<Record>& (HistoryRunner::*list)() noexcept) {
  std::vector<std::vector<Record>*> lists;
  for (const auto& runner : runners) lists.push_back(&(*runner.*list)());
  return lists;
}

}  // namespace

Simulation::Simulation(const Model& model, parallel::Communicator& ranks, int threads,
                       parallel::LoopSchedule schedule, const DomainOptions& domains)
    : model_(&model),
      ranks_(&ranks),
      team_(threads),
      schedule_(schedule),
      layout_(make_layout(model.tallies, model.filters, model.meshes, model.geometry, model.data,
                          choose_tracking(model) != Tracking::surface, tally_materials(model))),
      domain_options_(domains),
      surface_bank_(model.settings.surface_banking.most, model.settings.surface_banking.files),
      collision_bank_(model.settings.collision_tracking.most, model.settings.collision_tracking.files),
      batch_totals_(total_count),
      balance_(total_count) {
  const bool fission = model.nuclear ? model.nuclear->any_fission() : model.data.any_fission();
  check_input(model.settings.mode == RunMode::fixed_source || fission,
              model.settings.place + "run mode eigenvalue, but no material is fissionable");
  if (domains.count() > 1) domains_ = std::make_unique<Domains>(domains, model_->geometry, ranks_->size());
  shares_ = std::make_unique<BinShares>(layout_, domains_.get(), ranks_->rank(), ranks_->size());
  problem_ = {.geometry = &model_->geometry,
              .data = &model_->data,
              .tallies = &layout_,
              .settings = &model_->settings,
              .tracking = choose_tracking(model),
              .nuclear = model_->nuclear.get(),
              .timed = needs_time(model) || !model_->settings.tracked.empty(),
              .delays_of_history = needs_time(model)};
  prepare_flights();
  prepare_acceleration();
  if (model_->settings.has_uniform_mesh) {
    site_factors_.resize(model_->settings.uniform_mesh.size(), 1);
    problem_.site_factors = &site_factors_;
  }
  settle();
  statistics_.resize(shares_->owned_count());
  const std::int64_t first = first_history(model_->settings.particles, ranks_->rank(), ranks_->size());
  source_.resize(first_history(model_->settings.particles, ranks_->rank() + 1, ranks_->size()) - first);
  if (model_->settings.mode == RunMode::eigenvalue) sample_source(0);
}

Simulation::~Simulation() = default;

void Simulation::prepare_acceleration() {
  const Settings& settings = model_->settings;
  if (!settings.fission_matrix) return;
  check_input(settings.mode == RunMode::eigenvalue,
              settings.place + "a fixed source does not converge; run without --fission-matrix");
  check_input(settings.has_entropy_mesh,
              settings.place + "--fission-matrix needs a mesh; give the model an <entropy_mesh>");
  check_input(settings.entropy_mesh.size() <= FissionMatrix::most_cells,
              settings.place + "the entropy mesh has " + std::to_string(settings.entropy_mesh.size()) +
                  " cells, the fission matrix can have " + std::to_string(FissionMatrix::most_cells) +
                  "; take a coarser mesh");
  check_input(!settings.has_uniform_mesh,
              settings.place + "--fission-matrix does not go with a <ufs_mesh>; leave one of them out");
  fission_matrix_ = std::make_unique<FissionMatrix>(settings.entropy_mesh);
}

void Simulation::prepare_flights() {
  if (problem_.tracking == Tracking::surface) return;
  if (model_->nuclear) {
    majorant_ = std::make_unique<Majorant>(*model_->nuclear, team_);
    problem_.majorant = majorant_.get();
  }
  if (problem_.tracking == Tracking::delta) return;
  const MediaSurvey survey(problem_);
  choice_ = model_->nuclear ? std::make_unique<FlightChoice>(*model_->nuclear, *majorant_, survey, team_)
                            : std::make_unique<FlightChoice>(model_->data, survey);
  problem_.choice = choice_.get();
  layout_.divide_flux(survey.mean_surfaces_per_cm());
}

/// Samples this rank's part of what a generation begins with.
void Simulation::sample_source(std::uint64_t generation) {
  const Settings& settings = model_->settings;
  const SourceSampler sampler(settings.sources, model_->geometry, model_->data, model_->nuclear.get());
  const std::int64_t first = first_history(settings.particles, ranks_->rank(), ranks_->size());
  parallel::parallel_for(
      team_, schedule_, static_cast<std::int64_t>(source_.size()), [&](int thread, std::int64_t i) {
        Stream random(settings.seed, StreamUse::source, generation, static_cast<std::uint64_t>(first + i));
        source_[i] = sampler.sample(random, runners_[thread]->memory());
      });
}

void Simulation::run_generation(bool active) {
  const Settings& settings = model_->settings;
  const bool fixed = settings.mode == RunMode::fixed_source;
  const std::int64_t first = first_history(settings.particles, ranks_->rank(), ranks_->size());
  const auto generation = static_cast<std::uint64_t>(generation_);
  const std::int64_t start = now_ns();
  if (fixed) sample_source(generation);
  if (!site_factors_.empty()) spread_sites();
  const bool passages = settings.surface_banking.wanted && active && surface_bank_.wants();
  const bool collisions = settings.collision_tracking.wanted && active && collision_bank_.wants();
  const std::set<std::uint64_t> traced = traced_histories();
  for (const auto& runner : runners_) {
    runner->keep_records(passages, collisions);
    runner->trace(traced.empty() ? nullptr : &traced);
  }
  if (transport_)
    transport_->run(source_, first, generation, k_, active);
  else
    parallel::parallel_for(
        team_, schedule_, static_cast<std::int64_t>(source_.size()), [&](int thread, std::int64_t i) {
          runners_[thread]->run(source_[i], generation, static_cast<std::uint64_t>(first + i),
                                static_cast<std::uint32_t>(i), k_, active);
        });
  times_.transport += elapsed_since(start);
  if (passages) surface_bank_.collect(*ranks_, lists_of(runners_, &HistoryRunner::passages));
  if (collisions) collision_bank_.collect(*ranks_, lists_of(runners_, &HistoryRunner::collisions));
  if (!traced.empty()) collect_tracks();
  std::vector<ExactSum> totals(total_count);
  for (const auto& runner : runners_)
    for (int i = 0; i < total_count; ++i) {
      totals[i] += runner->totals()[i];
      runner->totals()[i].clear();
    }
  ranks_->sum(std::span<ExactSum>(totals));
  for (int i = 0; i < total_count; ++i) batch_totals_[i] += totals[i];
  ++generation_;
  if (fixed) return;
  const double k_of_sites = k_;
  const double k = totals[static_cast<int>(Total::k_track)].value() / static_cast<double>(settings.particles);
  criticality_.k_generation.push_back(k);
  if (active) {
    criticality_.k_sum += k;
    criticality_.k_sum_sq += k * k;
    ++criticality_.active_generations;
  }
  k_ = criticality_.k().mean;
  parallel::check_alike(k_ > 0,
                        "no fission happened in a generation; start with a better source or more particles");
  const std::int64_t bank_start = now_ns();
  synchronise(generation, k_of_sites);
  times_.bank += elapsed_since(bank_start);
}

/// Histories of the generation that is next whose tracks are wanted.
std::set<std::uint64_t> Simulation::traced_histories() const {
  std::set<std::uint64_t> histories;
  for (const TrackedHistory& wanted : model_->settings.tracked)
    if (wanted.batch == batch_ + 1 && wanted.generation == generation_in_batch())
      histories.insert(static_cast<std::uint64_t>(wanted.history - 1));
  return histories;
}

void Simulation::collect_tracks() {
  GenerationTracks tracks{.batch = batch_ + 1, .generation = generation_in_batch(), .points = {}};
  tracks.points = gather_first(*ranks_, lists_of(runners_, &HistoryRunner::points),
                               std::numeric_limits<std::int64_t>::max());
  if (ranks_->is_root()) tracks_.push_back(std::move(tracks));
  for (const auto& runner : runners_) runner->trace(nullptr);
}

/// From 1.
int Simulation::generation_in_batch() const noexcept {
  const Settings& settings = model_->settings;
  if (settings.mode == RunMode::fixed_source) return 1;
  return static_cast<int>(generation_ % settings.generations_per_batch) + 1;
}

/// Makes the source of the next generation from this one's sites.
void Simulation::synchronise(std::uint64_t generation, double k_of_sites) {
  const auto histories = static_cast<std::int64_t>(source_.size());
  std::vector<Site> sites;
  if (transport_) {
    sites = transport_->take_sites(histories);
  } else {
    std::vector<std::vector<Site>*> lists;
    for (const auto& runner : runners_) lists.push_back(&runner->sites());
    sites = in_history_order(lists, histories);
    for (std::vector<Site>* list : lists) list->clear();
  }
  if (model_->settings.has_entropy_mesh) criticality_.entropy.push_back(count_entropy(sites));
  std::vector<std::int64_t> weights;
  if (accelerates()) {
    fission_matrix_->add(*ranks_, source_, sites, k_of_sites);
    weights = fission_matrix_->weights(sites);
  }
  source_ = next_source(*ranks_, sites, model_->settings.particles,
                        Stream(model_->settings.seed, StreamUse::resampling, generation, 0), weights);
}

/// Whether the source after the present generation is accelerated. The last quarter of the inactive
/// generations runs as it is, so that what active ones begin with is their own source.
bool Simulation::accelerates() const noexcept {
  const Settings& settings = model_->settings;
  return fission_matrix_ &&
         generation_ <= std::int64_t{settings.inactive} * settings.generations_per_batch * 3 / 4;
}

/// Sites of all ranks in each cell of a mesh.
std::vector<std::int64_t> Simulation::count_sites(const Mesh& mesh, const std::vector<Site>& sites) {
  std::vector<std::int64_t> counts(mesh.size());
  for (const Site& site : sites)
    if (const int index = mesh.index_of(site.r); index >= 0) ++counts[index];
  ranks_->sum(std::span<std::int64_t>(counts));
  return counts;
}

/// Factors with which as many fission neutrons are expected in each cell of the uniform mesh. Source: D. J.
/// Kelly, T. M. Sutton, S. C. Wilson, MC21 analysis of the NEA Monte Carlo performance benchmark, PHYSOR
/// 2012.
void Simulation::spread_sites() {
  const Mesh& mesh = model_->settings.uniform_mesh;
  std::vector<ExactSum> weights(mesh.size() + 1);  // the last one: of all
  for (const Site& site : source_) {
    if (const int index = mesh.index_of(site.r); index >= 0) weights[index].add(site.weight);
    weights.back().add(site.weight);
  }
  ranks_->sum(std::span<ExactSum>(weights));
  const double even = weights.back().value() / mesh.size();
  for (int i = 0; i < mesh.size(); ++i)
    site_factors_[i] = weights[i].value() > 0 ? even / weights[i].value() : 1;
}

/// Shannon entropy, in bits, of the sites' distribution over the entropy mesh.
double Simulation::count_entropy(const std::vector<Site>& sites) {
  const std::vector<std::int64_t> counts = count_sites(model_->settings.entropy_mesh, sites);
  std::int64_t total = 0;
  for (const std::int64_t count : counts) total += count;
  double entropy = 0;
  for (const std::int64_t count : counts)
    if (count > 0) {
      const double share = static_cast<double>(count) / static_cast<double>(total);
      entropy -= share * std::log2(share);
    }
  return entropy;
}

void Simulation::end_batch(bool active) {
  const std::int64_t start = now_ns();
  const double neutrons = neutrons_per_batch();
  for (int i = 0; i < total_count; ++i) balance_[i] += batch_totals_[i].value() / neutrons;
  if (active) {
    std::array<double, 4> values{};
    for (int i = 0; i < 4; ++i) values[i] = batch_totals_[i].value() / neutrons;
    criticality_.add_batch(values);
    if (!layout_.empty()) end_tallies();
  }
  for (ExactSum& total : batch_totals_) total.clear();
  std::int64_t lost = lost_before_move_;
  for (const auto& runner : runners_) lost += runner->lost_count();
  ranks_->sum(std::span<std::int64_t>(&lost, 1));
  lost_count_ = lost;
  times_.tallies += elapsed_since(start);
}

/// The batch's sums of all threads and ranks go into the statistics.
void Simulation::end_tallies() {
  const Settings& settings = model_->settings;
  const bool shared = problem_.shared_bins != nullptr;
  team_.run([&](int thread) { runners_[thread]->bins().score_waiting(); });
  HotVector<ExactSum>& sums = shared ? shared_bins_.sums : runners_[0]->bins().sums();
  if (shared) {
    for (const auto& runner : runners_) runner->bins().flush(marks_);
  } else {
    marks_.mark_all();
    for (int thread = 1; thread < threads(); ++thread) {
      HotVector<ExactSum>& other = runners_[thread]->bins().sums();
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += other[i];
        other[i].clear();
      }
    }
  }
  double strength = 1;
  if (settings.mode == RunMode::fixed_source) {
    strength = 0;
    for (const Source& source : settings.sources) strength += source.strength;
  }
  collector_->collect(sums, marks_, strength / neutrons_per_batch(), statistics_);
}

void Simulation::run_batch() {
  const Settings& settings = model_->settings;
  const std::int64_t start = now_ns();
  const bool active = batch_ >= settings.inactive;
  if (!load_maps_.empty()) move_domains();
  ++batches_here_;
  if (domains_move_after(batch_ + 1, batches_here_)) measure_load();
  const int generations = settings.mode == RunMode::eigenvalue ? settings.generations_per_batch : 1;
  for (int i = 0; i < generations; ++i) run_generation(active);
  end_batch(active);
  ++batch_;
  look_at_triggers();
  (active ? times_.active : times_.inactive) += elapsed_since(start);
}

/// Collective: the bins of the tallies are on several ranks.
void Simulation::look_at_triggers() {
  const Settings& settings = model_->settings;
  if (!settings.triggers || batch_ < settings.batches) return;
  if ((batch_ - settings.batches) % settings.trigger_interval != 0) return;
  trigger_status_ = check_triggers(layout_, *shares_, ranks_->rank(), statistics_);
  double most = trigger_status_.excess;
  ranks_->maximum(std::span<double>(&most, 1));
  // Where several ranks have the largest, the last tally is named.
  double tally = trigger_status_.excess == most ? trigger_status_.tally : -1;
  ranks_->maximum(std::span<double>(&tally, 1));
  trigger_status_ = {most, static_cast<int>(tally)};
  for (const Trigger& trigger : settings.k_triggers)
    if (const double here = excess(trigger, criticality_.combined()); here > trigger_status_.excess)
      trigger_status_ = {here, -1};
  triggers_met_ = trigger_status_.excess <= 1;
}

std::vector<LostParticle> Simulation::take_lost() {
  std::vector<LostParticle> lost = std::exchange(lost_, {});
  for (const auto& runner : runners_) {
    lost.insert(lost.end(), runner->lost().begin(), runner->lost().end());
    runner->lost().clear();
  }
  return lost;
}

void Simulation::resume(int batch, Criticality criticality, TallyStatistics statistics,
                        std::vector<Site> source) {
  batch_ = batch;
  generation_ = static_cast<std::int64_t>(batch) *
                (model_->settings.mode == RunMode::eigenvalue ? model_->settings.generations_per_batch : 1);
  criticality_ = std::move(criticality);
  statistics_ = std::move(statistics);
  look_at_triggers();
  if (model_->settings.mode == RunMode::fixed_source) return;
  k_ = criticality_.k().mean;
  source_ = std::move(source);
}

TallyStatistics Simulation::all_statistics() {
  return gather_statistics(*ranks_, layout_, *shares_, statistics_);
}

}  // namespace taihu::neutron
