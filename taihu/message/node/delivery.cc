// SPDX-License-Identifier: Apache-2.0
// The receiving half of an endpoint: takes messages out of channels and inbox and brings them to their
// receives.
#include <algorithm>
#include <bit>
#include <utility>

#include "taihu/message/node/local_endpoint.h"
#include "taihu/message/node/node_process.h"

namespace taihu::message {

namespace {

/// After so many looks into channels that were empty the silent ones are looked for, which costs a barrier of
/// all cores, as much as some hundred looks. Where each thread has a core, looks take nobody's time.
constexpr std::uint32_t looks_between_retirements = 16384;
constexpr std::uint32_t looks_between_retirements_when_crowded = 1024;
/// So many channels are polled without ever asking, and so many polls tell which are silent.
constexpr int channels_always_polled = 4;
constexpr std::uint32_t least_polls = 16;

/// A rank that shares its node process looks at the link on every eighth turn, unless it waits for just that:
/// a test of the MPI library costs as much as eight of ours.
constexpr std::uint32_t turns_between_link_polls = 8;
/// Turns in which a rank alone in its node process looks at nothing but what its partner sends next: some
/// microseconds.
constexpr int turns_to_take_next = 256;

}  // namespace

void LocalEndpoint::push_inbox(InboxMessage message) {
  {
    std::lock_guard hold(inbox_lock_);
    inbox_.push_back(std::move(message));
    inbox_filled_.store(true, std::memory_order_release);
  }
  doorbell_.ring();
}

bool LocalEndpoint::deliver_at_once(const Arrival& arrival) {
  if (!begin_delivery()) return false;
  deliver(arrival, nullptr);
  end_delivery();
  return true;
}

bool LocalEndpoint::begin_delivery() {
  if (!lock_.try_lock()) return false;
  if (!inbox_filled_.load(std::memory_order_acquire)) [[likely]]
    return true;
  lock_.unlock();
  return false;
}

void LocalEndpoint::end_delivery() {
  lock_.unlock();
  doorbell_.ring();
}

inline void LocalEndpoint::finish_receive(Request* receive, int source, const InRing& message) {
  const Space& space = receive->space;
  const std::size_t bytes = std::min<std::size_t>(message.bytes, space.bytes);
  if (space.layout == nullptr) {
    copy_short(space.address, message.payload, bytes);
  } else {
    copy_message(space, {message.payload, message.bytes}, bytes);
  }
  receive->status = {source, message.tag, message.bytes,
                     message.bytes > space.bytes ? Error::truncated : Error::none};
  // Who drains rings the doorbell for all.
  receive->done.store(true, std::memory_order_release);
}

bool LocalEndpoint::deliver_to_receive(int source, const InRing& message) {
  Request* const receive = queues_.take_posted(source, message.context, message.tag);
  if (receive == nullptr) return false;
  finish_receive(receive, source, message);
  return true;
}

/// As receive_directly: the message that is next in the queues of its process, to the receive that is the
/// only one, needs no matching.
bool LocalEndpoint::receive_from_afar(int source, Context context, int tag, const Space& space,
                                      Status* status) {
  if (tag == any_tag || node_.remote() == nullptr || node_.cores() == Cores::crowded) return false;
  // Ranks that share the node process look at the link in turns.
  const int turns = node_.local_ranks() == 1 ? turns_to_take_next : 1;
  const auto may_take = [&] { return !inbox_filled_.load(std::memory_order_acquire) && !lock_.is_wanted(); };
  return node_.remote()->take_next(source, rank_, context, tag, turns, may_take, [&](const InPlace& payload) {
    const std::size_t bytes = std::min(payload.bytes, space.bytes);
    if (space.layout == nullptr) {
      copy_short(space.address, payload.address, bytes);
    } else {
      copy_message(space, {payload.address, payload.bytes}, bytes);
    }
    if (status != nullptr) {
      *status = {source, tag, payload.bytes, payload.bytes > space.bytes ? Error::truncated : Error::none};
    }
  });
}

/// What the rank sends itself goes straight to the receive that waits for it; false when none does: then it
/// takes the way of all messages, behind those that the rank has sent itself before.
bool LocalEndpoint::deliver_to_itself(Context context, int tag, const Data& data) {
  std::lock_guard hold(lock_);
  if (!queues_.has_posted()) return false;
  if (mailbox_.has_letters()) drain_mailbox();
  drain_channel_of(local_index_);
  Request* const receive = queues_.take_posted(rank_, context, tag);
  if (receive == nullptr) return false;
  Arrival arrival;
  arrival.source = rank_;
  arrival.tag = tag;
  arrival.context = context;
  arrival.bytes = data.bytes;
  arrival.data = static_cast<const std::byte*>(data.address);
  arrival.layout = data.layout;
  finish_receive(receive, arrival);
  return true;
}

Request* LocalEndpoint::match_at_once(const Arrival& arrival) {
  std::unique_lock hold(lock_, std::try_to_lock);
  if (!hold.owns_lock() || inbox_filled_.load(std::memory_order_acquire)) return nullptr;
  Request* receive = queues_.take_posted(arrival.source, arrival.context, arrival.tag);
  if (receive == nullptr) return nullptr;
  set_status(*receive, arrival);
  receive->await_data();
  return receive;
}

void LocalEndpoint::poll_link_in_turn() {
  if (node_.remote() == nullptr) return;
  if (node_.local_ranks() == 1) return void(node_.poll());
  const std::uint32_t turn = turns_.load(std::memory_order_relaxed);
  turns_.store(turn + 1, std::memory_order_relaxed);
  if (turn % turns_between_link_polls == 0) node_.poll();
}

void LocalEndpoint::drain() {
  if (mailbox_.has_letters()) drain_mailbox();
  drain_channels();
  if (inbox_filled_.load(std::memory_order_acquire)) drain_inbox();
  ++polls_;
  if (looks_in_vain_ < looks_between_retirements_when_crowded || polls_ < least_polls) [[likely]]
    return;
  if (looks_in_vain_ < looks_between_retirements && node_.cores() == Cores::enough) return;
  retire_silent_channels();
  looks_in_vain_ = 0;
  polls_ = 0;
  if constexpr (contracts_checked) check_locked();
}

void LocalEndpoint::drain_channels() {
  for (unsigned word = 0; word < active_.words(); ++word) {
    // Acquire: a set bit makes the table entry of its channel visible.
    std::uint64_t bits = active_[word].load(std::memory_order_acquire);
    for (; bits != 0; bits &= bits - 1) {
      const unsigned peer = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
      Channel* channel = incoming_[peer].load(std::memory_order_acquire);
      if (drain(*channel) != 0) {
        channel->idle_polls = 0;
      } else {
        ++channel->idle_polls;
        ++looks_in_vain_;
      }
    }
  }
}

inline __attribute__((always_inline)) void LocalEndpoint::deliver(Channel& channel, const InRing& message) {
  // The sender's letters are older; they have come since the mailbox was emptied.
  if (mailbox_.has_letters()) [[unlikely]]
    drain_mailbox();
  if (message.kind != CellKind::announced) [[likely]] {
    Request* receive = queues_.take_posted(channel.source(), message.context, message.tag);
    if (receive != nullptr) {
      finish_receive(receive, channel.source(), message);
    } else {
      keep_unexpected(channel.arrival_in(message), nullptr);
    }
  } else {
    deliver(channel.arrival_in(message), nullptr);
  }
}

int LocalEndpoint::drain(Channel& channel) {
  const int delivered = channel.drain([&](const InRing& message) { deliver(channel, message); },
                                      [this](const Arrival& arrival) { deliver(arrival, nullptr); });
  if (delivered != 0) doorbell_.ring();
  return delivered;
}

void LocalEndpoint::drain_channel_of(int peer_index) {
  Channel* channel = incoming_[static_cast<unsigned>(peer_index)].load(std::memory_order_acquire);
  if (channel == nullptr) return;
  while (drain(*channel) != 0) {
  }
}

void LocalEndpoint::drain_inbox() {
  std::vector<InboxMessage> messages;
  {
    std::lock_guard hold(inbox_lock_);
    messages.swap(inbox_);
    inbox_filled_.store(false, std::memory_order_relaxed);
  }
  for (InboxMessage& message : messages) {
    if (message.arrival.kind == Arrival::Kind::withdrawal)
      withdraw_sent_there(message.arrival);
    else
      deliver(message.arrival, std::move(message.owned));
  }
}

void LocalEndpoint::withdraw_sent_there(const Arrival& withdrawal) {
  Message* message = queues_.find_sent_by(withdrawal.initiator, withdrawal.source, withdrawal.context);
  // Matched before: the send completes as if nobody had cancelled it.
  if (message != nullptr) node_.remote()->withdrawn(*queues_.take(message));
}

void LocalEndpoint::retire_silent_channels() {
  int active = 0;
  for (unsigned word = 0; word < active_.words(); ++word)
    active += std::popcount(active_[word].load(std::memory_order_relaxed));
  if (active <= channels_always_polled) return;
  std::vector<unsigned> retired;
  for (unsigned word = 0; word < active_.words(); ++word) {
    std::uint64_t bits = active_[word].load(std::memory_order_acquire);
    for (; bits != 0; bits &= bits - 1) {
      const unsigned peer = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
      Channel* channel = incoming_[peer].load(std::memory_order_acquire);
      if (channel->idle_polls < polls_ / 2) continue;
      active_[word].fetch_and(~bit_of(static_cast<int>(peer)), std::memory_order_relaxed);
      retired.push_back(peer);
    }
  }
  if (retired.empty()) return;
  threads::heavy_barrier();
  for (const unsigned peer : retired) {
    Channel* channel = incoming_[peer].load(std::memory_order_acquire);
    channel->idle_polls = 0;
    if (!channel->has_messages()) continue;
    active_[peer / 64].fetch_or(bit_of(static_cast<int>(peer)), std::memory_order_relaxed);
  }
}

void LocalEndpoint::deliver(const Arrival& arrival, std::unique_ptr<std::byte[]> owned) {
  Request* receive = queues_.take_posted(arrival.source, arrival.context, arrival.tag);
  if (receive != nullptr) {
    finish_receive(receive, arrival);
  } else {
    keep_unexpected(arrival, std::move(owned));
  }
}

void LocalEndpoint::keep_unexpected(const Arrival& arrival, std::unique_ptr<std::byte[]> owned) {
  auto message = std::make_unique<Message>(arrival);
  message->owned = std::move(owned);
  // Short messages are buffered wherever they came from, so that a short send never waits for its receive.
  const bool is_short_announced = arrival.kind == Arrival::Kind::announced_here &&
                                  arrival.bytes <= node_.tuning().eager_bytes &&
                                  arrival.sender->mode == SendMode::standard;
  const bool is_in_ring = arrival.kind == Arrival::Kind::here && message->owned == nullptr;
  if (is_in_ring || is_short_announced) buffer(*message);
  queues_.keep(std::move(message));
}

void LocalEndpoint::buffer(Message& message) {
  std::byte* const data = message.own_data();
  copy_message({data, message.bytes}, {message.data, message.bytes, message.layout}, message.bytes);
  message.data = data;
  message.layout = nullptr;
  message.kind = Arrival::Kind::here;
  Request* sender = std::exchange(message.sender, nullptr);
  if (sender != nullptr) sender->complete();
}

void LocalEndpoint::copy_announced(const Space& space, const Data& data, std::size_t bytes,
                                   const Request& sender) {
  // The sender's request is on the other core, so it is looked at last.
  if (bytes < node_.tuning().shared_copy_bytes || space.layout != nullptr || bytes < data.bytes ||
      sender.helpers == nullptr) {
    return copy_message(space, data, bytes);
  }
  SharedCopy copy(space.address, data.address, bytes);
  sender.helpers->copy(copy);
}

void LocalEndpoint::set_status(Request& receive, const Arrival& arrival) noexcept {
  receive.status = {arrival.source, arrival.tag, arrival.bytes,
                    arrival.bytes > receive.space.bytes ? Error::truncated : Error::none};
}

/// As Request::complete, without a look at the request, which is in the cache of the sender's core.
void LocalEndpoint::complete_send(const Arrival& arrival) noexcept {
  arrival.sender->done.store(true, std::memory_order_release);
  node_.local_endpoint_of(arrival.source)->doorbell_.ring();
}

void LocalEndpoint::finish_receive(Request* receive, const Arrival& arrival) {
  const std::size_t bytes = std::min(arrival.bytes, receive->space.bytes);
  set_status(*receive, arrival);
  if (arrival.kind == Arrival::Kind::announced_there) {
    receive->await_data();
    return node_.remote()->accept(arrival, receive->space, bytes, receive);
  }
  if (arrival.kind == Arrival::Kind::landing) {
    receive->await_data();
    return node_.remote()->claim(arrival.landing, receive);
  }
  const Data data{arrival.data, arrival.bytes, arrival.layout};
  if (arrival.kind == Arrival::Kind::announced_here) {
    copy_announced(receive->space, data, bytes, *arrival.sender);
    complete_send(arrival);
  } else {
    copy_message(receive->space, data, bytes);
    if (arrival.process >= 0) node_.remote()->consumed(arrival);
  }
  receive->complete();
}

}  // namespace taihu::message
