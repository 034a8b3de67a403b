// SPDX-License-Identifier: Apache-2.0
// The message layer looks at itself: rings by the side that a thread has, queues and requests under the lock
// of their endpoint, the wire by the thread that is inside. In builds without contracts nothing here does
// anything.
#include <mutex>
#include <set>

#include "taihu/base/contract.h"
#include "taihu/message/local_endpoint.h"
#include "taihu/message/node_process.h"
#include "taihu/message/shared_ring.h"
#include "taihu/message/wire.h"

namespace taihu::message {

/// cells full + cells free + the one that stays free == cells of the ring; the messages that the consumer has
/// not given back, walked from header to header, fill the cells full; the cell behind them is no header.
void CellRing::check_producer() const {
  const std::uint64_t released = released_.load(std::memory_order_acquire);
  ensure(released_seen_ <= released && released <= tail_,
         "cells seen free <= cells given back <= cells written");
  ensure(tail_ - released <= mask_, "cells full <= cells of the ring - 1");
  const auto mark_at = [&](std::uint64_t position) {
    return std::atomic_ref(cell(position).word).load(std::memory_order_relaxed) >> mark_shift;
  };
  std::uint64_t at = released;
  while (at < tail_) {
    ensure(mark_at(at) == lap_mark(at) && had_payload_[at & mask_] == 0,
           "where a message ends the header of the next one stands, with the mark of its lap");
    const std::uint64_t word = std::atomic_ref(cell(at).word).load(std::memory_order_relaxed);
    const std::size_t header = kind_in(word) == CellKind::repeated ? repeated_header_bytes : header_bytes;
    const std::uint32_t cells =
        kind_in(word) == CellKind::skip ? length_in(word) : cells_for(header + length_in(word));
    ensure(cells > 0 && (at & mask_) + cells <= mask_ + 1, "no message wraps");
    at += cells;
  }
  ensure(at == tail_, "cells of all messages == cells full");
  ensure(mark_at(tail_) != lap_mark(tail_) && had_payload_[tail_ & mask_] == 0,
         "behind the newest message no header stands");
}

/// cells given back == where the consumer looks next.
void CellRing::check_consumer() const {
  ensure(released_.load(std::memory_order_relaxed) == head_, "cells given back == cells read");
}

/// As CellRing::check_producer, for lines; and bytes full + bytes free == bytes of the second ring.
void SharedRingWriter::check_invariants() const {
  const std::uint64_t released = head_.lines_released.load(std::memory_order_acquire);
  ensure(lines_released_seen_ <= released && released <= tail_,
         "lines seen free <= lines given back <= lines written");
  ensure(tail_ - released < line_count_, "lines full <= lines of the ring - 1");
  const std::uint64_t bytes_released = head_.bytes_released.load(std::memory_order_acquire);
  ensure(bytes_released_seen_ <= bytes_released && bytes_released <= bytes_tail_,
         "bytes seen free <= bytes given back <= bytes written");
  ensure(bytes_tail_ - bytes_released <= byte_count_, "bytes full <= bytes of the second ring");
  const auto word_at = [&](std::uint64_t position) {
    return std::atomic_ref(word(position)).load(std::memory_order_relaxed);
  };
  std::uint64_t at = released;
  while (at < tail_) {
    const std::uint64_t full = word_at(at);
    ensure(full >> shared_ring::mark_shift == shared_ring::lap_mark(at, shift_),
           "where a record ends the word of the next one stands, with the mark of its lap");
    const std::uint32_t length = static_cast<std::uint32_t>(full) >> 8;
    const std::uint32_t lines =
        (full & 0xff) == shared_ring::skip_kind ? length : shared_ring::lines_of(length);
    ensure(lines > 0 && (at & (line_count_ - 1)) + lines <= line_count_, "no record wraps");
    at += lines;
  }
  ensure(at == tail_, "lines of all records == lines full");
  ensure(word_at(tail_) >> shared_ring::mark_shift != shared_ring::lap_mark(tail_, shift_),
         "behind the newest record no word stands");
}

void SharedRingReader::check_invariants() const {
  ensure(head_.lines_released.load(std::memory_order_relaxed) == position_, "lines given back == lines read");
}

void Channel::check_overflow() {
  std::lock_guard hold(overflow_lock_);
  ensure(overflowing_.load(std::memory_order_relaxed) == !overflow_.empty(),
         "overflowing == the list has messages");
}

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

/// What the rank's lock guards: its queues, its requests, and its side of every channel.
void LocalEndpoint::check_locked() {
  queues_.check_invariants();
  requests_.check_invariants();
  for (const auto& channel : outgoing_)
    if (channel != nullptr) channel->check_sender();
  for (const auto& incoming : incoming_)
    if (Channel* const channel = incoming.load(std::memory_order_acquire); channel != nullptr)
      channel->check_receiver();
}

void LocalEndpoint::check_invariants() {
  std::lock_guard hold(lock_);
  check_locked();
}

/// envelopes in all backlogs == envelopes counted; processes held up == those with a backlog, each once;
/// submissions == envelopes counted; every transfer that was promised a tag has one of its own, in use.
void Wire::check_invariants() {
  ensure(is_inside(), "the thread is inside");
  std::size_t waiting = 0, with_backlog = 0;
  for (const auto& backlog : backlog_) {
    waiting += backlog.size();
    with_backlog += backlog.empty() ? 0 : 1;
  }
  ensure(waiting == backlog_size_, "envelopes in all backlogs == envelopes counted");
  const std::set<int> held_up(held_up_.begin(), held_up_.end());
  ensure(held_up.size() == held_up_.size() && held_up.size() == with_backlog,
         "processes held up == processes with a backlog, each once");
  for (const int process : held_up)
    ensure(!backlog_[static_cast<std::size_t>(process)].empty(), "a process held up has a backlog");
  std::set<int> tags;
  for (const Transfer& transfer : under_way_)
    if (transfer.tag != 0)
      ensure(tags_in_use_.contains(transfer.tag) && tags.insert(transfer.tag).second,
             "a transfer's tag is in use, and no other one's");
  for (const int tag : tags_in_use_)
    ensure(first_data_tag <= tag && tag <= link_.tag_limit(), "first tag of data <= tag in use <= limit");
  std::lock_guard hold(submitted_lock_);
  ensure(submissions_.load(std::memory_order_relaxed) == submitted_.size(),
         "submissions counted == envelopes submitted");
}

}  // namespace taihu::message
