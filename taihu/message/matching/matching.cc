// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/matching/matching.h"

#include <algorithm>
#include <utility>

namespace taihu::message {

namespace {

Request* first_admitting(Request* receive, int source, Context context, int tag) noexcept {
  while (receive != nullptr && !admits(*receive, source, context, tag)) receive = receive->in_queue.next;
  return receive;
}

}  // namespace

MatchQueues::~MatchQueues() {
  while (Message* message = in_order_.first()) delete take(message)->landing;
}

Request* MatchQueues::take_chained(int source, Context context, int tag) noexcept {
  Posted& named = posted_[bucket(source, context)];
  Request* from_source = first_admitting(named.first(), source, context, tag);
  Request* from_any = first_admitting(posted_any_.first(), source, context, tag);
  if (from_source == nullptr && from_any == nullptr) return nullptr;
  const bool any_is_older =
      from_any != nullptr && (from_source == nullptr || from_any->posted_at < from_source->posted_at);
  Request* receive = any_is_older ? from_any : from_source;
  receive->is_posted = false;
  (any_is_older ? posted_any_ : named).remove(receive);
  --chained_;
  return receive;
}

bool MatchQueues::withdraw(Request* receive) noexcept {
  if (!receive->is_posted) return false;
  receive->is_posted = false;
  if (receive == sole_) {
    sole_ = nullptr;
    return true;
  }
  posted_for(receive).remove(receive);
  --chained_;
  return true;
}

bool MatchQueues::has_posted(Context context) const noexcept {
  if (sole_ != nullptr && sole_->context == context) return true;
  const auto holds = [&](const Posted& queue) {
    const Request* receive = queue.first();
    while (receive != nullptr && receive->context != context) receive = receive->in_queue.next;
    return receive != nullptr;
  };
  return holds(posted_any_) || std::ranges::any_of(posted_, holds);
}

Message* MatchQueues::search(int source, Context context, int tag) const noexcept {
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
