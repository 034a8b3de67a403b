// SPDX-License-Identifier: Apache-2.0
// Reductions among members of one node process: one round of messages with addresses, the work, and one round
// of empty messages that say that nobody needs a member's buffers any more.
#include "taihu/collective/reduce_share.h"
#include "taihu/mpi/collective_calls/algorithms.h"

namespace taihu::mpi {
namespace {

/// Below, the data themselves are better sent.
constexpr std::size_t least_bytes_per_member = 1024;
/// Everybody writes to everybody.
constexpr int most_members = 64;

/// What a member tells the others.
struct Offer {
  const std::byte* source;
  std::byte* result;
  std::size_t count;
};

/// Results of members [first, end).
void plan(const Elements& elements, const Team& team, const Offer& mine, int first, int end) {
  if (mine.count == 0) return;
  Schedule& schedule = elements.schedule();
  const int members = team.size(), me = team.me;
  auto* const offers =
      reinterpret_cast<Offer*>(schedule.scratch(static_cast<std::size_t>(members) * sizeof(Offer)));
  offers[me] = mine;
  const auto with_all = [&](std::size_t bytes) {
    for (int k = 0; k < members; ++k) {
      if (k == me) continue;
      schedule.receive(team[k], {bytes != 0 ? offers + k : nullptr, bytes});
      schedule.send(team[k], {bytes != 0 ? offers + me : nullptr, bytes});
    }
    schedule.end_round();
  };
  with_all(sizeof(Offer));
  schedule.work([offers, members, me, first, end, &reducer = elements.reducer()] {
    const std::size_t count = offers[me].count;
    for (int k = 0; k < members; ++k) {
      if (offers[k].count != count) return MPI_ERR_COUNT;
    }
    collective::Scratch scratch;
    collective::PieceBuffers pieces(reducer.stride(), scratch);
    if (!pieces.has_memory()) return MPI_ERR_NO_MEM;
    const auto addresses = [offers](int member) -> const Offer& { return offers[member]; };
    collective::reduce_share(addresses, me, members, pieces, count, reducer.reduction(), first, end);
    return MPI_SUCCESS;
  });
  with_all(0);
}

}  // namespace

bool is_direct(const Elements& elements, const Team& team) {
  const int members = team.size();
  return elements.is_plain() && members > 1 && members <= most_members &&
         elements.total_bytes() >= least_bytes_per_member * static_cast<std::size_t>(members);
}

void plan_direct_reduce(const Elements& elements, const Team& team, std::byte* source, std::byte* result,
                        int root) {
  plan(elements, team, {source, result, elements.count()}, root, root + 1);
}

void plan_direct_allreduce(const Elements& elements, const Team& team, std::byte* source, std::byte* result) {
  plan(elements, team, {source, result, elements.count()}, 0, team.size());
}

}  // namespace taihu::mpi
