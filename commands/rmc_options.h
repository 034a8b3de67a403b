// SPDX-License-Identifier: Apache-2.0
// The command line of rmc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "taihu/neutron/output/picture.h"
#include "taihu/neutron/run/run_model.h"

namespace taihu::neutron {

/// What the command line says, with the defaults of what it does not say. Numbers below 1 and empty texts
/// stand for the model's.
struct Options {
  std::string model = ".", vectors = "aligned", benchmark = "all", tracking, schedule = "dynamic,64",
              statepoints = "parallel", statepoint, output, library, target;
  std::int64_t particles = 0, points = 100000;
  int batches = 0, inactive = -1;  // -1: the model's
  std::uint64_t seed = 0;
  RunOptions run;
  Slice slice;
  std::string basis = "xy", colour = "material", picture = "plot.png";
  std::vector<double> origin{0, 0, 0}, width{10, 10}, box;
  std::vector<int> pixels{800, 800}, domains{1, 1, 1};
  std::vector<double> domain_box;
  bool fission_matrix = false, fixed_domains = false;
  int move_domains = 0;
  int repeats = 3;
  double scale = 1;
  int ranks = 4;
  std::string folder;
};

/// What the command line asks for.
enum class Command { nothing_more, run, check, plot, convert_library, bench };

/// Reads the command line. Help and version are printed, and leave nothing more to do.
/// @throws UsageError for words that cannot be.
Command parse_options(int argc, char** argv, Options& options);

}  // namespace taihu::neutron
