// SPDX-License-Identifier: Apache-2.0
// The files that a run leaves in its folder next to the statepoints: summary, tallies as text, pictures.
#pragma once

#include <functional>
#include <string>

#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// Largest number of values of a tally that is written as text; a value takes about 90 bytes and half a
/// microsecond.
constexpr std::int64_t most_text_values = 1'000'000;

class ResultFiles {
 public:
  /// `all_tallies`: tallies of more than most_text_values are written as text, too.
  ResultFiles(const Model& model, std::string folder, bool all_tallies)
      : model_(model), folder_(std::move(folder)), all_tallies_(all_tallies) {}

  std::string statepoint_after(int batch) const;
  /// `batch` 0: the file that is written again after each batch.
  std::string source_after(int batch) const;
  std::string collision_track(int file) const;                   ///< 0: the only one
  std::string surface_source_after(int batch, bool only) const;  ///< only: the first and last one
  std::string tracks() const { return place("tracks.h5"); }

  /// Throws Error when one of the files cannot be written. To be called before the batches, so that no work
  /// is lost.
  void look_at(const TallyLayout& layout) const;

  /// Called by the root alone, when all ranks have written the last statepoint. `say` gets finished lines.
  /// Throws Error.
  void write(const Simulation& simulation, const std::function<void(const std::string&)>& say) const;

 private:
  std::string place(const std::string& name) const;
  std::string picture_of(const TallyLayout& layout, std::size_t tally, std::size_t column) const;

  const Model& model_;
  std::string folder_;
  bool all_tallies_;
};

}  // namespace taihu::neutron
