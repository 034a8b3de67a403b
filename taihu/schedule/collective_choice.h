// SPDX-License-Identifier: Apache-2.0
// Which form of bcast, allgather, allreduce and reduce_scatter suits a network: the form that is taken
// without a network, unless another one is estimated to be clearly faster. All members that know the same
// network and the same places choose alike.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "taihu/schedule/alltoall_choice.h"
#include "taihu/schedule/blocks.h"

namespace taihu::schedule {

enum class Collective { bcast, allgather, allreduce, reduce_scatter };
const char* name_of(Collective collective) noexcept;

/// What a call moves, in units.
struct Payload {
  std::size_t count = 0;    ///< of bcast and allreduce
  std::size_t granule = 1;  ///< where an allreduce is cut, or a bcast that all exchange at once
  int root = 0;             ///< of bcast
  Blocks blocks{};          ///< of allgather and reduce_scatter, by member
  bool apart = false;       ///< source and result of an allreduce are not the same memory
};

/// A form of a collective, of any payload. Operations are commutative unless another thing is told.
struct CollectiveForm {
  std::string name;
  int rounds = 0;  ///< of the longest program
  std::function<Program(Place, const Payload&, Rounds)> make;
  /// Exchanges of a member under way together; 0: those of the steps' rounds.
  int window = 0;
};

/// `form` for equal payloads: `bytes` are those of the buffer of bcast and allreduce, of one block of the
/// others.
Schedule schedule_of(Collective collective, const CollectiveForm& form, int members, std::size_t bytes);

/// From so many bytes on bandwidth counts more than the number of rounds, for up to four members; what that
/// is for more of them: plain_choice.h.
struct LongBytes {
  std::size_t bcast = 64 << 10;
  std::size_t allgather = 64 << 10;  ///< all blocks together
  /// The ring's two passes over the buffer, with one addition of each element, beat log2 n passes.
  std::size_t allreduce = 64 << 10;
};

/// Who moves the data on.
enum class Progress {
  in_the_call,       ///< members that do nothing else
  in_the_background  ///< whenever a thread of each member looks
};

/// What is taken where no network is described. `bytes` as in schedule_of.
CollectiveForm plain_form(Collective collective, int members, std::size_t bytes,
                          const LongBytes& lengths = {}, Progress progress = Progress::in_the_call);

/// Seconds of `form` if all began each round together: what a choice goes by. `bytes` as in schedule_of.
double estimate_seconds(Collective collective, const CollectiveForm& form, const Placed& placed,
                        std::size_t bytes, const MessageCosts& costs = {});

struct CollectiveChoice {
  CollectiveForm form;
  std::string reason;  ///< one line: the form, its estimate, and that of the plain form
};
/// The plain form, or the one with the least estimate when that is clearly less.
CollectiveChoice choose_collective(Collective collective, const Placed& placed, std::size_t bytes,
                                   const LongBytes& lengths = {}, const MessageCosts& costs = {});

/// All that a choice looks at, the plain form first: for tests.
std::vector<CollectiveForm> collective_forms(Collective collective, const Placed& placed, std::size_t bytes,
                                             const LongBytes& lengths = {});

/// What Open MPI 4.1 (coll/tuned, fixed rules for groups of 1024 and more; smaller ones take the same here)
/// and MPICH 4 take for commutative operations: they do not look at the network. K-nomial and binary trees
/// are played as binomial trees, an allgather by recursive doubling as Bruck's, a segmented ring as a ring.
CollectiveForm openmpi_form(Collective collective, int members, std::size_t bytes);
CollectiveForm mpich_form(Collective collective, int members, std::size_t bytes);

}  // namespace taihu::schedule
