// SPDX-License-Identifier: Apache-2.0
// The form of a collective that suits a network compared with a plain one and with what other MPI libraries
// take, on several placements of a job: what `network-model` tells.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "taihu/model/network_placement.h"
#include "taihu/model/network_simulation.h"
#include "taihu/schedule/collective_choice.h"

namespace taihu::model {

struct ComparisonOptions {
  /// Nothing: alltoall, whose plain form is the ring; else the plain form is that without a network.
  std::optional<schedule::Collective> collective;
  std::size_t block_bytes = 512 << 10;  ///< of bcast and allreduce the whole buffer
  schedule::MessageCosts costs;
  int stretches = 2;   ///< of a long schedule; 0: all of it
  int exchanges = 48;  ///< of each stretch
  /// Events within this part of the time of a round, as estimated, count as one.
  double resolution = 0.02;
  int jobs = 1;  ///< placements simulated at the same time
  /// Called, if not empty, after each simulated placement or form; by one thread at a time.
  std::function<void(int done, int all)> progress;
};

struct PlacementTimes {
  std::string placement;
  std::vector<int> nodes;                                ///< member -> node
  std::string choice;                                    ///< why, in one line
  double plain = 0, chosen = 0, openmpi = 0, mpich = 0;  ///< seconds
};

/// One line for each placement, in their order.
std::vector<PlacementTimes> compare_collective(const topology::Interconnect& network,
                                               const std::vector<NetworkPlacement>& placements,
                                               const ComparisonOptions& options);

/// One of the forms that a choice looks at.
struct FormTimes {
  std::string placement, form;
  double estimated = 0, simulated = 0;  ///< seconds
};

/// Of each placement all forms of `options.collective`, the plain one first, then those of other libraries.
/// Throws Error without a collective: forms of alltoall are not listed.
std::vector<FormTimes> compare_forms(const topology::Interconnect& network,
                                     const std::vector<NetworkPlacement>& placements,
                                     const ComparisonOptions& options);
std::string text_of(const topology::Interconnect& network, const ComparisonOptions& options,
                    const std::vector<FormTimes>& lines);
std::string json_of(const topology::Interconnect& network, const ComparisonOptions& options,
                    const std::vector<FormTimes>& lines);

std::string text_of(const topology::Interconnect& network, const ComparisonOptions& options,
                    const std::vector<PlacementTimes>& lines);
std::string json_of(const topology::Interconnect& network, const ComparisonOptions& options,
                    const std::vector<PlacementTimes>& lines);

/// PNG: for each group of nodes that has members a cell, the darker the more members; below it bars of the
/// four times. Throws Error.
void save_picture(const std::string& file, const topology::Interconnect& network,
                  const NetworkPlacement& placement, const PlacementTimes& times, bool is_alltoall = true);

}  // namespace taihu::model
