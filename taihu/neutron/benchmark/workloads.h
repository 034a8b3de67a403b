// SPDX-License-Identifier: Apache-2.0
// The workloads of the benchmarks: models that this program writes for itself, and a kernel that only
// allocates.
#pragma once

#include <cstdint>
#include <string>

#include "taihu/parallel/loop.h"

namespace taihu::neutron {

/// The example C5G7 of the sources.
extern const char* const c5g7_model_text;
extern const char* const c5g7_library_text;

/// Writes the example into `folder` (which is made), its tally on a mesh of `cells` x `cells`.
void write_c5g7(const std::string& folder, int cells);

/// A fixed source in an endless medium with k = 0.98: a source neutron's fission chain has 50 neutrons on
/// average, most have few and some have thousands, so histories have very different lengths.
void write_chains(const std::string& folder);

/// Vectors that particles own, as in codes that keep a particle's banks and paths in growing vectors. Each of
/// `particles` makes four vectors of 32 bytes to 4 MB (all powers of two equally likely), two of them by
/// appending. Each vector lives until the thread has made 32 later ones. One in four is destroyed by another
/// thread. Particles are shared out by `schedule`. Returns seconds.
double run_particle_vectors(int threads, const parallel::LoopSchedule& schedule, std::int64_t particles);

/// The file of the malloc to which the dynamic linker has bound this program.
std::string heap_in_use();

}  // namespace taihu::neutron
