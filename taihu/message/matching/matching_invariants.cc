// SPDX-License-Identifier: Apache-2.0
// What matching queues and the store of requests keep, as equations, under the lock of their endpoint. Builds
// without contracts do not ask.
#include <set>

#include "taihu/base/contract.h"
#include "taihu/message/matching/matching.h"

namespace taihu::message {

/// One posted receive: it says so, was numbered by `post`, and would take none of the messages that are kept.
void MatchQueues::check_posted(const Request* receive) const {
  ensure(receive->is_posted && receive->posted_at < posts_, "a receive in the queues is posted and numbered");
  ensure(find(receive->source, receive->context, receive->tag) == nullptr,
         "no posted receive admits a message that is kept");
}

/// The length of a chain of posted receives, in which each is younger than the one before.
std::size_t MatchQueues::checked_chain(const Posted& chain) const {
  std::size_t length = 0;
  const Request* previous = nullptr;
  for (const Request* receive = chain.first(); receive != nullptr; receive = receive->in_queue.next) {
    ensure(receive->in_queue.previous == previous, "previous(next(receive)) == receive");
    ensure(previous == nullptr || previous->posted_at < receive->posted_at,
           "receives of a chain stand in the order in which they were posted");
    check_posted(receive);
    previous = receive;
    ++length;
  }
  ensure(chain.last() == previous, "the last receive of a chain ends it");
  return length;
}

/// receives in all chains == receives counted; each is in the chain of its source and context; messages in
/// buckets == messages in order of arrival; and a receive and a message that fit each other are never both
/// here.
void MatchQueues::check_invariants() const {
  ensure(sole_ == nullptr || chained_ == 0, "one receive alone is in no chain");
  if (sole_ != nullptr) check_posted(sole_);
  std::size_t chained = checked_chain(posted_any_);
  for (const Request* receive = posted_any_.first(); receive != nullptr; receive = receive->in_queue.next)
    ensure(receive->source == any_rank, "receives of the chain of wildcards are from any source");
  std::size_t kept = 0;
  for (std::size_t place = 0; place < buckets; ++place) {
    chained += checked_chain(posted_[place]);
    for (const Request* receive = posted_[place].first(); receive != nullptr;
         receive = receive->in_queue.next)
      ensure(receive->source != any_rank && bucket(receive->source, receive->context) == place,
             "bucket of a receive's source and context == bucket that it is in");
    for (const Message* message = unexpected_[place].first(); message != nullptr;
         message = message->in_bucket.next, ++kept)
      ensure(message->source != any_rank && bucket(message->source, message->context) == place,
             "bucket of a message's source and context == bucket that it is in");
  }
  ensure(chained == chained_, "receives in all chains == receives counted");
  for (const Message* message = in_order_.first(); message != nullptr; message = message->in_order.next) {
    ensure(message->in_order.next != nullptr || message == in_order_.last(),
           "the last message of a chain ends it");
    --kept;
  }
  ensure(kept == 0, "messages in all buckets == messages in order of arrival");
}

void RequestStore::check_invariants() const {
  std::set<const Request*> all, free(free_.begin(), free_.end());
  for (const Request& request : all_) all.insert(&request);
  ensure(free.size() == free_.size(), "a request is given back once");
  for (const Request* request : free)
    ensure(all.contains(request) && request->done.load(std::memory_order_relaxed) && !request->is_posted,
           "a free request is one of the endpoint, complete and in no queue");
}

}  // namespace taihu::message
