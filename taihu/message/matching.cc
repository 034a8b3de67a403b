// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/matching.h"

#include <utility>

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
  while (Message* message = in_order_.first()) delete take(message)->landing;
}

Request* MatchQueues::take_posted(int source, Context context, int tag) noexcept {
  if (chained_ == 0) {
    Request* receive = sole_;
    if (receive == nullptr ||
        !admits(receive->source, receive->context, receive->tag, source, context, tag)) {
      return nullptr;
    }
    sole_ = nullptr;
    receive->is_posted = false;
    return receive;
  }
  Posted& named = posted_[bucket(source, context)];
  Request* from_source = first_admitting(named.first(), source, context, tag);
  Request* from_any = first_admitting(posted_any_.first(), source, context, tag);
  const bool any_is_older =
      from_any != nullptr && (from_source == nullptr || from_any->posted_at < from_source->posted_at);
  Request* receive = any_is_older ? from_any : from_source;
  if (receive != nullptr) withdraw(receive);
  return receive;
}

void MatchQueues::append(Request* receive) noexcept {
  (receive->source == any_rank ? posted_any_ : posted_[bucket(receive->source, receive->context)])
      .append(receive);
  ++chained_;
}

void MatchQueues::post(Request* receive) noexcept {
  receive->posted_at = posts_++;
  receive->is_posted = true;
  if (chained_ == 0 && sole_ == nullptr) {
    sole_ = receive;
    return;
  }
  if (sole_ != nullptr) append(std::exchange(sole_, nullptr));
  append(receive);
}

bool MatchQueues::withdraw(Request* receive) noexcept {
  if (!receive->is_posted) return false;
  receive->is_posted = false;
  if (receive == sole_) {
    sole_ = nullptr;
    return true;
  }
  (receive->source == any_rank ? posted_any_ : posted_[bucket(receive->source, receive->context)])
      .remove(receive);
  --chained_;
  return true;
}

Message* MatchQueues::find(int source, Context context, int tag) const noexcept {
  if (in_order_.first() == nullptr) return nullptr;
  if (source == any_rank) {
    Message* message = in_order_.first();
    while (message != nullptr &&
           !admits(source, context, tag, message->source, message->context, message->tag)) {
      message = message->in_order.next;
    }
    return message;
  }
  Message* message = unexpected_[bucket(source, context)].first();
  while (message != nullptr &&
         !admits(source, context, tag, message->source, message->context, message->tag)) {
    message = message->in_bucket.next;
  }
  return message;
}

Message* MatchQueues::find_of(const Request* sender, int source, Context context) const noexcept {
  Message* message = unexpected_[bucket(source, context)].first();
  while (message != nullptr && message->sender != sender) message = message->in_bucket.next;
  return message;
}

Message* MatchQueues::find_sent_by(std::uint64_t initiator, int source, Context context) const noexcept {
  Message* message = unexpected_[bucket(source, context)].first();
  while (message != nullptr && message->initiator != initiator) message = message->in_bucket.next;
  return message;
}

std::unique_ptr<Message> MatchQueues::take(Message* message) noexcept {
  unexpected_[bucket(message->source, message->context)].remove(message);
  in_order_.remove(message);
  return std::unique_ptr<Message>(message);
}

void MatchQueues::keep(std::unique_ptr<Message> message) noexcept {
  Message* kept = message.release();
  unexpected_[bucket(kept->source, kept->context)].append(kept);
  in_order_.append(kept);
}

}  // namespace taihu::message
