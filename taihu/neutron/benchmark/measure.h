// SPDX-License-Identifier: Apache-2.0
// Runs of workloads under variants (a heap, options of rmc run), in turns; the figure is the median.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/benchmark/benchmark.h"

namespace taihu::neutron {

/// One way to run: `preload` names a library with another malloc; options are those of rmc run. In them,
/// SHARE stands for histories of a generation / threads.
struct Variant {
  std::string name;
  std::string preload = "";  // named initializers may leave it out
  std::string schedule = "dynamic,64";
  std::string vectors = "aligned";
};

/// The time of a model is that of its active batches; the time of the particle vectors is that of the kernel.
struct Workload {
  std::string name, folder;  ///< no folder: particle vectors
  long particles = 0;
  int inactive = 0, active = 0;
};

/// Writes the models into the options' folder.
Workload c5g7_pins(const BenchmarkOptions& options);
Workload c5g7_fine_mesh(const BenchmarkOptions& options);  ///< a tally of 10^6 mesh cells
Workload chains(const BenchmarkOptions& options);
Workload particle_vectors(const BenchmarkOptions& options);

/// Median seconds by variant.
std::vector<double> measure(const Workload& workload, const std::vector<Variant>& variants,
                            const BenchmarkOptions& options);

/// Whether the dynamic linker finds `library` and binds malloc to it.
bool heap_is_there(const std::string& library, const BenchmarkOptions& options);

/// The file of this program's malloc when no library is preloaded.
std::string own_heap(const BenchmarkOptions& options);

}  // namespace taihu::neutron
