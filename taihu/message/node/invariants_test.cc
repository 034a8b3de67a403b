// SPDX-License-Identifier: Apache-2.0
// The equations of the message layer hold after much work, and a broken one is noticed; so is a call that
// gives what it must not.
#include <gtest/gtest.h>

#include <deque>

#include "taihu/base/contract_for_tests.h"
#include "taihu/base/random.h"
#include "taihu/message/links/loopback_for_tests.h"
#include "taihu/message/matching/matching.h"
#include "taihu/message/node/node_process.h"
#include "taihu/message/rings/rings_for_tests.h"
#include "taihu/message/rings/shared_ring.h"
#include "taihu/message/wire/wire.h"

namespace taihu::message {
namespace {

class MessageInvariants : public testing::Test {
 protected:
  void SetUp() override {
    if constexpr (!contracts_checked) GTEST_SKIP() << "this build checks no contracts";
  }
};

bool push(CellRing& ring, std::size_t bytes) {
  const CellRing::Place place = ring.reserve(CellKind::eager, 0, 1, bytes);
  if (place.payload == nullptr) return false;
  ring.publish(place, CellKind::eager, 0, 1, bytes);
  return true;
}

TEST_F(MessageInvariants, OfCellRing) {
  OwnCellRing ring(16);
  Random random(3);
  InRing message;
  for (int i = 0; i < 2000; ++i) {
    if (random.below(2) == 0) push(ring, random.below(200));
    if (random.below(2) == 0 && ring.front(message)) ring.pop(message.cells);
    ASSERT_EQ(broken_in(ring), "") << i;
  }
  while (ring.front(message)) ring.pop(message.cells);
  ASSERT_EQ(broken_in(ring), "");
  ASSERT_TRUE(push(ring, 100));
  ASSERT_TRUE(ring.front(message));
  ring.pop(message.cells - 1);
  EXPECT_EQ(broken_in(ring),
            "where a message ends the header of the next one stands, with the mark of its lap");
  ring.pop(1);
  EXPECT_EQ(broken_in(ring), "");
  ring.pop(1);
  EXPECT_EQ(broken_in(ring), "cells seen free <= cells given back <= cells written");
}

TEST_F(MessageInvariants, OfAMessageThatIsShorterThanItsPlace) {
  OwnCellRing ring(16);
  const CellRing::Place place = ring.reserve(CellKind::eager, 0, 1, 100);
  ring.publish(place, CellKind::eager, 0, 1, 8);
  EXPECT_EQ(broken_in(ring),
            "where a message ends the header of the next one stands, with the mark of its lap");
}

TEST_F(MessageInvariants, OfSharedRing) {
  const SharedRingShape shape{64, 4096};
  std::vector<std::byte> region(shape.region_bytes() + 64);
  void* begin = region.data();
  std::size_t space = region.size();
  std::byte* const aligned = static_cast<std::byte*>(std::align(64, shape.region_bytes(), begin, space));
  SharedRingWriter writer(aligned, shape);
  SharedRingReader reader(aligned, shape);
  Random random(5);
  SharedRecord record;
  for (int i = 0; i < 2000; ++i) {
    const std::size_t bytes = random.below(shape.longest_record());
    if (random.below(2) == 0 && writer.reserve(bytes) != nullptr) writer.publish(1, bytes);
    const std::size_t packed = random.below(most_packed_bytes + 1);
    if (random.below(2) == 0 && writer.reserve_packed(packed) != nullptr) writer.publish_packed(packed);
    if (random.below(2) == 0 && reader.front(record)) reader.pop(record);
    ASSERT_EQ(broken_in(writer), "") << i;
    ASSERT_EQ(broken_in(reader), "") << i;
  }
  while (reader.front(record)) reader.pop(record);
  ASSERT_NE(writer.reserve(200), nullptr);
  writer.publish(1, 200);
  ASSERT_TRUE(reader.front(record));
  record.bytes = 1;
  reader.pop(record);
  EXPECT_EQ(broken_in(writer),
            "where a record ends the word of the next one stands, with the mark of its lap");
}

struct Posted {
  explicit Posted(int source, int tag = any_tag) {
    request.source = source;
    request.tag = tag;
    request.context = 7;
  }
  Request request;
};

std::unique_ptr<Message> message_of(int source, int tag) {
  Arrival arrival;
  arrival.source = source;
  arrival.tag = tag;
  arrival.context = 7;
  return std::make_unique<Message>(arrival);
}

TEST_F(MessageInvariants, OfMatchQueues) {
  MatchQueues queues;
  Posted one(1), two(2), any(any_rank, 5);
  EXPECT_EQ(broken_in(queues), "");
  queues.post(&one.request);
  EXPECT_EQ(broken_in(queues), "");
  EXPECT_EQ(queues.withdraw(&one.request), true);
  for (Posted* receive : {&one, &two, &any}) queues.post(&receive->request);
  queues.keep(message_of(3, 4));
  EXPECT_EQ(broken_in(queues), "");

  any.request.tag = any_tag;
  EXPECT_EQ(broken_in(queues), "no posted receive admits a message that is kept");
  any.request.tag = 5;
  two.request.source = 9;
  EXPECT_EQ(broken_in(queues), "bucket of a receive's source and context == bucket that it is in");
  two.request.source = 2;
  one.request.is_posted = false;
  EXPECT_EQ(broken_in(queues), "a receive in the queues is posted and numbered");
  one.request.is_posted = true;
  one.request.in_queue.previous = &two.request;
  EXPECT_EQ(broken_in(queues), "previous(next(receive)) == receive");
  one.request.in_queue.previous = nullptr;
  Message* kept = queues.find(3, 7, 4);
  kept->source = 8;
  EXPECT_EQ(broken_in(queues), "bucket of a message's source and context == bucket that it is in");
  kept->source = 3;
  EXPECT_EQ(broken_in(queues), "");
}

TEST_F(MessageInvariants, OfRequests) {
  threads::Doorbell bell;
  RequestStore store(bell);
  Request* one = store.take();
  EXPECT_EQ(broken_by([&] { store.give_back(one); }), "a request that is given back is complete");
  one->complete();
  store.give_back(one);
  EXPECT_EQ(broken_in(store), "");
  store.give_back(one);
  EXPECT_EQ(broken_in(store), "a request is given back once");
}

class BrokenWire : public MessageInvariants {
 protected:
  std::string broken_inside() {
    std::string what;
    wire_.with_link([&](Link&) { what = broken_in(wire_); });
    return what;
  }

  LoopbackHub hub_{2};
  LoopbackLink link_{hub_, 0}, other_link_{hub_, 1};
  Wire wire_{link_, [](int, const Header&, const std::byte*) {}};
};

TEST_F(BrokenWire, TagThatIsInUseIsGivenBack) {
  EXPECT_EQ(broken_in(wire_), "the thread is inside");
  int landing = 0;
  Outgoing asking;
  asking.process = 1;
  asking.header.kind = EnvelopeKind::get;
  asking.landing = &landing;
  asking.landing_bytes = sizeof landing;
  wire_.submit(std::move(asking));
  EXPECT_EQ(broken_inside(), "");
  wire_.release_tag(first_free_tag + 2);  // of the landing: the first one that is taken
  EXPECT_EQ(broken_inside(), "a transfer's tag is in use, and no other one's");
}

TEST_F(BrokenWire, CallsOfOthersThanTheThreadInside) {
  EXPECT_EQ(broken_by([&] { wire_.send_bulk(1, 5, nullptr, 0, {}); }), "the caller is inside");
  EXPECT_EQ(broken_by([&] { wire_.release_tag(5); }), "a tag is released once");
  Outgoing lost;
  lost.process = 2;
  EXPECT_EQ(broken_by([&] { wire_.submit(lost); }), "0 <= process < processes of the link");
  lost.process = 1;
  lost.payload_bytes = eager_payload_bytes + 1;
  EXPECT_EQ(broken_by([&] { wire_.submit(lost); }), "bytes of a payload <= what an envelope carries");
}

class BrokenCalls : public MessageInvariants {
 protected:
  static launch::Layout two_ranks() {
    launch::Layout layout;
    layout.ranks = 2;
    layout.processes = 1;
    layout.first_rank = {0, 2};
    layout.node_of_process = {0};
    return layout;
  }
  NodeProcess node_{two_ranks(), nullptr, nullptr};
  Endpoint& endpoint_ = node_.endpoint(0);
};

TEST_F(BrokenCalls, RanksTagsAndBuffersThatDoNotExist) {
  int value = 0;
  const auto send = [&](int to, int tag, const void* data) {
    return broken_by([&] { endpoint_.send(to, 0, tag, data, sizeof value); });
  };
  EXPECT_EQ(send(2, 1, &value), "0 <= rank < ranks of the job");
  EXPECT_EQ(send(-1, 1, &value), "0 <= rank < ranks of the job");
  EXPECT_EQ(send(1, any_tag, &value), "a message has a tag");
  EXPECT_EQ(send(1, 1, nullptr), "data of a message have an address or a layout");
  EXPECT_EQ(broken_by([&] { endpoint_.irecv(2, 0, 1, &value, sizeof value); }),
            "a receive is from any_rank or 0 <= source < ranks of the job");
  EXPECT_EQ(broken_by([&] { endpoint_.irecv(1, 0, 1, nullptr, sizeof value); }),
            "a space for bytes has an address or a layout");
  EXPECT_EQ(broken_by([&] { endpoint_.imrecv(nullptr, {&value, sizeof value}); }),
            "there is a message that improbe took");
  EXPECT_EQ(broken_by([&] { node_.begin_call(1, Service::lock, nullptr, 0, [](auto) {}); }),
            "0 <= process < node processes of the job");
  EXPECT_EQ(broken_by([&] { node_.serve(Service::lock, nullptr); }), "a service has a handler");
}

TEST_F(BrokenCalls, StatusOfATransferUnderWay) {
  int value = 0;
  Request* receive = endpoint_.irecv(1, 0, 1, &value, sizeof value);
  EXPECT_EQ(broken_by([&] { (void)endpoint_.status_of(receive); }),
            "a request that is asked for its status is complete");
  node_.endpoint(1).send(0, 0, 1, &value, sizeof value);
  endpoint_.wait(receive, nullptr);
}

using MessageInvariantsDeathTest = MessageInvariants;

// Both sides of the ring are found out by the one that goes on, in calls that cannot throw.
TEST_F(MessageInvariantsDeathTest, ProducerNoticesWithinALapThatAConsumerGaveTooManyCellsBack) {
  OwnCellRing ring(4);
  EXPECT_DEATH(
      {
        ring.pop(1);  // in the middle of the first message, which takes two
        for (int i = 0; i < 32; ++i) push(ring, 8);
      },
      "contract broken: (cells seen free|where a message ends)");
  EXPECT_DEATH(OwnCellRing(3), "lines of a ring: a power of two");
  EXPECT_DEATH(push(ring, 1000), "bytes of a message <= longest payload of the ring");
}

}  // namespace
}  // namespace taihu::message
