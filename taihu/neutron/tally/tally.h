// SPDX-License-Identifier: Apache-2.0
// Tallies: which events count in which bin, the bins of a thread, and the statistics over batches.
//
// `TallyLayout` is shared and constant: filters, scores, strides. `TallyBins` are one thread's sums of the
// running batch, exact so that they can be added in any order. `TallyStatistics` are sums and sums of squares
// over batches on the rank that owns a bin. Bins of a tally are [filter bins][nuclides][scores], the last
// filter running fastest, as in OpenMC's files; nuclides times scores are its columns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "taihu/neutron/geometry/geometry.h"
#include "taihu/neutron/geometry/instances.h"
#include "taihu/neutron/geometry/mesh.h"
#include "taihu/neutron/material/cross_sections.h"
#include "taihu/neutron/nuclide/function_1d.h"
#include "taihu/neutron/storage/hot_vector.h"
#include "taihu/neutron/tally/bin_queue.h"
#include "taihu/neutron/tally/exact_sum.h"
#include "taihu/neutron/tally/rates.h"
#include "taihu/neutron/tally/score.h"

namespace taihu::neutron {

enum class FilterType {
  cell,
  material,
  universe,
  mesh,
  energy,
  energyout,
  surface,
  distribcell,
  cellinstance,
  cellfrom,
  materialfrom,
  cellborn,
  particle,
  energyfunction,
  mu,
  polar,
  azimuthal,
  legendre,
  delayedgroup,
  meshsurface,
  meshborn,
  musurface,
  collision,
  time,
  sphericalharmonics,
  spatiallegendre,
  zernike,
  zernikeradial
};
constexpr FilterType last_filter_type = FilterType::zernikeradial;

enum class Estimator { automatic, tracklength, collision, analog };

/// A filter as the input gives it. `bins` holds indices, not ids.
struct Filter {
  int id = 0;
  FilterType type = FilterType::cell;
  std::vector<int> bins;       ///< cells, materials, universes or surfaces, by index; mesh: the mesh's index
  std::vector<int> bin_ids;    ///< the same as the user wrote them
  std::vector<int> instances;  ///< cellinstance: of each bin's cell
  std::vector<double> energies;  ///< edges in eV, rising; mu, polar, azimuthal: of cosines or angles
  std::vector<double> factors;   ///< energyfunction: at the energies
  Interpolation interpolation = Interpolation::linear_linear;  ///< between them
  int degree = 1;  ///< of the polynomial through neighbours: 1, or 2 or 3 instead of `interpolation`
  std::vector<std::string> particles;  ///< particle: as the user wrote them
  int bin_count = 0;
  int order = 0;               ///< of an expansion
  bool of_scattering = false;  ///< sphericalharmonics: times Legendre polynomials of the scattering
  int axis = 2;                ///< spatiallegendre
  double low = 0, high = 0;    ///< spatiallegendre: cm
  Vector centre;               ///< zernike: of the disc
  double radius = 0;           ///< zernike
  bool moved = false;          ///< mesh: it is turned, then shifted
  bool turned = false;
  Vector translation;
  Rotation rotation{};
  std::string place;  ///< "file:line:column: " for messages; empty: not from a file
};

/// All nuclides of a material together.
constexpr const char* total_nuclide = "total";

/// The precision at which a run may end.
struct Trigger {
  enum class Metric { variance, deviation, relative };
  Metric metric = Metric::deviation;
  double threshold = 0;
  bool ignore_zeros = false;  ///< bins without scores do not count
  std::vector<int> scores;    ///< indices into the tally's; empty: all
};

struct Tally {
  int id = 0;
  std::string name;
  std::vector<int> filters;  ///< indices
  std::vector<std::string> nuclides{total_nuclide};
  std::vector<Score> scores;
  Estimator estimator = Estimator::automatic;
  std::vector<Trigger> triggers;
  bool multiply_density = true;  ///< false: rates of single nuclides are per atom/(b cm)
  std::string place;             ///< "file:line:column: " for messages; empty: not from a file
};

const char* name_of(FilterType type) noexcept;
const char* name_of(Estimator estimator) noexcept;

/// A neutron that comes out of a collision.
struct Emission {
  GroupId group{0};
  Energy energy{-1};      ///< continuous energy
  double mu = 1;          ///< cosine of the angle of a scattering
  int delayed_group = 0;  ///< of a fission neutron, from 1; 0: prompt
};

/// The part of a particle's state that filters use.
struct Event {
  const Location* location = nullptr;
  Vector r;
  GroupId group{0};
  SurfaceId surface = {};              ///< that was passed
  double mu_surface = 0;               ///< cosine of its normal and the direction, from 0 on
  double time = 0;                     ///< s; of a path: at its start
  double slowness = 0;                 ///< one over the speed [s/cm]
  const Emission* emission = nullptr;  ///< null: none
  const Location* from =
      nullptr;  ///< with `surface`, or the edge of a lattice's element: before it was passed
  // Continuous energy.
  Energy energy;
  const double* values = nullptr;  ///< cross sections by Reaction; null in voids
};

/// Further state that few tallies use; the history keeps it up to date.
struct NeutronState {
  const CellId* born = nullptr;  ///< cell that the neutron was born in
  const Vector* born_at = nullptr;
  const int* collisions = nullptr;  ///< that the neutron has had, the present one too
  // Continuous energy.
  const NuclearData* nuclear = nullptr;  ///< null: multi-group
  const std::uint64_t* band = nullptr;   ///< see NuclearData::look_up
  const NuclideId* nuclide = nullptr;    ///< that was hit last
};

/// All tallies of a run, ready for scoring.
struct TallyLayout {
  /// Bins of the instances of a cell.
  struct CellInstances {
    std::shared_ptr<const InstanceTable> table;  ///< of the cell's universe
    std::vector<int> bins;                       ///< by instance, -1: none; empty: the instance's number
  };
  struct CompiledFilter {
    FilterType type;
    int stride = 1;           ///< in filter combinations
    std::vector<int> bin_of;  ///< bin by cell, material + 1, universe, surface or group; -1: none. With
                              ///< instances: by cell, index into them
    const Mesh* mesh = nullptr;
    const std::vector<double>* energies = nullptr;  ///< edges; of energies with continuous energy only
    const Filter* source = nullptr;                 ///< as the input has it
    std::vector<CellInstances> instances;
  };
  /// A score of a nuclide, or of all.
  struct Column {
    Score score;
    int nuclide = -1;  ///< index into `nuclides` of the layout; -1: all
    int value =
        0;  ///< continuous energy: place in the event's values, or in the rates of a tally with `rates`
  };
  struct CompiledTally {
    std::vector<CompiledFilter> filters;
    std::vector<Column> columns;
    std::vector<const double*>
        rows;  ///< per column: cross sections by [material][group]; null: flux, analog or continuous energy
    std::vector<std::vector<double>> own_rows;  ///< rows that are of a nuclide
    std::vector<std::uint8_t> silent;  ///< by (material + 1) * groups + group: 1: no row has a value there;
                                       ///< empty: it is not known
    std::int64_t width = 0;            ///< number of columns
    std::int64_t first_bin = 0;
    std::int64_t combinations = 1;
    int mesh_filter = -1;         ///< index into `filters`; -1: none
    int domain_mesh = -1;         ///< the same, if domains can share its cells: regular and not moved
    int time_filter = -1;         ///< the same
    int delayed_filter = -1;      ///< the same
    int surface_mesh = -1;        ///< the same: a filter of faces of mesh cells
    std::vector<int> expansions;  ///< filters all of whose bins get a share
    std::vector<int>
        group_values;  ///< with a filter of delayed groups: places of rates, [column][bin of the filter]
    std::vector<int> weights;  ///< indices of filters that weigh what is counted
    bool by_sign = false;      ///< currents through surfaces, with a sign
    Estimator estimator = Estimator::tracklength;
    bool rates = false;  ///< it needs more than the sums of a material: `rates` of the layout
    std::int64_t bin_count() const noexcept { return combinations * width; }
  };
  std::vector<Filter> filters;
  std::vector<Tally> tallies;
  std::vector<Mesh> meshes;
  std::vector<CompiledTally> compiled;
  std::vector<int> by_flux, by_track, by_collision, analog, by_surface,
      by_face;                        ///< tallies by what feeds them
  std::vector<std::string> nuclides;  ///< that tallies name
  std::vector<int> nuclide_of;  ///< index into `nuclides`, by nuclide of the data; multi-group: by material
  RatePlan rates;               ///< continuous energy: the rates of single nuclides that are needed
  std::vector<std::uint8_t> silent_flux;  ///< as `silent`: of all tallies of by_flux
  std::int64_t bin_count = 0;
  int groups = 0;
  bool continuous = false;
  bool analog_reactions = false;     ///< an analog tally counts single reactions
  std::vector<Score> at_absorption;  ///< that analog tallies count where a neutron is absorbed
  bool analog_velocity = false;      ///< an analog tally counts inverse velocities
  /// Whether a flight that ends there scores in a tally of by_flux, as far as is known.
  bool has_flux_at(MaterialId material, GroupId group) const noexcept {
    return !by_flux.empty() &&
           (silent_flux.empty() || silent_flux[(material.index() + 1) * groups + group.index()] == 0);
  }
  /// For hybrid tracking: what flights with surfaces do for the tallies of by_flux. Those whose path between
  /// two surfaces would cross many cells of a fine mesh score where they collide; the others along the path,
  /// in voids all. Delta flights score where they end: all have the same expectation. `surfaces_per_cm`: that
  /// a straight path meets.
  void divide_flux(double surfaces_per_cm);
  std::vector<int> at_collisions;  ///< of by_flux
  /// Tallies that a flight with surfaces through `matter`, or through a void, scores along its path.
  const std::vector<int>& along_paths(bool matter) const noexcept {
    return by_flux.empty() ? by_track : matter ? along_ : by_flux;
  }
  bool empty() const noexcept { return compiled.empty(); }

 private:
  std::vector<int> along_;  ///< the others of by_flux
};

/// Whether tallies need surface tracking: track lengths asked for by name, or currents.
bool needs_surface_tracking(const std::vector<Tally>& tallies);

/// The properties of materials that tallies need.
struct TallyMaterials {
  int count = 0;                          ///< continuous energy; multi-group materials are in `data`
  const NuclearData* nuclear = nullptr;   ///< continuous energy; null: multi-group
  std::vector<std::string> macroscopics;  ///< multi-group: name of the data of each material
};

/// Prepares scoring. With `delta` flights, tallies without an estimator are fed at each tentative collision,
/// with others along each track. Throws Error: score and filters that do not go together, energies that are
/// not group edges.
TallyLayout make_layout(std::vector<Tally> tallies, std::vector<Filter> filters, std::vector<Mesh> meshes,
                        const Geometry& geometry, const CrossSections& data, bool delta,
                        const TallyMaterials& materials = {});

struct TallyParts;
class WaitingScores;

/// One thread's bins: all, or a window of them (shares.h). Scores outside the window are kept separately. A
/// call changes only this object and, by atomic operations, shared bins.
class TallyBins {
 public:
  /// `window`: null for all bins. `shared`: bins of the window that all threads have; null: own ones.
  explicit TallyBins(const TallyLayout& layout, const TallyParts* window = nullptr,
                     const NeutronState& state = {}, SharedBins* shared = nullptr);
  ~TallyBins();

  /// Flux `amount` at a point: collision-type estimators. `tallies`: by_flux or by_collision of the layout.
  void score_flux(const std::vector<int>& tallies, const Event& event, double amount) noexcept;

  /// Flux along a path of the given length. weight: of the particle. `tallies`: along_paths() of the layout.
  void score_track(const std::vector<int>& tallies, const Event& event, const Vector& start, const Vector& u,
                   double length, double weight) noexcept;

  /// A path without change of direction, for the currents through faces of mesh cells.
  void score_faces(const Event& event, const Vector& start, const Vector& u, double length,
                   double weight) noexcept;

  /// One event of an analog tally: score `what` gets `amount`.
  void score_analog(const Event& event, Score what, double amount) noexcept;

  /// A particle of `weight` passed a surface, or the edge of a lattice's element; `sign`: -1 against the
  /// surface's normal, else 1.
  void score_surface(const Event& event, double weight, double sign) noexcept;

  /// Of the generation, for heating.
  void set_k(double k) noexcept {
    if (k != rates_.k()) score_waiting();
    rates_.set_k(k);
  }

  /// Adds the scores that still wait (waiting_scores.h). Sums are complete then.
  void score_waiting() noexcept;
  /// Of the window; empty with shared bins.
  HotVector<ExactSum>& sums() noexcept {
    score_waiting();
    return sums_;
  }
  /// Ends scoring into shared bins until the next score; `marks` gets those that were scored in.
  void flush(BinMarks& marks) noexcept {
    score_waiting();
    if (!queue_) return;
    queue_->flush();
    marks.take(queue_->marks());
  }

  /// Sums outside of the window, as (first bin, sums of all scores); `clear_outside` forgets them.
  std::size_t outside_count() const noexcept { return outside_.size(); }
  void for_each_outside(const std::function<void(std::int64_t bin, std::span<const ExactSum> sums)>& f) const;
  void clear_outside() noexcept;

  /// Adds sums that another rank had outside of its window and that are in this one.
  void add(std::int64_t bin, std::span<const ExactSum> sums) noexcept;

 private:
  ExactSum* bins_of(const TallyLayout::CompiledTally& tally, std::int64_t combination,
                    bool itself = false) noexcept;
  void wait(const TallyLayout::CompiledTally& tally, std::int64_t combination, const Event& event,
            double amount) noexcept;
  void score_combination(const TallyLayout::CompiledTally& tally, std::int64_t combination,
                         const Event& event, double amount) noexcept;
  void score_continuous(const TallyLayout::CompiledTally& tally, std::int64_t combination, const Event& event,
                        double amount) noexcept;
  void score_groups(const TallyLayout::CompiledTally& tally, std::int64_t combination, const double* values,
                    double amount) noexcept;
  void score_path(const TallyLayout::CompiledTally& tally, std::int64_t combination, const Event& event,
                  const Vector& start, const Vector& u, double length, double weight) noexcept;
  template <typename F>
  void for_each_moment(const TallyLayout::CompiledTally& tally, std::int64_t combination, const Event& event,
                       double amount, const F& f) noexcept;
  int nuclide_hit(const Event& event) const noexcept;
  const double* values_of(const TallyLayout::CompiledTally& tally, const Event& event) noexcept;
  bool scores_nothing(const TallyLayout::CompiledTally& tally, const Event& event) noexcept;
  bool is_silent(const TallyLayout::CompiledTally& tally, const Event& event) const noexcept {
    return !tally.silent.empty() &&
           tally.silent[(event.location->material.index() + 1) * layout_->groups + event.group.index()] != 0;
  }

  const TallyLayout* layout_;
  const TallyParts* window_;
  NeutronState state_;
  Rates rates_;
  std::unique_ptr<WaitingScores> waiting_;  ///< null: nothing has to wait
  std::vector<ExactSum*> waiting_bins_;     ///< of scores that waited
  HotVector<ExactSum> sums_;
  std::optional<BinQueue> queue_;  ///< into shared bins instead
  std::vector<MeshPiece> pieces_;
  std::vector<MeshPassage> passages_;
  std::vector<std::vector<double>> moments_;               ///< of the expansions of a tally
  std::unordered_map<std::int64_t, std::size_t> outside_;  ///< by first bin: place in outside_sums_
  std::vector<ExactSum> outside_sums_;
};

/// Sums over batches of the bins that a rank owns (shares.h); of all bins where there is one rank.
struct TallyStatistics {
  std::vector<double> sum, sum_sq;  ///< per bin
  int realizations = 0;

  void resize(std::int64_t bins) {
    sum.assign(bins, 0);
    sum_sq.assign(bins, 0);
  }
  /// The value of a bin in a batch. In batches without a value it is 0; who adds values counts realizations.
  void add(std::int64_t bin, double value) noexcept {
    sum[bin] += value;
    sum_sq[bin] += value * value;
  }
};

/// Statistics of one tally, its bins counted from 0.
struct TallyView {
  std::span<const double> sum, sum_sq;
  int realizations = 0;
};

}  // namespace taihu::neutron
