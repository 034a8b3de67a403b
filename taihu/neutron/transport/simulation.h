// SPDX-License-Identifier: Apache-2.0
// A whole run: batches of generations of histories, over threads and ranks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "taihu/neutron/source/ordered_bank.h"
#include "taihu/neutron/tally/batch_collector.h"
#include "taihu/neutron/tally/shares.h"
#include "taihu/neutron/tally/trigger.h"
#include "taihu/neutron/transport/criticality.h"
#include "taihu/neutron/transport/domain_transport.h"
#include "taihu/neutron/transport/fission_matrix.h"
#include "taihu/neutron/transport/flight_choice.h"
#include "taihu/neutron/transport/history.h"
#include "taihu/parallel/communicator.h"
#include "taihu/parallel/loop.h"

namespace taihu::neutron {

/// The contents of a model's files.
struct Material {
  int id = 0;
  std::string name;
  std::vector<std::string> macroscopics;
  std::vector<MixturePart> parts;
  // Continuous energy: nuclides with densities as the user gave them, and thermal tables.
  struct Constituent {
    std::string nuclide;
    double amount = 0;
    bool by_weight = false;
  };
  struct ThermalUse {
    std::string table;
    double fraction = 1;
  };
  std::vector<Constituent> constituents;
  std::vector<ThermalUse> thermal;
  std::vector<std::string> isotropic;  ///< nuclides that scatter evenly in all directions
  std::string density_units;
  double density = 0;
  std::string place;        ///< "file:line:column: " for messages
  double temperature = -1;  ///< K; negative: the default
  // For programs that read the summary.
  bool depletable = false;
  double volume = -1;                  ///< cm3; negative: not given
  std::vector<double> atom_densities;  ///< atoms/(b cm), of the constituents; known once data are read
};

struct Model {
  Geometry geometry;
  std::vector<Material> materials;
  CrossSections data;                          ///< multi-group
  std::shared_ptr<const NuclearData> nuclear;  ///< continuous energy; null: multi-group
  Settings settings;
  std::vector<Tally> tallies;
  std::vector<Filter> filters;
  std::vector<Mesh> meshes;
  std::vector<std::string> warnings;
  std::string folder;
};

/// Seconds by phase, on this rank.
struct PhaseTimes {
  double initialization = 0, transport = 0, inactive = 0, active = 0, bank = 0, tallies = 0, output = 0;
};

/// Domains that were cut anew.
struct DomainMove {
  int batch = 0;                 ///< after which
  double before = 1, after = 1;  ///< flights of the batch: of the busiest rank over the mean
};

class Simulation {
 public:
  /// The model must outlive the simulation. More than one domain splits the tallies' memory and the histories
  /// by place; results are the same, also where the domains move. They do so after the first batch that is
  /// run here, after the last inactive one, and as the options say. Throws Error.
  Simulation(const Model& model, parallel::Communicator& ranks, int threads, parallel::LoopSchedule schedule,
             const DomainOptions& domains = {});
  ~Simulation();

  /// Runs one batch. Collective. Throws Error when too many particles are lost or fission has died out.
  void run_batch();

  bool finished() const noexcept {
    return batch_ >= model_->settings.last_batch() || (triggers_met_ && batch_ >= model_->settings.batches);
  }
  int batch() const noexcept { return batch_; }
  Tracking tracking() const noexcept { return problem_.tracking; }  ///< not automatic
  /// With hybrid tracking; else null.
  const FlightChoice* choice() const noexcept { return choice_.get(); }
  /// With continuous energy and delta flights; else null.
  const Majorant* majorant() const noexcept { return majorant_.get(); }
  const Model& model() const noexcept { return *model_; }
  parallel::Communicator& ranks() noexcept { return *ranks_; }
  int threads() const noexcept { return team_.size(); }
  /// Copies of the bins of this rank's window.
  int bin_copies() const noexcept { return problem_.shared_bins == nullptr ? threads() : 1; }
  const TallyLayout& layout() const noexcept { return layout_; }
  const TallyStatistics& statistics() const noexcept { return statistics_; }  ///< of the bins owned here
  const BinShares& shares() const noexcept { return *shares_; }               ///< who owns what
  const Domains* domains() const noexcept { return domains_.get(); }          ///< null: none
  /// Since the domains moved last.
  DomainLoad load() const { return transport_ ? transport_->load() : DomainLoad{}; }
  /// After which batch the domains moved last; null: they have not moved.
  const DomainMove* last_move() const noexcept { return last_move_ ? &*last_move_ : nullptr; }
  std::int64_t most_tally_bytes() const noexcept { return most_tally_bytes_; }  ///< that this rank has had
  const Criticality& criticality() const noexcept { return criticality_; }      ///< the same on all ranks
  const std::vector<Site>& source() const noexcept { return source_; }          ///< this rank's next source
  const std::vector<double>& balance() const noexcept {
    return balance_;
  }  ///< see Total; sums of all batches
  PhaseTimes& times() noexcept { return times_; }
  std::int64_t lost_count() const noexcept { return lost_count_; }
  std::int64_t flights() const noexcept { return flights_before_move_ + flights_since_move(); }
  std::int64_t flights_since_move() const noexcept;
  /// How far the triggers are from being met, after the last batch after which they were looked at. The
  /// tally is -1 where k is farthest.
  const TriggerStatus& trigger_status() const noexcept { return trigger_status_; }
  bool triggers_met() const noexcept { return triggers_met_; }
  /// Of accelerated generations, the same on all ranks; null after the last one of them.
  FissionMatrix* fission_matrix() noexcept { return accelerates() ? fission_matrix_.get() : nullptr; }
  /// Neutrons and collisions for files. On all ranks.
  OrderedBank<Passage>& surface_bank() noexcept { return surface_bank_; }
  OrderedBank<CollisionRecord>& collision_bank() noexcept { return collision_bank_; }
  /// Of the histories that the settings name, since the last call of take_tracks(); on the root, empty
  /// elsewhere.
  const std::vector<GenerationTracks>& tracks() const noexcept { return tracks_; }
  std::vector<GenerationTracks> take_tracks() noexcept { return std::exchange(tracks_, {}); }
  std::vector<LostParticle> take_lost();  ///< of this rank, since the last call

  /// Statistics of all bins, in the layout's order, on the root; empty elsewhere. Collective.
  TallyStatistics all_statistics();

  /// Continues where a statepoint ended, with this rank's shares of the statistics and of the next source.
  void resume(int batch, Criticality criticality, TallyStatistics statistics, std::vector<Site> source);

 private:
  void settle();
  bool domains_move_after(int batches, int batches_here) const noexcept;
  void measure_load();
  void move_domains();
  void prepare_flights();
  void prepare_acceleration();
  bool accelerates() const noexcept;
  void sample_source(std::uint64_t generation);
  void run_generation(bool active);
  void synchronise(std::uint64_t generation, double k_of_sites);
  std::vector<std::int64_t> count_sites(const Mesh& mesh, const std::vector<Site>& sites);
  std::set<std::uint64_t> traced_histories() const;
  void collect_tracks();
  int generation_in_batch() const noexcept;
  double count_entropy(const std::vector<Site>& sites);
  void spread_sites();
  void end_batch(bool active);
  void end_tallies();
  double neutrons_per_batch() const noexcept {
    return static_cast<double>(model_->settings.particles) * model_->settings.generations_per_batch;
  }
  void look_at_triggers();

  const Model* model_;
  parallel::Communicator* ranks_;
  parallel::Team team_;
  parallel::LoopSchedule schedule_;
  TallyLayout layout_;
  DomainOptions domain_options_;
  std::unique_ptr<const Domains> domains_;
  std::unique_ptr<const BinShares> shares_;
  DomainBox box_;
  std::unique_ptr<const Majorant> majorant_;
  std::unique_ptr<const FlightChoice> choice_;
  SharedBins shared_bins_;  ///< of all threads; empty: each has its own
  BinMarks marks_;          ///< of this rank's bins
  Problem problem_;
  std::vector<std::unique_ptr<HistoryRunner>> runners_;
  std::vector<LoadMap> load_maps_;  ///< by thread, in a batch after which the domains move; else empty
  std::optional<DomainMove> last_move_;
  // Of runners that there were before the domains moved.
  std::int64_t flights_before_move_ = 0, lost_before_move_ = 0;
  std::vector<LostParticle> lost_;
  std::int64_t most_tally_bytes_ = 0;
  std::unique_ptr<DomainTransport> transport_;
  std::unique_ptr<BatchCollector> collector_;
  std::vector<Site> source_;
  std::vector<double> site_factors_;  ///< of this generation
  std::unique_ptr<FissionMatrix> fission_matrix_;
  OrderedBank<Passage> surface_bank_;
  OrderedBank<CollisionRecord> collision_bank_;
  std::vector<GenerationTracks> tracks_;
  TriggerStatus trigger_status_;
  bool triggers_met_ = false;
  std::vector<ExactSum> batch_totals_;
  std::vector<double> balance_;
  TallyStatistics statistics_;
  Criticality criticality_;
  PhaseTimes times_;
  int batch_ = 0, batches_here_ = 0;  ///< that are done; since this object is there
  std::int64_t generation_ = 0, lost_count_ = 0;
  double k_ = 1;
};

}  // namespace taihu::neutron
