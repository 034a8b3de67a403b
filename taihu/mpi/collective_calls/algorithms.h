// SPDX-License-Identifier: Apache-2.0
// Algorithms of collectives among the members of one group, added to a schedule. Every member adds its part;
// what decides between two algorithms is equal on all of them. Blocks that hold no data are not sent: their
// receivers know as much.
//
// Sources: R. Thakur, R. Rabenseifner, W. Gropp: Optimization of Collective Communication Operations in
// MPICH, IJHPCA 19(1), 2005; J. Bruck et al.: Efficient Algorithms for All-to-All Communications in Multiport
// Message-Passing Systems, IEEE TPDS 8(11), 1997.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "taihu/mpi/collective_calls/schedule.h"

namespace taihu::mpi {

/// The members of a group, as ranks of the job, and my number among them.
struct Team {
  const std::vector<int>& ranks;
  int me;

  int size() const noexcept { return static_cast<int>(ranks.size()); }
  int operator[](int member) const noexcept { return ranks[static_cast<std::size_t>(member)]; }
};

void plan_barrier(Schedule& schedule, const Team& team);
void plan_bcast(Schedule& schedule, const Team& team, const Piece& buffer, int root);

/// One block per member on the root, none elsewhere. `mine` is null where the root's own is in place.
void plan_gather(Schedule& schedule, const Team& team, const Piece* mine, std::span<const Piece> blocks,
                 int root);
void plan_scatter(Schedule& schedule, const Team& team, std::span<const Piece> blocks, const Piece* mine,
                  int root);
/// `equal`: all blocks have the same length, on all members.
void plan_allgather(Schedule& schedule, const Team& team, const Piece* mine, std::span<const Piece> blocks,
                    bool equal);
/// `equal`: all blocks of all members have the same length. The two sets of blocks are apart.
void plan_alltoall(Schedule& schedule, const Team& team, std::span<const Piece> source,
                   std::span<const Piece> result, bool equal);

/// Elements to be combined, and how a schedule handles arrays of them. Arrays of the schedule's own are
/// addressed as the program addresses its buffers, with the type's lower bound.
class Elements {
 public:
  Elements(Schedule& schedule, const Reducer& reducer, std::size_t count)
      : schedule_(schedule), reducer_(reducer), count_(count) {}

  Schedule& schedule() const noexcept { return schedule_; }
  std::size_t count() const noexcept { return count_; }
  const Reducer& reducer() const noexcept { return reducer_; }
  bool commutative() const noexcept { return reducer_.commutative(); }
  bool is_plain() const noexcept { return reducer_.is_plain(); }
  std::size_t total_bytes() const noexcept { return count_ * reducer_.stride(); }

  std::byte* new_array(std::size_t count) const;
  std::byte* at(std::byte* array, std::size_t element) const noexcept {
    return array + static_cast<std::ptrdiff_t>(element) * reducer_.type().extent;
  }
  message::Space space(std::byte* array, std::size_t count) const;
  message::Data data(const std::byte* array, std::size_t count) const;
  void copy(std::byte* target, const std::byte* source, std::size_t count) const {
    schedule_.copy(space(target, count), data(source, count));
  }
  /// inout = in (op) inout.
  void reduce(const std::byte* in, std::byte* inout, std::size_t count) const {
    schedule_.reduce(in, inout, count);
  }

 private:
  Schedule& schedule_;
  const Reducer& reducer_;
  std::size_t count_;
};

/// `source` of all members, combined in their order, into `result` (used on the root only). In place:
/// `result` is `source`.
void plan_reduce(const Elements& elements, const Team& team, std::byte* source, std::byte* result, int root);
void plan_allreduce(const Elements& elements, const Team& team, std::byte* source, std::byte* result);

/// The same for members of one node process: they tell each other their buffers, and each combines its share
/// of the elements straight from and to the buffers of all. Not for everybody: see `is_direct`.
void plan_direct_reduce(const Elements& elements, const Team& team, std::byte* source, std::byte* result,
                        int root);
void plan_direct_allreduce(const Elements& elements, const Team& team, std::byte* source, std::byte* result);
/// Whether that is possible and worth while. All members must be in one node process.
bool is_direct(const Elements& elements, const Team& team);

/// `counts[k]` elements for member k; in place: the block of member 0 is `result`.
void plan_reduce_scatter(const Elements& elements, const Team& team, std::byte* source, std::byte* result,
                         std::span<const std::size_t> counts);
void plan_scan(const Elements& elements, const Team& team, std::byte* source, std::byte* result);
/// The result of member 0 is not touched.
void plan_exscan(const Elements& elements, const Team& team, std::byte* source, std::byte* result);

}  // namespace taihu::mpi
