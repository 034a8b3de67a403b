// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/choice.h"

#include <cstdlib>

#include "taihu/base/units.h"

namespace taihu::collective {

using schedule::Place;
using schedule::Program;

namespace {

/// To so many members an empty block of its own length is sent as well. In larger groups most blocks are
/// empty in many programs, and one message for each would cost more than what is to be sent.
constexpr int most_members_with_empty_blocks = 32;

schedule::Nothing nothing_of(int members, bool equal) noexcept {
  return equal || members <= most_members_with_empty_blocks ? schedule::Nothing::sent
                                                            : schedule::Nothing::left_out;
}

}  // namespace

namespace among_leaders {
namespace {

void read_length(const char* variable, std::size_t& length) {
  const char* const text = std::getenv(variable);
  if (text != nullptr && *text != '\0') length = static_cast<std::size_t>(parse_bytes(text, variable));
}

/// Up to here, where there are enough members, blocks travel together in log2 n messages.
constexpr std::size_t short_alltoall_bytes = 256;  ///< of one block
constexpr int many_alltoall_members = 8;

}  // namespace

const schedule::LongBytes& long_bytes() {
  static const schedule::LongBytes lengths = [] {
    schedule::LongBytes read;
    read_length("TAIHU_LONG_BCAST_BYTES", read.bcast);
    read_length("TAIHU_LONG_ALLGATHER_BYTES", read.allgather);
    read_length("TAIHU_LONG_ALLREDUCE_BYTES", read.allreduce);
    return read;
  }();
  return lengths;
}

/// Enough to hide latency, few enough not to flood a receiver.
const int alltoall_window = 8;

schedule::Nothing empty_blocks(int members, bool equal) noexcept {
  return nothing_of(members, equal);
}

bool alltoall_is_short(int members, std::size_t bytes) noexcept {
  return members >= many_alltoall_members && bytes <= short_alltoall_bytes;
}

}  // namespace among_leaders

namespace among_all {
namespace {

/// Above these, what counts is how often data cross the memory or the network, below how many messages follow
/// each other.
constexpr std::size_t long_bcast_bytes = 64 << 10;
constexpr std::size_t short_allgather_bytes = 16 << 10;  ///< all blocks together
constexpr std::size_t short_alltoall_bytes = 256;        ///< of one block
constexpr std::size_t long_reduction_bytes = 16 << 10;   ///< every member combines a part only
/// Below so many members blocks do not travel together.
constexpr int many_members = 8;
/// Transfers of one member under way at once.
constexpr int most_transfers = 32;
/// Blocks of a long broadcast begin at cache lines.
constexpr std::size_t cache_line_bytes = 64;
/// Below, the data themselves are better sent than their addresses.
constexpr std::size_t least_shared_bytes = 1024;  ///< times members
/// In a shared reduction everybody writes to everybody.
constexpr int most_sharing_members = 64;

bool is_long(Place place, const Operand& operand) noexcept {
  return operand.commutative && operand.divisible && operand.bytes() >= long_reduction_bytes &&
         operand.count >= static_cast<std::size_t>(place.members) && place.members > 2;
}

}  // namespace

Program bcast(Place place, std::size_t count, std::size_t unit_bytes, int root, bool divisible) {
  if (count * unit_bytes < long_bcast_bytes || place.members <= 4)
    return schedule::bcast_binomial(place, count, root);
  const std::size_t granule = unit_bytes < cache_line_bytes ? cache_line_bytes / unit_bytes : 1;
  const Program program = schedule::bcast_scatter_exchange(place, count, root, granule);
  return divisible ? program : schedule::staged_bcast(place, program, count, root);
}

Program allgather(Place place, const schedule::Blocks& blocks, bool equal) {
  if (equal && place.members >= many_members && blocks.total() <= short_allgather_bytes)
    return schedule::allgather_bruck(place, blocks);
  return place.members > most_transfers ? schedule::allgather_ring(place, blocks)
                                        : schedule::allgather_direct(place, blocks);
}

Program alltoall(Place place, std::span<const schedule::Range> sources,
                 std::span<const schedule::Range> results, bool equal) {
  const std::size_t own = results[static_cast<std::size_t>(place.me)].count;
  if (equal && place.members >= many_members && own <= short_alltoall_bytes)
    return schedule::alltoall_bruck(place, own);
  return schedule::alltoall_pairwise(place, sources, results, most_transfers,
                                     nothing_of(place.members, equal));
}

Program reduce(Place place, const Operand& operand, int root) {
  if (is_long(place, operand)) return schedule::reduce_halving(place, operand.count, root);
  return schedule::reduce_binomial(
      place, operand.count, root,
      operand.commutative ? schedule::Operands::commutative : schedule::Operands::ordered);
}

Program allreduce(Place place, const Operand& operand) {
  return is_long(place, operand) ? schedule::allreduce_halving(place, operand.count)
                                 : schedule::allreduce_recursive_doubling(place, operand.count);
}

bool shares_reduction(int members, const Operand& operand) noexcept {
  return operand.divisible && members > 1 && members <= most_sharing_members &&
         operand.bytes() >= least_shared_bytes * static_cast<std::size_t>(members);
}

}  // namespace among_all
}  // namespace taihu::collective
