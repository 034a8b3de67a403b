// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/run/run_model.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <new>

#include "taihu/base/clock.h"
#include "taihu/base/error.h"
#include "taihu/base/formatted.h"
#include "taihu/neutron/output/collision_track.h"
#include "taihu/neutron/output/particle_tracks.h"
#include "taihu/neutron/output/statepoint.h"
#include "taihu/neutron/output/surface_source.h"
#include "taihu/neutron/run/domain_report.h"
#include "taihu/neutron/run/result_files.h"
#include "taihu/neutron/run/stationarity.h"
#include "taihu/neutron/transport/tracking_choice.h"
#include "taihu/parallel/shared_error.h"

namespace taihu::neutron {
namespace {

class Run {
 public:
  Run(const Model& model, parallel::Communicator& ranks, const RunOptions& options,
      const std::function<void(const std::string&)>& print)
      : model_(model),
        ranks_(ranks),
        options_(options),
        print_(print),
        files_(model, options.output_folder, options.all_tallies),
        track_file_(files_.tracks(), model),
        started_ns_(options.started_ns > 0 ? options.started_ns : now_ns()) {}

  RunResult execute() {
    try {
      return run_batches();
    } catch (const std::bad_alloc&) {
      throw Error(memory_text());
    }
  }

 private:
  RunResult run_batches() {
    std::unique_ptr<Simulation> made;
    parallel::together(ranks_, true, [&] {
      try {
        made = std::make_unique<Simulation>(model_, ranks_, options_.threads, options_.schedule,
                                            options_.domains);
      } catch (const std::bad_alloc&) {
        throw Error(memory_text());
      }
    });
    Simulation& simulation = *made;
    if (!options_.resume_from.empty()) {
      resume_from_statepoint(simulation, options_.resume_from, options_.statepoint_way);
      parallel::check_alike(!simulation.finished(), options_.resume_from + ": all " +
                                                        std::to_string(simulation.batch()) +
                                                        " batches are done; ask for more with --batches");
    }
    if (options_.write_files)
      parallel::together(ranks_, ranks_.is_root(), [&] { files_.look_at(simulation.layout()); });
    simulation.times().initialization = seconds_since(started_ns_);
    const int first_batch = simulation.batch();
    announce(simulation);
    while (!simulation.finished()) {
      simulation.run_batch();
      show_move(simulation);
      if (options_.show_batches) show_batch(simulation);
      show_triggers(simulation);
      report_lost(simulation);
      if (statepoint_due(simulation)) save(simulation);
      if (options_.write_files) save_sources(simulation);
    }
    if (options_.write_files) {
      warn_of_tracks_after(simulation.batch(), model_.settings.last_batch());
      write_results(simulation);
    }
    const RunResult result = finish(simulation, first_batch);
    say(memory_report(simulation));
    for (const std::string& line : domain_report(simulation)) say(line);
    return result;
  }

  /// The error when there is too little memory, with the arrays that probably need most of it.
  std::string memory_text() const {
    std::string text = "there is not enough memory for " + std::to_string(model_.settings.particles) +
                       " neutrons per generation";
    const Tally* largest = nullptr;
    double most = 0;
    for (const Tally& tally : model_.tallies) {
      double values = static_cast<double>(tally.scores.size() * tally.nuclides.size());
      for (const int filter : tally.filters) values *= model_.filters[filter].bin_count;
      if (values > most) most = values, largest = &tally;
    }
    if (largest == nullptr) return text;
    return largest->place + text + " and the tallies, of which tally " + std::to_string(largest->id) +
           formatted(" has %.0f values; use fewer, or --domains", most);
  }

  static double seconds_since(std::int64_t ns) { return static_cast<double>(now_ns() - ns) * 1e-9; }

  void say(const std::string& line) const {
    if (ranks_.is_root()) print_(line);
  }

  void announce(const Simulation& simulation) const {
    const Settings& settings = model_.settings;
    for (const std::string& warning : model_.warnings) say("warning: " + warning);
    if (options_.write_files) announce_tracks(simulation.batch());
    say(formatted(
        "%s, %lld neutrons per generation, %d batches%s, %s, %s tracking, %d ranks x %d threads",
        settings.mode == RunMode::eigenvalue ? "eigenvalue" : "fixed source",
        static_cast<long long>(settings.particles), settings.batches,
        settings.inactive > 0 ? formatted(" (%d inactive)", settings.inactive).c_str() : "",
        model_.nuclear ? "continuous energy" : (std::to_string(model_.data.groups()) + " groups").c_str(),
        name_of(simulation.tracking()), ranks_.size(), options_.threads));
    if (const std::size_t nuclides = nuclides_beyond_bound(model_); nuclides > 0)
      say(
          formatted("surface tracking, as a bound of the cross sections for delta flights would be of %zu "
                    "nuclides in all materials; --tracking hybrid makes it",
                    nuclides));
    if (simulation.majorant() != nullptr)
      say(formatted("bound of the cross sections for delta flights: %zu bins, %.2f MB",
                    simulation.majorant()->bins(),
                    static_cast<double>(simulation.majorant()->bytes()) * 1e-6));
    if (simulation.choice() != nullptr)
      say(formatted("delta flights begin in %.0f %% of media and energies",
                    100 * simulation.choice()->delta_share()));
    if (!options_.show_batches || settings.mode != RunMode::eigenvalue) return;
    say(settings.has_entropy_mesh ? " batch         k    entropy     average k"
                                  : " batch         k     average k");
  }

  /// `done`: batches before this run.
  void announce_tracks(int done) const {
    const int last = model_.settings.last_batch();
    warn_of_tracks_after(last, std::numeric_limits<int>::max());
    if (tracked_batch(0, done) == 0) return;
    if (tracked_batch(done, last) == 0)
      say("tracks: those that are wanted are of batches before; " + files_.tracks() + " stays as it is");
    else
      say(
          formatted("warning: tracks of batches up to %d will not be in the new %s; keep a file that has "
                    "them under another name",
                    done, files_.tracks().c_str()));
  }

  void warn_of_tracks_after(int batch, int last) const {
    if (const int wanted = tracked_batch(batch, last); wanted > 0)
      say(formatted("warning: %stracks of batch %d are wanted, but the run ends after batch %d",
                    model_.settings.place.c_str(), wanted, batch));
  }

  /// The first batch after `from`, up to `to`, of which tracks are wanted; 0: none.
  int tracked_batch(int from, int to) const {
    int first = 0;
    for (const TrackedHistory& wanted : model_.settings.tracked)
      if (wanted.batch > from && wanted.batch <= to && (first == 0 || wanted.batch < first))
        first = wanted.batch;
    return first;
  }

  void show_batch(const Simulation& simulation) const {
    if (model_.settings.mode != RunMode::eigenvalue) {
      say(formatted(" batch %d", simulation.batch()));
      return;
    }
    const Criticality& criticality = simulation.criticality();
    std::string line = formatted("%6d   %.5f", simulation.batch(), criticality.k_generation.back());
    if (!criticality.entropy.empty()) line += formatted("   %8.5f", criticality.entropy.back());
    if (criticality.active_generations > 1)
      line += formatted("   %.5f +/- %.5f", criticality.k().mean, criticality.k().deviation);
    say(line);
  }

  void show_move(const Simulation& simulation) const {
    const DomainMove* const move = simulation.last_move();
    if (move == nullptr || move->batch + 1 != simulation.batch()) return;
    say(formatted("domains moved after batch %d: flights of the busiest rank over the mean %.2f, now %.2f",
                  move->batch, move->before, move->after));
  }

  void show_triggers(const Simulation& simulation) const {
    const Settings& settings = model_.settings;
    if (!settings.triggers || simulation.batch() < settings.batches) return;
    const TriggerStatus& status = simulation.trigger_status();
    if (simulation.triggers_met())
      return say(formatted("triggers are met after %d batches", simulation.batch()));
    const std::string what =
        status.tally < 0 ? "k" : "tally " + std::to_string(model_.tallies[status.tally].id);
    say(formatted("triggers: the uncertainty of %s is %.4g times the threshold", what.c_str(),
                  status.excess));
    if (simulation.finished())
      say(formatted("warning: the triggers are not met after %d batches (max_batches)", simulation.batch()));
  }

  /// Each rank's lost particles go to its own output; the run ends when there are too many.
  void report_lost(Simulation& simulation) const {
    for (const LostParticle& lost : simulation.take_lost())
      print_(formatted(
          "warning: neutron %llu of generation %llu was lost at (%.10g, %.10g, %.10g) cm, direction "
          "(%.6f, %.6f, %.6f): %s",
          static_cast<unsigned long long>(lost.history + 1),
          static_cast<unsigned long long>(lost.generation + 1), lost.r.x, lost.r.y, lost.r.z, lost.u.x,
          lost.u.y, lost.u.z, lost.reason.c_str()));
    const Settings& settings = model_.settings;
    const double histories =
        static_cast<double>(settings.particles) * settings.generations_per_batch * simulation.batch();
    parallel::check_alike(
        simulation.lost_count() < settings.max_lost_particles ||
            static_cast<double>(simulation.lost_count()) < settings.max_lost_fraction * histories,
        std::to_string(simulation.lost_count()) +
            " neutrons were lost; look for gaps and overlaps in the geometry with rmc check");
  }

  bool statepoint_due(const Simulation& simulation) const {
    if (!options_.write_files || simulation.finished())
      return false;  // the last one is written with the results
    const std::vector<int>& asked = model_.settings.statepoint_batches;
    return std::find(asked.begin(), asked.end(), simulation.batch()) != asked.end() ||
           (options_.statepoint_every > 0 && simulation.batch() % options_.statepoint_every == 0);
  }

  void save(Simulation& simulation) const {
    const std::int64_t start = now_ns();
    const std::string path = files_.statepoint_after(simulation.batch());
    write_statepoint(simulation, path, options_.statepoint_way);
    simulation.times().output += seconds_since(start);
    say(formatted("statepoint: %s in %.3f s", path.c_str(), seconds_since(start)));
  }

  /// Files that another run can start from.
  void save_sources(Simulation& simulation) {
    const Settings& settings = model_.settings;
    const std::int64_t start = now_ns();
    if (std::find(settings.source_batches.begin(), settings.source_batches.end(), simulation.batch()) !=
        settings.source_batches.end())
      write_source(simulation, files_.source_after(simulation.batch()));
    if (settings.write_latest_source) write_source(simulation, files_.source_after(0));
    if (settings.surface_banking.wanted && simulation.surface_bank().due(simulation.finished())) {
      const bool only = is_only_file(simulation, simulation.surface_bank(), settings.surface_banking.files);
      const std::vector<Passage> passages = simulation.surface_bank().take();
      const std::string path = files_.surface_source_after(simulation.batch(), only);
      parallel::together(ranks_, ranks_.is_root(), [&] { write_surface_source(path, model_, passages); });
      say(formatted("surface source: %zu neutrons in %s", passages.size(), path.c_str()));
    }
    if (settings.collision_tracking.wanted && simulation.collision_bank().due(simulation.finished())) {
      const bool only =
          is_only_file(simulation, simulation.collision_bank(), settings.collision_tracking.files);
      const std::vector<CollisionRecord> collisions = simulation.collision_bank().take();
      const std::string path = files_.collision_track(only ? 0 : simulation.collision_bank().taken());
      parallel::together(ranks_, ranks_.is_root(), [&] { write_collision_track(path, model_, collisions); });
      say(formatted("collision track: %zu collisions in %s", collisions.size(), path.c_str()));
    }
    // After each such batch, so that a run that does not reach its end has them, too.
    if (tracked_batch(simulation.batch() - 1, simulation.batch()) > 0) {
      parallel::together(ranks_, ranks_.is_root(), [&] { track_file_.add(simulation.take_tracks()); });
      say("tracks: " + files_.tracks());
    }
    simulation.times().output += seconds_since(start);
  }

  template <typename Record>
  static bool is_only_file(const Simulation& simulation, const OrderedBank<Record>& bank, int files) {
    return files == 1 || (bank.taken() == 0 && simulation.finished());
  }

  void write_results(Simulation& simulation) {
    save(simulation);
    const std::int64_t start = now_ns();
    parallel::together(ranks_, ranks_.is_root(), [&] { files_.write(simulation, print_); });
    results_seconds_ = seconds_since(start);
  }

  RunResult finish(Simulation& simulation, int first_batch) const {
    const Settings& settings = model_.settings;
    const PhaseTimes& times = simulation.times();
    const double per_batch = static_cast<double>(settings.particles) *
                             (settings.mode == RunMode::eigenvalue ? settings.generations_per_batch : 1);
    const int inactive = std::max(0, settings.inactive - first_batch);
    const int active = simulation.batch() - std::max(first_batch, settings.inactive);
    RunResult result;
    result.lost = simulation.lost_count();
    if (times.inactive > 0) result.inactive_rate = inactive * per_batch / times.inactive;
    if (times.active > 0) result.active_rate = active * per_batch / times.active;
    if (settings.mode == RunMode::eigenvalue) show_k(simulation, result);
    const Estimate leakage = estimate(simulation.criticality().sum[3], simulation.criticality().sum_sq[3],
                                      simulation.criticality().realizations);
    say(formatted("leakage          %.5f +/- %.5f", leakage.mean, leakage.deviation));
    say(
        formatted("seconds: initialization %.3f, transport %.3f, fission bank %.3f, tallies %.3f, files "
                  "%.3f, text and pictures %.3f, total %.3f",
                  times.initialization, times.transport, times.bank, times.tallies, times.output,
                  results_seconds_, seconds_since(started_ns_)));
    if (inactive > 0) say(formatted("rate (inactive)  %.0f neutrons/s", result.inactive_rate));
    say(formatted("rate (active)    %.0f neutrons/s", result.active_rate));
    return result;
  }

  void show_k(const Simulation& simulation, RunResult& result) const {
    const Criticality& criticality = simulation.criticality();
    const char* names[] = {"k (collision)   ", "k (absorption)  ",
                           simulation.tracking() == Tracking::surface ? "k (track length)"
                           : simulation.tracking() == Tracking::delta ? "k (flight ends) "
                                                                      : "k (flights)     "};
    for (int i = 0; i < 3; ++i) {
      const Estimate one = estimate(criticality.sum[i], criticality.sum_sq[i], criticality.realizations);
      say(formatted("%s %.5f +/- %.5f", names[i], one.mean, one.deviation));
    }
    result.k = criticality.combined();
    if (model_.settings.confidence_intervals)
      say(formatted("k (95 %% interval) %.5f +/- %.5f", result.k.mean,
                    result.k.deviation * confidence_factor(criticality.realizations)));
    say(formatted("k (combined)     %.5f +/- %.5f", result.k.mean, result.k.deviation));
    const auto inactive = static_cast<std::size_t>(model_.settings.inactive) *
                          static_cast<std::size_t>(model_.settings.generations_per_batch);
    if (const std::string text = stationarity_text(criticality.entropy, inactive); !text.empty()) say(text);
  }

  const Model& model_;
  parallel::Communicator& ranks_;
  const RunOptions& options_;
  const std::function<void(const std::string&)>& print_;
  ResultFiles files_;
  TrackFile track_file_;
  std::int64_t started_ns_;
  double results_seconds_ = 0;
};

}  // namespace

RunResult run_model(const Model& model, parallel::Communicator& ranks, const RunOptions& options,
                    const std::function<void(const std::string&)>& print) {
  return Run(model, ranks, options, print).execute();
}

}  // namespace taihu::neutron
