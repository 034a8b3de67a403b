// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/choice.h"

#include <algorithm>
#include <cstdlib>

#include "taihu/base/units.h"
#include "taihu/collective/plain_forms.h"

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

void read_length(const char* variable, std::size_t& length) {
  const char* const text = std::getenv(variable);
  if (text != nullptr && *text != '\0') length = static_cast<std::size_t>(parse_bytes(text, variable));
}

/// Up to here, where there are enough members, blocks of an alltoall travel together in log2 n messages.
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

namespace among_leaders {

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

/// From so many bytes on every member combines a part only of what is reduced to one.
constexpr std::size_t long_reduction_bytes = 16 << 10;
/// Exchanges of one member under way at once in an alltoall.
constexpr int most_transfers = 32;
/// Blocks of a long broadcast begin at cache lines.
constexpr std::size_t cache_line_bytes = 64;
/// Below, the data themselves are better sent than their addresses.
constexpr std::size_t least_shared_bytes = 1024;  ///< times members
/// In a shared reduction everybody writes to everybody.
constexpr int most_sharing_members = 64;

/// In parts, and in any order.
bool is_free(const Operand& operand) noexcept {
  return operand.commutative && operand.divisible;
}

bool is_long(Place place, const Operand& operand) noexcept {
  return is_free(operand) && operand.bytes() >= long_reduction_bytes &&
         operand.count >= static_cast<std::size_t>(place.members) && place.members > 2;
}

std::size_t mean_count(const schedule::Blocks& blocks) noexcept {
  const auto members = static_cast<std::size_t>(blocks.members());
  return (blocks.total() + members - 1) / members;
}

Program in_its_form(const Members& members, schedule::Collective collective, std::size_t bytes,
                    const schedule::Payload& payload) {
  if (members.forms != nullptr)
    return members.forms->form(collective, bytes).make(members.place, payload, {});
  return schedule::plain_form(collective, members.place.members, bytes, long_bytes(),
                              schedule::Progress::in_the_background)
      .make(members.place, payload, {});
}

}  // namespace

Program bcast(const Members& members, std::size_t count, std::size_t unit_bytes, int root, bool divisible) {
  schedule::Payload payload;
  payload.count = count;
  payload.root = root;
  if (unit_bytes < cache_line_bytes) payload.granule = cache_line_bytes / unit_bytes;
  Program program = in_its_form(members, schedule::Collective::bcast, count * unit_bytes, payload);
  const bool is_cut =
      std::ranges::any_of(program.steps, [count](const schedule::Step& step) { return step.count != count; });
  return divisible || !is_cut ? program : schedule::staged_bcast(members.place, program, count, root);
}

Program allgather(const Members& members, const schedule::Blocks& blocks, const schedule::Blocks& expected) {
  schedule::Payload payload;
  payload.blocks = blocks;
  return in_its_form(members, schedule::Collective::allgather, mean_count(expected), payload);
}

Program alltoall(Place place, std::span<const schedule::Range> sources,
                 std::span<const schedule::Range> results, bool equal) {
  const std::size_t own = results[static_cast<std::size_t>(place.me)].count;
  if (equal && among_leaders::alltoall_is_short(place.members, own))
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

Program allreduce(const Members& members, const Operand& operand) {
  if (!is_free(operand)) return schedule::allreduce_recursive_doubling(members.place, operand.count);
  schedule::Payload payload;
  payload.count = operand.count;
  return in_its_form(members, schedule::Collective::allreduce, operand.bytes(), payload);
}

Program reduce_scatter(const Members& members, const Operand& operand, const schedule::Blocks& blocks) {
  if (!is_free(operand)) return schedule::reduce_scatter_direct(members.place, blocks);
  schedule::Payload payload;
  payload.blocks = blocks;
  return in_its_form(members, schedule::Collective::reduce_scatter, mean_count(blocks) * operand.unit_bytes,
                     payload);
}

bool shares_reduction(int members, const Operand& operand) noexcept {
  return operand.divisible && members > 1 && members <= most_sharing_members &&
         operand.bytes() >= least_shared_bytes * static_cast<std::size_t>(members);
}

}  // namespace among_all
}  // namespace taihu::collective
