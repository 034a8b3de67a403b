// SPDX-License-Identifier: Apache-2.0
// The loop over histories, shared out to OpenMP threads by a schedule that can be chosen.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace taihu::neutron {

/// Schedule of OpenMP's loops. Histories have very different lengths: small chunks of `dynamic` keep threads
/// busy.
struct Schedule {
  enum class Kind { fixed, dynamic, guided };
  Kind kind = Kind::dynamic;
  int chunk = 64;  ///< 0: OpenMP's default of the kind
};

/// "static", "dynamic,64", "guided,1". Throws Error when the text is not one.
Schedule parse_schedule(const std::string& text);

/// Calls body(thread, i) for i in [0, count), with thread in [0, threads). The body must not throw.
void parallel_for(int threads, const Schedule& schedule, std::int64_t count,
                  const std::function<void(int thread, std::int64_t i)>& body);

/// Threads of OpenMP's default team.
int default_threads();

}  // namespace taihu::neutron
