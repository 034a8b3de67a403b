// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/run/run_model.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "taihu/base/clock.h"
#include "taihu/base/error.h"
#include "taihu/base/formatted.h"
#include "taihu/neutron/output/picture.h"
#include "taihu/neutron/output/statepoint.h"
#include "taihu/neutron/output/summary.h"
#include "taihu/neutron/output/tallies_out.h"
#include "taihu/neutron/parallel/messages.h"
#include "taihu/neutron/run/domain_report.h"

namespace taihu::neutron {
namespace {

class Run {
 public:
  Run(const Model& model, Ranks& ranks, const RunOptions& options,
      const std::function<void(const std::string&)>& print)
      : model_(model), ranks_(ranks), options_(options), print_(print), started_ns_(now_ns()) {}

  RunResult execute() {
    std::unique_ptr<Simulation> made;
    together(ranks_, true, [&] {
      made =
          std::make_unique<Simulation>(model_, ranks_, options_.threads, options_.schedule, options_.domains);
    });
    Simulation& simulation = *made;
    if (!options_.resume_from.empty()) {
      resume_from_statepoint(simulation, options_.resume_from);
      check_alike(!simulation.finished(), options_.resume_from + ": all " +
                                              std::to_string(simulation.batch()) +
                                              " batches are done; ask for more with --batches");
    }
    simulation.times().initialization = seconds_since(started_ns_);
    const int first_batch = simulation.batch();
    announce(simulation);
    while (!simulation.finished()) {
      simulation.run_batch();
      if (options_.show_batches) show_batch(simulation);
      report_lost(simulation);
      if (statepoint_due(simulation)) save(simulation);
    }
    if (options_.write_files) write_results(simulation);
    const RunResult result = finish(simulation, first_batch);
    for (const std::string& line : domain_report(simulation)) say(line);
    return result;
  }

 private:
  static double seconds_since(std::int64_t ns) { return static_cast<double>(now_ns() - ns) * 1e-9; }

  void say(const std::string& line) const {
    if (ranks_.is_root()) print_(line);
  }

  std::string place(const std::string& name) const {
    return (std::filesystem::path(options_.output_folder) / name).string();
  }

  void announce(const Simulation& simulation) const {
    const Settings& settings = model_.settings;
    for (const std::string& warning : model_.warnings) say("warning: " + warning);
    say(formatted(
        "%s, %lld neutrons per generation, %d batches%s, %s, %s tracking, %d ranks x %d threads",
        settings.mode == RunMode::eigenvalue ? "eigenvalue" : "fixed source",
        static_cast<long long>(settings.particles), settings.batches,
        settings.inactive > 0 ? formatted(" (%d inactive)", settings.inactive).c_str() : "",
        model_.nuclear ? "continuous energy" : (std::to_string(model_.data.groups()) + " groups").c_str(),
        simulation.delta() ? "delta" : "surface", ranks_.size(), options_.threads));
    if (simulation.majorant() != nullptr)
      say(formatted("bound of the cross sections for delta tracking: %zu bins, %.2f MB",
                    simulation.majorant()->bins(),
                    static_cast<double>(simulation.majorant()->bytes()) * 1e-6));
    if (!options_.show_batches || settings.mode != RunMode::eigenvalue) return;
    say(settings.has_entropy_mesh ? " batch         k    entropy     average k"
                                  : " batch         k     average k");
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
    check_alike(simulation.lost_count() < settings.max_lost_particles ||
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

  std::string last_statepoint(const Simulation& simulation) const {
    return place(statepoint_name(simulation.batch(), model_.settings.batches));
  }

  void save(Simulation& simulation) const {
    const std::int64_t start = now_ns();
    write_statepoint(simulation, last_statepoint(simulation));
    simulation.times().output += seconds_since(start);
  }

  void write_results(Simulation& simulation) const {
    save(simulation);
    together(ranks_, ranks_.is_root(), [&] { write_on_root(simulation); });
  }

  void write_on_root(const Simulation& simulation) const {
    const Settings& settings = model_.settings;
    if (settings.write_summary) write_summary(model_, place("summary.h5"));
    if (simulation.layout().empty()) return;
    const TallyLayout& layout = simulation.layout();
    // With several ranks nobody has all statistics: each tally is read from the file that all have written.
    TallyStatistics read;
    const auto statistics_of = [&](std::size_t tally) -> TallyView {
      const TallyLayout::CompiledTally& compiled = layout.compiled[tally];
      if (ranks_.size() > 1) {
        read = {};
        read = read_tally(last_statepoint(simulation), layout, tally);
        return {read.sum, read.sum_sq, read.realizations};
      }
      const TallyStatistics& all = simulation.statistics();
      return {std::span(all.sum).subspan(compiled.first_bin, compiled.bin_count()),
              std::span(all.sum_sq).subspan(compiled.first_bin, compiled.bin_count()), all.realizations};
    };
    if (settings.write_tallies)
      write_tallies_out(layout, model_.geometry, statistics_of, place("tallies.out"));
    for (std::size_t tally = 0; tally < layout.tallies.size(); ++tally)
      if (layout.compiled[tally].mesh_filter >= 0) draw_maps(layout, tally, statistics_of(tally));
  }

  void draw_maps(const TallyLayout& layout, std::size_t tally, const TallyView& statistics) const {
    const std::vector<TallyLayout::Column>& columns = layout.compiled[tally].columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Picture picture = draw_mesh_tally(layout, statistics, tally, i);
      if (picture.width == 0) continue;
      const std::string nuclide = columns[i].nuclide < 0 ? "" : layout.nuclides[columns[i].nuclide] + "_";
      const std::string name = place("tally_" + std::to_string(layout.tallies[tally].id) + "_" + nuclide +
                                     name_of(columns[i].score) + ".png");
      write_png(picture, name);
      say("picture: " + name);
    }
  }

  RunResult finish(Simulation& simulation, int first_batch) const {
    const Settings& settings = model_.settings;
    const PhaseTimes& times = simulation.times();
    const double per_batch = static_cast<double>(settings.particles) *
                             (settings.mode == RunMode::eigenvalue ? settings.generations_per_batch : 1);
    const int inactive = std::max(0, settings.inactive - first_batch);
    const int active = settings.batches - std::max(first_batch, settings.inactive);
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
                  "%.3f, total %.3f",
                  times.initialization, times.transport, times.bank, times.tallies, times.output,
                  seconds_since(started_ns_)));
    if (inactive > 0) say(formatted("rate (inactive)  %.0f neutrons/s", result.inactive_rate));
    say(formatted("rate (active)    %.0f neutrons/s", result.active_rate));
    return result;
  }

  void show_k(const Simulation& simulation, RunResult& result) const {
    const Criticality& criticality = simulation.criticality();
    const char* names[] = {"k (collision)   ", "k (absorption)  ",
                           simulation.delta() ? "k (flight ends) " : "k (track length)"};
    for (int i = 0; i < 3; ++i) {
      const Estimate one = estimate(criticality.sum[i], criticality.sum_sq[i], criticality.realizations);
      say(formatted("%s %.5f +/- %.5f", names[i], one.mean, one.deviation));
    }
    result.k = criticality.combined();
    say(formatted("k (combined)     %.5f +/- %.5f", result.k.mean, result.k.deviation));
  }

  const Model& model_;
  Ranks& ranks_;
  const RunOptions& options_;
  const std::function<void(const std::string&)>& print_;
  std::int64_t started_ns_;
};

}  // namespace

RunResult run_model(const Model& model, Ranks& ranks, const RunOptions& options,
                    const std::function<void(const std::string&)>& print) {
  return Run(model, ranks, options, print).execute();
}

}  // namespace taihu::neutron
