// SPDX-License-Identifier: Apache-2.0
// The queues with buckets against a plain list that is searched from the front.
#include "taihu/message/matching/matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <list>

#include "taihu/base/random.h"

namespace taihu::message {
namespace {

struct PlainReceive {
  Request* request;
  int source, tag;
  Context context;
};
struct PlainMessage {
  std::size_t number;
  int source, tag;
  Context context;
};

template <class A, class B>
bool fits(const A& receive, const B& message) {
  return receive.context == message.context &&
         (receive.source == any_rank || receive.source == message.source) &&
         (receive.tag == any_tag || receive.tag == message.tag);
}

class Match : public testing::TestWithParam<int> {};

TEST_P(Match, AgreesWithAPlainListOnRandomTraffic) {
  const int sources = GetParam();
  Random random(static_cast<unsigned>(sources));
  threads::Doorbell bell;
  std::deque<Request> requests;
  MatchQueues queues;
  std::list<PlainReceive> receives;
  std::list<PlainMessage> messages;
  for (std::size_t step = 0; step < 20000; ++step) {
    // Phases with more receives than messages and the reverse make both queues grow.
    const bool receive_now = random.below(10) < (step / 1000 % 2 == 0 ? 4U : 6U);
    const int source = static_cast<int>(random.below(static_cast<unsigned>(sources)));
    const int tag = static_cast<int>(random.below(4));
    const auto context = static_cast<Context>(random.below(2));
    if (step % 16 == 0) {
      const auto is_in = [&](const PlainReceive& receive) { return receive.context == context; };
      ASSERT_EQ(queues.has_posted(context), std::ranges::any_of(receives, is_in));
    }
    if (step % 5 == 0 && !receives.empty()) {  // receives in the middle leave, too
      auto leaving = receives.begin();
      std::advance(leaving, static_cast<long>(random.below(static_cast<unsigned>(receives.size()))));
      ASSERT_TRUE(queues.withdraw(leaving->request));
      ASSERT_FALSE(queues.withdraw(leaving->request));
      receives.erase(leaving);
    }
    if (receive_now) {
      const PlainReceive receive{&requests.emplace_back(bell), random.below(3) == 0 ? any_rank : source,
                                 random.below(3) == 0 ? any_tag : tag, context};
      auto expected = messages.begin();
      while (expected != messages.end() && !fits(receive, *expected)) ++expected;
      Message* found = queues.find(receive.source, receive.context, receive.tag);
      ASSERT_EQ(found != nullptr, expected != messages.end());
      if (found != nullptr) {
        ASSERT_EQ(found->bytes, expected->number);
        queues.take(found);
        messages.erase(expected);
      } else {
        receive.request->source = receive.source;
        receive.request->tag = receive.tag;
        receive.request->context = receive.context;
        queues.post(receive.request);
        receives.push_back(receive);
      }
    } else {
      const PlainMessage message{step, source, tag, context};
      auto expected = receives.begin();
      while (expected != receives.end() && !fits(*expected, message)) ++expected;
      Request* found = queues.take_posted(source, context, tag);
      ASSERT_EQ(found, expected == receives.end() ? nullptr : expected->request);
      if (found != nullptr) {
        receives.erase(expected);
      } else {
        Arrival arrival;
        arrival.source = source;
        arrival.tag = tag;
        arrival.context = context;
        arrival.bytes = step;
        queues.keep(std::make_unique<Message>(arrival));
        messages.push_back(message);
      }
    }
  }
}

// 200 sources share buckets.
INSTANTIATE_TEST_SUITE_P(Sources, Match, testing::Values(1, 3, 200));

}  // namespace
}  // namespace taihu::message
