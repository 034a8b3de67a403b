// SPDX-License-Identifier: Apache-2.0
// What a user writes in FILE.toml, read and checked: every fault is one line "FILE:LINE: KEY: problem; what
// to do". docs/reference/nocsim.md lists all keys.
#pragma once

#include <string>
#include <vector>

#include "taihu/noc/collectives/machine.h"
#include "taihu/noc/traffic/traffic.h"

namespace taihu::noc {

struct NamedCommunicator {
  std::string name;
  std::vector<int> members;
};

struct PlannedOperation {
  Operation operation;  ///< without data; `communicator` is the index in RunConfig::communicators
  int repeat = 1;
  Cycle every = 0;  ///< cycles from one repetition to the next; 0: all are called at once
};

struct EnergyConfig {  ///< picojoules; 0: not given
  double link_flit = 0, buffer_flit = 0, arithmetic_word = 0;
};

struct OutputConfig {
  std::string packets, links, heat_map, animation;  ///< files; empty: none
};

struct RunConfig {
  std::string path;
  MachineConfig machine;          ///< costs: those of `parameters.front()`
  std::vector<Costs> parameters;  ///< parameter sets to run one after the other
  TrafficConfig traffic;
  bool has_traffic = false;
  MeasureConfig times;
  std::vector<double> loads;  ///< for sweeps
  std::uint64_t seed = 1;
  std::vector<NamedCommunicator> communicators;
  std::vector<PlannedOperation> operations;
  EnergyConfig energy;
  OutputConfig output;
};

/// Throws Error.
RunConfig read_config(const std::string& path);
/// The same from text; `path` only stands in messages.
RunConfig parse_config(const std::string& text, const std::string& path);

/// Data for every member, from the seed: values whose reduction is exact in any order, so that results can be
/// compared with a sequential reference.
void fill_data(Operation& operation, int members, std::uint64_t seed);

}  // namespace taihu::noc
