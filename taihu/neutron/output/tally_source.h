// SPDX-License-Identifier: Apache-2.0
// Gives the statistics of tallies to texts and pictures, piece by piece, because no rank has memory for all.
#pragma once

#include <algorithm>
#include <functional>

#include "taihu/neutron/tally/tally.h"

namespace taihu::neutron {

/// Statistics of `count` bins of a tally from its bin `first` on; valid until the next call. May throw Error.
using TallySource = std::function<TallyView(std::size_t tally, std::int64_t first, std::int64_t count)>;

/// Calls f(first, n, statistics) for pieces of whole combinations of the filters, in their order.
template <typename Function>
void for_each_piece(const TallyLayout& layout, const TallySource& source, std::size_t tally,
                    const Function& f) {
  const TallyLayout::CompiledTally& compiled = layout.compiled[tally];
  const std::int64_t piece = std::max<std::int64_t>(1, (1 << 16) / std::max<std::int64_t>(1, compiled.width));
  for (std::int64_t first = 0; first < compiled.combinations; first += piece) {
    const std::int64_t n = std::min(piece, compiled.combinations - first);
    f(first, n, source(tally, first * compiled.width, n * compiled.width));
  }
}

}  // namespace taihu::neutron
