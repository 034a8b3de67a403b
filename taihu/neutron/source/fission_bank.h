// SPDX-License-Identifier: Apache-2.0
// From the fission sites of one generation to the source of the next.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "taihu/neutron/particle/random.h"
#include "taihu/neutron/particle/site.h"
#include "taihu/parallel/communicator.h"

namespace taihu::neutron {

/// First history of a rank when `count` are shared out evenly; rank `ranks` gives `count`.
inline std::int64_t first_history(std::int64_t count, int rank, int ranks) noexcept {
  return count / ranks * rank + count % ranks * rank / ranks;
}

/// Sites of all threads in the order of the histories that made them, which does not depend on the threads.
/// Each list has the sites of one history together and in the order in which it made them.
std::vector<Site> in_history_order(const std::vector<std::vector<Site>*>& lists, std::int64_t histories);

/// Takes `count` of all ranks' sites at even distances, beginning at a random place, and gives each rank its
/// share, in order. This is a comb: every site is taken count / total times on average, rounded up or down.
/// Throws Error when there are no sites. Collective. Source: T. E. Booth, A weight (charge) conserving
/// importance-weighted comb for Monte Carlo, LA-UR-96-0051 (1996). With `weights`, positive and one for each
/// site, a site is taken in proportion to its weight.
std::vector<Site> next_source(parallel::Communicator& ranks, const std::vector<Site>& sites,
                              std::int64_t count, Stream random, std::span<const std::int64_t> weights = {});

}  // namespace taihu::neutron
