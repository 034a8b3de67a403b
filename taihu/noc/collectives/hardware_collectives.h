// SPDX-License-Identifier: Apache-2.0
// The cores' side of collectives in the routers: which packet is sent when, and what the root of the tree
// does.
//
// Operations that go up the tree (reduce, gather, allreduce, barrier) are cut into segments of one packet,
// numbered on their communicator. Ordered admission: a member sends its contribution to segment k only when
// it knows that segment k - window has ended. It knows that from the result of an allreduce or barrier. Where
// most members get no result, the root broadcasts a notice when all segments of a window have ended.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <vector>

#include "taihu/noc/collectives/cores.h"

namespace taihu::noc {

class HardwareCollectives {
 public:
  explicit HardwareCollectives(Cores& cores) : cores_(cores) {}

  /// Tells the members of a communicator that learning has ended.
  void announce(Communicator& communicator);
  void start(int operation);
  void call(int operation, int member);
  /// A packet of a collective has come to `node`.
  void arrived(const Packet& packet, int node);

 private:
  /// What a broadcast packet carries (a field of its header).
  enum Content : std::uint32_t { go, notice, result, data };

  struct Segment {
    int operation = 0;
    std::size_t offset = 0, bytes = 0;
    int weight = 0;               ///< contributions that the root has taken
    std::vector<Packet> packets;  ///< taken ones; combined at once unless the order is fixed
    bool ended = false;
  };
  struct Group {                           ///< a communicator
    std::vector<int> member_at;            ///< per node
    std::deque<Segment> up;                ///< all segments so far
    std::vector<std::uint32_t> next;       ///< per member: first segment not sent
    std::vector<std::vector<bool>> known;  ///< per member: segments that it knows have ended
    std::deque<Segment> down;              ///< segments of broadcasts
    int announced = 0;
  };
  struct Progress {  ///< an operation
    std::vector<bool> called;
    std::vector<int> missing;  ///< per member: segments of its result that have not come
    std::vector<bool> ended;
    int members_left = 0;
    int segments_left = 0;
    std::uint32_t first_segment = 0;
    int segments = 0;
    Bytes at_root;  ///< result at the tree's root
  };

  static std::byte* bytes_of(Packet& packet) { return reinterpret_cast<std::byte*>(packet.data.data()); }
  static const std::byte* bytes_of(const Packet& packet) {
    return reinterpret_cast<const std::byte*>(packet.data.data());
  }
  static bool results_everywhere(Collective collective) {
    return collective == Collective::allreduce || collective == Collective::barrier;
  }
  static Packet combined(std::vector<Packet>& packets);
  static void unpack(const Packet& packet, const Communicator& communicator, std::size_t piece_bytes,
                     std::size_t offset, std::size_t segment_bytes, Bytes& result);

  Group& group(int communicator);
  void cut(int number, std::deque<Segment>& list, Progress& progress);
  void try_send(int communicator, int member);
  void contribute(int communicator, std::uint32_t segment, int member);
  void start_broadcast(int number);
  void broadcast_all(int number);
  void at_root(const Packet& packet);
  void root_took(const Packet& packet);
  void segment_ended(int communicator, std::uint32_t segment);
  void notify(int communicator, std::uint32_t segment);
  void result_at_root(int number);
  void broadcast(int communicator, Content content, std::uint32_t segment, const std::byte* bytes,
                 std::size_t length);
  void broadcast_arrived(const Packet& packet, int node);
  void learn_ended(int communicator, int member, std::uint32_t segment);
  void take_part(int number, int member, const Segment& segment, const std::byte* bytes);
  void try_end(int number, int member, Cycle cost);
  void end_member(int number, int member);
  int root_member(int communicator);
  bool combines_gather(const Communicator& communicator, int member, std::size_t bytes) const;

  Cores& cores_;
  std::map<int, Group> groups_;
  std::map<int, Progress> progress_;
};

}  // namespace taihu::noc
