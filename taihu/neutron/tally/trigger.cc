// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/tally/trigger.h"

#include <algorithm>
#include <cmath>

#include "taihu/neutron/geometry/surface.h"
#include "taihu/neutron/tally/estimate.h"

namespace taihu::neutron {

double excess(const Trigger& trigger, const Estimate& value) noexcept {
  if (!std::isfinite(value.deviation)) return infinity;
  const double relative = value.mean != 0 ? value.deviation / std::fabs(value.mean) : infinity;
  switch (trigger.metric) {
    case Trigger::Metric::variance:
      return value.deviation / std::sqrt(trigger.threshold);
    case Trigger::Metric::deviation:
      return value.deviation / trigger.threshold;
    case Trigger::Metric::relative:
      return relative / trigger.threshold;
  }
  return infinity;
}

TriggerStatus check_triggers(const TallyLayout& layout, const BinShares& shares, int rank,
                             const TallyStatistics& statistics) {
  TriggerStatus status;
  for (std::size_t tally = 0; tally < layout.tallies.size(); ++tally)
    for (const Trigger& trigger : layout.tallies[tally].triggers) {
      const std::size_t scores = layout.tallies[tally].scores.size();
      std::vector<bool> asked(scores, trigger.scores.empty());
      for (const int score : trigger.scores) asked[score] = true;
      shares.for_each_run(rank, tally, [&](const BinRun& run) {
        for (std::int64_t i = 0; i < run.count; ++i) {
          if (!asked[static_cast<std::size_t>(run.bin_in_tally + i) % scores]) continue;
          const std::int64_t bin = run.place + i;
          if (statistics.sum[bin] == 0 && trigger.ignore_zeros) continue;
          const double here = statistics.sum[bin] == 0
                                  ? infinity
                                  : excess(trigger, estimate(statistics.sum[bin], statistics.sum_sq[bin],
                                                             statistics.realizations));
          if (here > status.excess) status = {here, static_cast<int>(tally)};
        }
      });
    }
  return status;
}

}  // namespace taihu::neutron
