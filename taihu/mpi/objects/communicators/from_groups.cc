// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/communicators/from_groups.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/communicators/circle.h"
#include "taihu/mpi/objects/communicators/make_communicator.h"
#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {
namespace {

/// FNV-1a, a byte at a time.
class Hash {
 public:
  void add(std::uint64_t word) noexcept {
    for (int shift = 0; shift < 64; shift += 8) add_byte(static_cast<unsigned char>(word >> shift));
  }
  void add(std::string_view text) noexcept {
    add(text.size());
    for (const char letter : text) add_byte(static_cast<unsigned char>(letter));
  }
  std::uint64_t value() const noexcept { return value_; }

 private:
  void add_byte(unsigned char byte) noexcept { value_ = (value_ ^ byte) * 0x100000001b3; }

  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// A context with the highest bit set, which those that ranks allocate never have, and its lowest three
/// clear.
message::Context meeting_context(std::string_view what, std::string_view text,
                                 const std::vector<int>& ranks) {
  Hash hash;
  hash.add(what);
  hash.add(text);
  for (const int rank : ranks) hash.add(static_cast<std::uint64_t>(rank));
  return static_cast<message::Context>((hash.value() | std::uint64_t{1} << 63) & ~std::uint64_t{7});
}

}  // namespace

Reference<Communicator> make_from_text(Rank& rank, const Reference<Group>& group, std::string_view text) {
  const Circle circle{rank.endpoint(), meeting_context("group", text, group->ranks), 0, group->ranks,
                      group->member_of(rank.number())};
  Words contexts = {static_cast<std::int64_t>(rank.allocate_contexts())};
  circle.broadcast(contexts);
  Reference<Communicator> made(
      new Communicator(rank, static_cast<message::Context>(contexts.front()), group));
  made->session = group->session;
  return made;
}

Reference<Communicator> join_from_text(Rank& rank, const TwoSides& sides, std::string_view text) {
  const Reference<Communicator> local = make_from_text(rank, sides.local, text);
  // Errors are thrown, and nobody asks this one for a handler.
  const bool leads = local->rank == sides.local_leader;
  Reference<Communicator> peers;
  RemoteLeader remote{nullptr, 0, 0};
  if (leads && sides.remote && sides.remote_leader >= 0 && sides.remote_leader < sides.remote->size()) {
    std::vector<int> leaders = {sides.local->ranks[static_cast<std::size_t>(sides.local_leader)],
                                sides.remote->ranks[static_cast<std::size_t>(sides.remote_leader)]};
    const int other = leaders.back();
    if (leaders.front() != other) {
      std::sort(leaders.begin(), leaders.end());
      const message::Context context = meeting_context("leaders", text, leaders);
      peers = Reference<Communicator>(
          new Communicator(rank, context, Reference<Group>(new Group(std::move(leaders)))));
      remote = {peers.get(), peers->group->member_of(other), 0};
    }
  }
  return join_groups(*local, sides.local_leader, remote);
}

}  // namespace taihu::mpi
