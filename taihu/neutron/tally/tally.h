// SPDX-License-Identifier: Apache-2.0
// Tallies: which events count in which bin, the bins of a thread, and the statistics over batches.
//
// `TallyLayout` is shared and constant: filters, scores, strides. `TallyBins` are one thread's sums of the
// running batch, exact so that they can be added in any order. `TallyStatistics` are sums and sums of squares
// over batches on the rank that owns a bin. Bins of a tally are [filter bins][scores], the last filter
// running fastest, as in OpenMC's files.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "taihu/neutron/geometry/geometry.h"
#include "taihu/neutron/material/cross_sections.h"
#include "taihu/neutron/parallel/hot_vector.h"
#include "taihu/neutron/tally/exact_sum.h"
#include "taihu/neutron/tally/mesh.h"

namespace taihu::neutron {

enum class FilterType { cell, material, universe, mesh, energy, energyout, surface };
enum class Estimator { automatic, tracklength, collision, analog };

/// What the input asks for. Indices, not ids, in `bins`.
struct Filter {
  int id = 0;
  FilterType type = FilterType::cell;
  std::vector<int> bins;     ///< cells, materials, universes or surfaces, by index; mesh: the mesh's index
  std::vector<int> bin_ids;  ///< the same as the user wrote them
  std::vector<double> energies;  ///< edges in eV, rising
  int bin_count = 0;
};

enum class Score {
  flux,
  total,
  scatter,
  nu_scatter,
  absorption,
  fission,
  nu_fission,
  kappa_fission,
  current,
  events
};

struct Tally {
  int id = 0;
  std::string name;
  std::vector<int> filters;  ///< indices
  std::vector<Score> scores;
  Estimator estimator = Estimator::automatic;
};

const char* name_of(FilterType type) noexcept;
const char* name_of(Score score) noexcept;
const char* name_of(Estimator estimator) noexcept;

/// State of a particle as far as filters look at it. `outgoing_group` < 0: none.
struct Event {
  const Location* location = nullptr;
  Vector r;
  int group = 0;
  int outgoing_group = -1;
  int surface = -1;
  // Continuous energy.
  double energy = 0, outgoing_energy = -1;  ///< eV; outgoing < 0: none
  const double* values = nullptr;           ///< cross sections by Reaction; null in voids
};

/// All tallies of a run, ready for scoring.
struct TallyLayout {
  struct CompiledFilter {
    FilterType type;
    int stride = 1;           ///< in filter combinations
    std::vector<int> bin_of;  ///< bin by cell, material + 1, universe, surface or group; -1: none
    const RegularMesh* mesh = nullptr;
    const std::vector<double>* energies = nullptr;  ///< edges; continuous energy only
  };
  struct CompiledTally {
    std::vector<CompiledFilter> filters;
    std::vector<Score> scores;
    std::vector<const double*>
        rows;  ///< per score: cross sections by [material][group]; null: flux, analog or continuous energy
    std::int64_t first_bin = 0;
    std::int64_t combinations = 1;
    int mesh_filter = -1;  ///< index into `filters`; -1: none
    Estimator estimator = Estimator::tracklength;
    std::int64_t bin_count() const noexcept {
      return combinations * static_cast<std::int64_t>(scores.size());
    }
  };
  std::vector<Filter> filters;
  std::vector<Tally> tallies;
  std::vector<RegularMesh> meshes;
  std::vector<CompiledTally> compiled;
  std::vector<int> by_flux, by_track, by_collision, analog, by_surface;  ///< tallies by what feeds them
  std::int64_t bin_count = 0;
  int groups = 0;
  bool continuous = false;
  bool empty() const noexcept { return compiled.empty(); }
};

/// Whether tallies need what only surface tracking gives: track lengths asked for by name, or currents.
bool needs_surface_tracking(const std::vector<Tally>& tallies);

/// Prepares scoring. With `delta` tracking, tallies without an estimator are fed at each tentative collision,
/// else along each track. Throws Error: score and filters that do not go together, energies that are not
/// group edges. `materials`: number of materials with continuous energy; negative: multi-group, they are in
/// `data`.
TallyLayout make_layout(std::vector<Tally> tallies, std::vector<Filter> filters,
                        std::vector<RegularMesh> meshes, const Geometry& geometry, const CrossSections& data,
                        bool delta, int materials = -1);

struct TallyParts;

/// One thread's bins: all, or a window of them (shares.h). What is scored outside of the window is kept
/// apart. Every call only touches this object.
class TallyBins {
 public:
  /// `window`: null for all bins.
  explicit TallyBins(const TallyLayout& layout, const CrossSections& data,
                     const TallyParts* window = nullptr);

  /// Flux `amount` at a point: collision-type estimators. `tallies`: by_flux or by_collision of the layout.
  void score_flux(const std::vector<int>& tallies, const Event& event, double amount) noexcept;

  /// Flux along a path that ends at nothing else than its length. weight: of the particle.
  void score_track(const Event& event, const Vector& start, const Vector& u, double length,
                   double weight) noexcept;

  /// One event of an analog tally: score `what` gets `amount`.
  void score_analog(const Event& event, Score what, double amount) noexcept;

  /// A particle of `weight` passed a surface.
  void score_surface(const Event& event, double weight) noexcept;

  HotVector<ExactSum>& sums() noexcept { return sums_; }  ///< of the window

  /// Sums outside of the window, as (first bin, sums of all scores); `clear_outside` forgets them.
  std::size_t outside_count() const noexcept { return outside_.size(); }
  void for_each_outside(const std::function<void(std::int64_t bin, std::span<const ExactSum> sums)>& f) const;
  void clear_outside() noexcept;

  /// Adds sums that another rank had outside of its window and that are in this one.
  void add(std::int64_t bin, std::span<const ExactSum> sums) noexcept;

 private:
  ExactSum* bins_of(const TallyLayout::CompiledTally& tally, std::int64_t combination) noexcept;
  void score_combination(const TallyLayout::CompiledTally& tally, std::int64_t combination,
                         const Event& event, double amount) noexcept;

  const TallyLayout* layout_;
  const CrossSections* data_;
  const TallyParts* window_;
  HotVector<ExactSum> sums_;
  std::vector<MeshPiece> pieces_;
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
  void add_batch(std::span<const ExactSum> batch, double factor);
};

/// Statistics of one tally, its bins counted from 0.
struct TallyView {
  std::span<const double> sum, sum_sq;
  int realizations = 0;
};

struct Estimate {
  double mean = 0, deviation = 0;
};

/// Mean and its standard deviation of `n` realizations. Deviation is infinite for n < 2.
Estimate estimate(double sum, double sum_sq, int n) noexcept;

}  // namespace taihu::neutron
