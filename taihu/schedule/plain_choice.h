// SPDX-License-Identifier: Apache-2.0
// Which form of bcast, allgather, allreduce and reduce_scatter is taken where no network is described: by the
// length and the number of members. All members choose alike. The one choice for calls that wait and for
// those in the background.
//
// A ring has a round for each member, so it is worth its rounds only where each member's part is long. In
// between are forms with log2 n rounds that move about as many bytes. In the background a round is dearer: it
// waits until a thread of every member looks, so that few members exchange all in one round, and rings of
// many begin later.
#pragma once

#include <cstddef>

#include "taihu/schedule/collective_choice.h"

namespace taihu::schedule {

enum class PlainForm {
  tree,
  scatter_exchange,
  scatter_doubling,
  scatter_ring,
  bruck,
  halving_distances,
  ring,
  doubling,
  halving,
  all_at_once
};
inline constexpr std::size_t plain_forms = 10;
inline constexpr std::size_t collectives = 4;

/// The lengths that take a form; `bytes` as in schedule_of.
struct PlainRange {
  static constexpr std::size_t no_end = static_cast<std::size_t>(-1);
  PlainForm form = PlainForm::all_at_once;
  std::size_t first = 0;
  std::size_t last = no_end;
  const char* reason = "";  ///< a few words
};

/// The range that `bytes` are in.
PlainRange plain_range(Collective collective, int members, std::size_t bytes, const LongBytes& lengths = {},
                       Progress progress = Progress::in_the_call) noexcept;

/// The form by its kind, which the collective has.
CollectiveForm plain_form(Collective collective, PlainForm form, int members);

}  // namespace taihu::schedule
