// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/local_endpoint.h"

#include <algorithm>
#include <bit>

#include "taihu/message/node_process.h"

namespace taihu::message {

namespace {

/// How often silent channels are looked for, in polls, and how many are polled without ever asking.
constexpr std::uint32_t polls_between_retirements = 1024;
constexpr int channels_always_polled = 4;

/// A rank that waits looks at the link on every eighth turn: a test of the MPI library costs as much as eight
/// of ours.
constexpr std::uint32_t turns_between_link_polls = 8;

}  // namespace

LocalEndpoint::LocalEndpoint(NodeProcess& node, int rank, int local_index)
    : node_(node),
      rank_(rank),
      local_index_(local_index),
      active_((static_cast<unsigned>(node.local_ranks()) + 63) / 64),
      incoming_(static_cast<unsigned>(node.local_ranks())),
      outgoing_(static_cast<unsigned>(node.local_ranks())),
      requests_(doorbell_),
      sent_(doorbell_) {
  sent_.done.store(true, std::memory_order_relaxed);
}

Node& LocalEndpoint::node() noexcept {
  return node_;
}

Request* LocalEndpoint::take_request() {
  std::lock_guard hold(lock_);
  return requests_.take();
}

Channel& LocalEndpoint::channel_to(LocalEndpoint& peer) {
  std::unique_ptr<Channel>& channel = outgoing_[static_cast<unsigned>(peer.local_index_)];
  if (!channel) {
    channel = std::make_unique<Channel>(rank_, node_.tuning().ring_cells);
    peer.incoming_[static_cast<unsigned>(local_index_)].store(channel.get(), std::memory_order_release);
  }
  return *channel;
}

void LocalEndpoint::notice_from(int peer_index) noexcept {
  threads::light_barrier();
  std::atomic<std::uint64_t>& bits = bits_of(peer_index);
  if ((bits.load(std::memory_order_relaxed) & bit_of(peer_index)) == 0) {
    bits.fetch_or(bit_of(peer_index), std::memory_order_release);
  }
  doorbell_.ring();
}

Request* LocalEndpoint::isend(int destination, Context context, int tag, const void* data,
                              std::size_t bytes) {
  LocalEndpoint* peer = node_.local_endpoint_of(destination);
  if (peer == nullptr) {
    Request* request = take_request();
    node_.remote()->send_message(rank_, destination, context, tag, data, bytes, request);
    return request;
  }
  Request* request = &sent_;
  {
    std::lock_guard hold(lock_);
    Channel& channel = channel_to(*peer);
    if (bytes > node_.tuning().eager_bytes || !channel.push_eager(context, tag, data, bytes)) {
      request = requests_.take();
      channel.announce(context, tag, {data, bytes, request});
    }
  }
  peer->notice_from(local_index_);
  return request;
}

Request* LocalEndpoint::irecv(int source, Context context, int tag, void* buffer, std::size_t capacity) {
  std::lock_guard hold(lock_);
  Request* receive = requests_.take();
  receive->buffer = static_cast<std::byte*>(buffer);
  receive->capacity = capacity;
  receive->source = source;
  receive->context = context;
  receive->tag = tag;
  Unexpected* message = queues_.find(source, context, tag);
  if (message == nullptr) {
    queues_.post(receive);
    return receive;
  }
  queues_.take(message);
  const std::unique_ptr<Unexpected> owner(message);
  finish_receive(receive, *message);
  return receive;
}

bool LocalEndpoint::iprobe(int source, Context context, int tag, Status* status) {
  poll_link_in_turn();
  std::lock_guard hold(lock_);
  drain();
  const Unexpected* message = queues_.find(source, context, tag);
  if (message == nullptr) return false;
  if (status != nullptr) *status = Status{message->source, message->tag, message->bytes, Error::none};
  return true;
}

bool LocalEndpoint::test(Request* request, Status* status) {
  if (request == nullptr || request == &sent_) {
    if (status != nullptr) *status = Status{};
    return true;
  }
  poll_link_in_turn();
  std::lock_guard hold(lock_);
  if (!request->done.load(std::memory_order_acquire)) {
    drain();
    if (!request->done.load(std::memory_order_acquire)) return false;
  }
  if (status != nullptr) *status = request->status;
  requests_.give_back(request);
  return true;
}

void LocalEndpoint::wait(Request* request, Status* status) {
  if (test(request, status)) return;
  doorbell_.wait([&] { return test(request, status); });
}

Request* LocalEndpoint::put(int destination, const void* source, memory::SymmetricAddress target,
                            std::size_t bytes, const memory::SymmetricAddress* reply) {
  LocalEndpoint* peer = node_.local_endpoint_of(destination);
  if (peer == nullptr) {
    Request* request = take_request();
    node_.remote()->put(rank_, destination, source, target, bytes, reply, request);
    return request;
  }
  void* to = node_.resolve(*peer, target, bytes, rank_);
  int* word =
      reply == nullptr ? nullptr : static_cast<int*>(node_.resolve(*peer, *reply, sizeof(int), rank_));
  copy_bytes(to, source, bytes);
  if (word != nullptr) std::atomic_ref(*word).fetch_add(1, std::memory_order_release);
  peer->doorbell_.ring();
  return nullptr;
}

Request* LocalEndpoint::get(int from, memory::SymmetricAddress source, void* target, std::size_t bytes) {
  LocalEndpoint* peer = node_.local_endpoint_of(from);
  if (peer == nullptr) {
    Request* request = take_request();
    node_.remote()->get(rank_, from, source, target, bytes, request);
    return request;
  }
  copy_bytes(target, node_.resolve(*peer, source, bytes, rank_), bytes);
  return nullptr;
}

void LocalEndpoint::progress() {
  poll_link_in_turn();
  std::lock_guard hold(lock_);
  drain();
}

void LocalEndpoint::push_inbox(InboxMessage message) {
  {
    std::lock_guard hold(inbox_lock_);
    inbox_.push_back(std::move(message));
    inbox_filled_.store(true, std::memory_order_release);
  }
  doorbell_.ring();
}

void LocalEndpoint::poll_link_in_turn() {
  if (node_.remote() == nullptr) return;
  const std::uint32_t turn = turns_.load(std::memory_order_relaxed);
  turns_.store(turn + 1, std::memory_order_relaxed);
  if (turn % turns_between_link_polls == 0) node_.poll();
}

void LocalEndpoint::drain() {
  drain_channels();
  if (inbox_filled_.load(std::memory_order_acquire)) drain_inbox();
  if (++polls_ % polls_between_retirements == 0) retire_silent_channels();
}

void LocalEndpoint::drain_channels() {
  for (unsigned word = 0; word < active_.size(); ++word) {
    // Acquire: a set bit makes the table entry of its channel visible.
    std::uint64_t bits = active_[word].bits.load(std::memory_order_acquire);
    for (; bits != 0; bits &= bits - 1) {
      const unsigned peer = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
      Channel* channel = incoming_[peer].load(std::memory_order_acquire);
      const int delivered = channel->drain([this](const Arrival& arrival) { deliver(arrival, nullptr); });
      channel->idle_polls = delivered != 0 ? 0 : channel->idle_polls + 1;
    }
  }
}

void LocalEndpoint::drain_inbox() {
  std::vector<InboxMessage> messages;
  {
    std::lock_guard hold(inbox_lock_);
    messages.swap(inbox_);
    inbox_filled_.store(false, std::memory_order_relaxed);
  }
  for (InboxMessage& message : messages) deliver(message.arrival, std::move(message.owned));
}

void LocalEndpoint::retire_silent_channels() {
  int active = 0;
  for (const ActiveChannels& word : active_)
    active += std::popcount(word.bits.load(std::memory_order_relaxed));
  if (active <= channels_always_polled) return;
  std::vector<unsigned> retired;
  for (unsigned word = 0; word < active_.size(); ++word) {
    std::uint64_t bits = active_[word].bits.load(std::memory_order_acquire);
    for (; bits != 0; bits &= bits - 1) {
      const unsigned peer = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
      Channel* channel = incoming_[peer].load(std::memory_order_acquire);
      if (channel->idle_polls < polls_between_retirements / 2) continue;
      active_[word].bits.fetch_and(~bit_of(static_cast<int>(peer)), std::memory_order_relaxed);
      retired.push_back(peer);
    }
  }
  if (retired.empty()) return;
  threads::heavy_barrier();
  for (const unsigned peer : retired) {
    Channel* channel = incoming_[peer].load(std::memory_order_acquire);
    channel->idle_polls = 0;
    if (!channel->has_messages()) continue;
    active_[peer / 64].bits.fetch_or(bit_of(static_cast<int>(peer)), std::memory_order_relaxed);
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
  auto message = std::make_unique<Unexpected>(arrival);
  message->owned = std::move(owned);
  const bool short_announced =
      arrival.kind == Arrival::Kind::announced_here && arrival.bytes <= node_.tuning().eager_bytes;
  const bool in_ring = arrival.kind == Arrival::Kind::here && message->owned == nullptr;
  if (in_ring || short_announced) {
    // Short messages are buffered wherever they came from, so that a short send never waits for its receive.
    message->owned = std::make_unique_for_overwrite<std::byte[]>(arrival.bytes);
    copy_bytes(message->owned.get(), arrival.data, arrival.bytes);
    message->data = message->owned.get();
    message->kind = Arrival::Kind::here;
    if (short_announced) arrival.sender->complete();
  }
  queues_.keep(std::move(message));
}

void LocalEndpoint::finish_receive(Request* receive, const Arrival& arrival) {
  const std::size_t bytes = std::min(arrival.bytes, receive->capacity);
  receive->status = {arrival.source, arrival.tag, arrival.bytes,
                     arrival.bytes > receive->capacity ? Error::truncated : Error::none};
  if (arrival.kind == Arrival::Kind::announced_there) {
    node_.remote()->accept(arrival, receive->buffer, bytes, receive);
    return;
  }
  copy_bytes(receive->buffer, arrival.data, bytes);
  if (arrival.kind == Arrival::Kind::announced_here) {
    arrival.sender->complete();
  } else if (arrival.process >= 0) {
    node_.remote()->consumed(arrival.process, arrival.bytes);
  }
  receive->complete();
}

}  // namespace taihu::message
