// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/matching.h"

namespace taihu::message {

namespace {

bool admits(int wanted_source, Context wanted_context, int wanted_tag, int source, Context context,
            int tag) noexcept {
  return wanted_context == context && (wanted_source == any_rank || wanted_source == source) &&
         (wanted_tag == any_tag || wanted_tag == tag);
}

Request* first_admitting(Request* receive, int source, Context context, int tag) noexcept {
  while (receive != nullptr &&
         !admits(receive->source, receive->context, receive->tag, source, context, tag)) {
    receive = receive->in_queue.next;
  }
  return receive;
}

}  // namespace

MatchQueues::~MatchQueues() {
  while (Unexpected* message = in_order_.first()) {
    take(message);
    delete message;
  }
}

Request* MatchQueues::take_posted(int source, Context context, int tag) noexcept {
  Posted& named = posted_[bucket(source, context)];
  Request* from_source = first_admitting(named.first(), source, context, tag);
  Request* from_any = first_admitting(posted_any_.first(), source, context, tag);
  if (from_any != nullptr && (from_source == nullptr || from_any->posted_at < from_source->posted_at)) {
    posted_any_.remove(from_any);
    return from_any;
  }
  if (from_source != nullptr) named.remove(from_source);
  return from_source;
}

void MatchQueues::post(Request* receive) noexcept {
  receive->posted_at = posts_++;
  (receive->source == any_rank ? posted_any_ : posted_[bucket(receive->source, receive->context)])
      .append(receive);
}

Unexpected* MatchQueues::find(int source, Context context, int tag) const noexcept {
  if (source == any_rank) {
    Unexpected* message = in_order_.first();
    while (message != nullptr &&
           !admits(source, context, tag, message->source, message->context, message->tag)) {
      message = message->in_order.next;
    }
    return message;
  }
  Unexpected* message = unexpected_[bucket(source, context)].first();
  while (message != nullptr &&
         !admits(source, context, tag, message->source, message->context, message->tag)) {
    message = message->in_bucket.next;
  }
  return message;
}

void MatchQueues::take(Unexpected* message) noexcept {
  unexpected_[bucket(message->source, message->context)].remove(message);
  in_order_.remove(message);
}

void MatchQueues::keep(std::unique_ptr<Unexpected> message) noexcept {
  Unexpected* kept = message.release();
  unexpected_[bucket(kept->source, kept->context)].append(kept);
  in_order_.append(kept);
}

}  // namespace taihu::message
