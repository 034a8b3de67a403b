// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/node/local_endpoint.h"

#include <algorithm>

#include "taihu/message/node/node_process.h"

namespace taihu::message {

namespace {

threads::Doorbell doorbell_on(threads::Pillow* pillow, int local_index) noexcept {
  if (pillow == nullptr) return {};
  return {*pillow, local_index % threads::Pillow::places};
}

}  // namespace

LocalEndpoint::LocalEndpoint(NodeProcess& node, int rank, int local_index, threads::Pillow* pillow)
    : node_(node),
      rank_(rank),
      local_index_(local_index),
      pushed_inline_bytes_(std::min(inline_bytes, node.tuning().eager_bytes)),
      pushed_stream_bytes_(std::min(node.tuning().pushed_stream_bytes, node.tuning().eager_bytes)),
      active_(node.places()),
      incoming_(node.channel_tables().incoming(local_index)),
      doorbell_(doorbell_on(pillow, local_index)),
      mailbox_(node.places()),
      outgoing_(node.channel_tables().outgoing(local_index)),
      letters_(node.channel_tables().letters(local_index)),
      rings_(static_cast<std::size_t>(node.local_ranks())),
      requests_(doorbell_),
      sent_(doorbell_) {
  sent_.done.store(true, std::memory_order_relaxed);
}

Node& LocalEndpoint::node() noexcept {
  return node_;
}

inline void LocalEndpoint::expect_send(int destination, int tag, const Data& data) const {
  expect_rank(destination);
  expect(tag != any_tag, "a message has a tag");
  expect(data.bytes == 0 || data.address != nullptr || data.layout != nullptr,
         "data of a message have an address or a layout");
}

inline void LocalEndpoint::expect_receive(int source, int tag) const {
  expect(source == any_rank || (source >= 0 && source < node_.layout().ranks),
         "a receive is from any_rank or 0 <= source < ranks of the job");
  expect(tag >= any_tag, "a receive is of any_tag or tag >= 0");
}

Request* LocalEndpoint::take_request(Context context) {
  std::lock_guard hold(lock_);
  Request* request = requests_.take();
  request->context = context;
  return request;
}

inline void LocalEndpoint::notice_from(int peer_index) noexcept {
  doorbell_.ring();  // with the barrier between the message and the look at the bit
  if ((bits_of(peer_index).load(std::memory_order_relaxed) & bit_of(peer_index)) == 0) [[unlikely]]
    wake_for(peer_index);
}

void LocalEndpoint::wake_for(int peer_index) noexcept {
  bits_of(peer_index).fetch_or(bit_of(peer_index), std::memory_order_release);
  doorbell_.ring();
}

void LocalEndpoint::announce(LocalEndpoint& peer, Context context, int tag, const Data& data, SendMode mode,
                             Request* request) {
  request->receiver = &peer;
  request->context = context;
  request->bytes = data.bytes;
  request->mode = mode;
  const Tuning& tuning = node_.tuning();
  Channel& channel = channel_to(peer);
  const std::size_t shared =
      channel.distance().is_near() ? tuning.shared_copy_bytes : tuning.shared_copy_far_bytes;
  request->helpers = data.bytes >= shared && data.layout == nullptr ? &help_wanted_ : nullptr;
  channel.announce(context, tag, {data, request});
}

inline __attribute__((always_inline)) bool LocalEndpoint::push_inline(LocalEndpoint& peer, Context context,
                                                                      int tag, const Data& data,
                                                                      bool in_stream) {
  {
    std::unique_lock hold(lock_);
    Channel* const channel = outgoing_[static_cast<unsigned>(peer.local_index_)];
    if (channel == nullptr) [[unlikely]] {
      if (put_letter(peer, context, tag, data)) {
        hold.unlock();
        peer.doorbell_.ring();
        return true;
      }
    }
    if (!channel_to(peer).push_inline(context, tag, data.address, data.bytes, in_stream)) [[unlikely]]
      return false;
  }
  peer.notice_from(local_index_);
  return true;
}

bool LocalEndpoint::push_eager(LocalEndpoint& peer, Context context, int tag, const Data& data) {
  if (data.bytes > node_.tuning().eager_bytes) return false;
  {
    std::lock_guard hold(lock_);
    Channel& channel = channel_to(peer);
    if (data.bytes > pushed_stream_bytes_ && channel.prompt.expects_prompt()) return false;
    if (!channel.push_eager(context, tag, data, true)) return false;
  }
  peer.notice_from(local_index_);
  return true;
}

bool LocalEndpoint::send_at_once(int destination, Context context, int tag, const Data& data, Flow flow) {
  expect_send(destination, tag, data);
  LocalEndpoint* peer = node_.local_endpoint_of(destination);
  if (peer == nullptr) return node_.remote()->send_at_once(rank_, destination, context, tag, data, flow);
  if (peer == this && deliver_to_itself(context, tag, data)) return true;
  return data.bytes <= pushed_inline_bytes_ && data.layout == nullptr
             ? push_inline(*peer, context, tag, data, true)
             : push_eager(*peer, context, tag, data);
}

Request* LocalEndpoint::isend(int destination, Context context, int tag, const Data& data, SendMode mode) {
  expect_send(destination, tag, data);
  if (mode == SendMode::standard && send_at_once(destination, context, tag, data)) return &sent_;
  LocalEndpoint* peer = node_.local_endpoint_of(destination);
  if (peer == nullptr) {
    Request* request = take_request(context);
    node_.remote()->send_message(rank_, destination, context, tag, data, mode, request);
    return request;
  }
  if (peer == this && mode != SendMode::standard && deliver_to_itself(context, tag, data)) return &sent_;
  Request* request;
  {
    std::lock_guard hold(lock_);
    request = requests_.take();
    announce(*peer, context, tag, data, mode, request);
  }
  peer->notice_from(local_index_);
  return request;
}

void LocalEndpoint::send(int destination, Context context, int tag, const Data& data, SendMode mode) {
  expect_send(destination, tag, data);
  LocalEndpoint* peer = node_.local_endpoint_of(destination);
  if (peer == this && deliver_to_itself(context, tag, data)) return;
  if (peer != nullptr && data.bytes <= pushed_inline_bytes_ && data.layout == nullptr &&
      mode == SendMode::standard) [[likely]] {
    if (push_inline(*peer, context, tag, data, false)) [[likely]]
      return;
  }
  send_any(peer, destination, context, tag, data, mode);
}

void LocalEndpoint::send_any(LocalEndpoint* peer, int destination, Context context, int tag, const Data& data,
                             SendMode mode) {
  if (peer == nullptr) {
    if (mode == SendMode::standard && send_at_once(destination, context, tag, data)) return;
    Request request(doorbell_);
    request.context = context;
    node_.remote()->send_message(rank_, destination, context, tag, data, mode, &request);
    return await_done(request);
  }
  const Tuning& tuning = node_.tuning();
  std::unique_lock hold(lock_);
  Channel& channel = channel_to(*peer);
  const bool may_push = mode == SendMode::standard && data.bytes <= tuning.eager_bytes;
  if (may_push && (data.bytes <= tuning.pushed_bytes || !channel.prompt.expects_prompt()) &&
      channel.push_eager(context, tag, data)) {
    hold.unlock();
    return peer->notice_from(local_index_);
  }
  Request request(doorbell_);
  announce(*peer, context, tag, data, mode, &request);
  hold.unlock();
  peer->notice_from(local_index_);
  if (may_push) {
    const bool was_prompt = wait_briefly(request);
    channel.prompt.learn(was_prompt);
    if (was_prompt) return;
    peer->buffer_send(request, local_index_);
  }
  await_done(request);
}

bool LocalEndpoint::wait_briefly(const Request& request) const noexcept {
  // A receive takes two transfers between the cores where a look at the ring takes one, and a copy.
  const Tuning& tuning = node_.tuning();
  const int turns = node_.cores() == Cores::crowded ? tuning.watch_turns : 4 * tuning.watch_turns;
  for (int i = 0; i < turns; ++i) {
    if (request.done.load(std::memory_order_acquire)) return true;
    threads::spin_pause();
  }
  return false;
}

inline bool LocalEndpoint::start_receive(Request* receive, int source, Context context, int tag,
                                         const Space& space) {
  receive->space = space;
  receive->source = source;
  receive->context = context;
  receive->tag = tag;
  Message* message = queues_.find(source, context, tag);
  if (message == nullptr) {
    queues_.post(receive);
    return false;
  }
  finish_receive(receive, *queues_.take(message));
  return true;
}

Request* LocalEndpoint::irecv(int source, Context context, int tag, const Space& space) {
  expect_receive(source, tag);
  expect_space(space);
  std::lock_guard hold(lock_);
  Request* receive = requests_.take();
  start_receive(receive, source, context, tag, space);
  return receive;
}

void LocalEndpoint::irecv_into(Request& request, int source, Context context, int tag, const Space& space) {
  expect_receive(source, tag);
  expect_space(space);
  if constexpr (contracts_checked)
    expect(!request.done.load(std::memory_order_relaxed), "a request of the caller's is new");
  request.bell = &doorbell_;
  request.is_of_caller = true;
  request.awaited = &awaited_;
  std::lock_guard hold(lock_);
  start_receive(&request, source, context, tag, space);
}

int LocalEndpoint::turns_to_watch(const LocalEndpoint* partner) noexcept {
  const Tuning& tuning = node_.tuning();
  if (node_.cores() == Cores::enough || partner == nullptr) return tuning.watch_turns;
  if (!placement_.shares_core_with(partner->placement_)) return tuning.watch_turns;
  if (local_index_ > partner->local_index_) placement_.leave_core();
  return 1;
}

bool LocalEndpoint::receive_directly(LocalEndpoint& peer, Context context, int tag, const Space& space,
                                     Status* status) {
  Channel* channel = incoming_[static_cast<unsigned>(peer.local_index_)].load(std::memory_order_acquire);
  if (channel == nullptr) return false;
  const std::size_t expected = space.bytes <= node_.tuning().pushed_bytes ? space.bytes : 0;
  InRing message;
  const auto may_go_on = [&] { return !lock_.is_wanted(); };
  if (!channel->wait_front(message, turns_to_watch(&peer), expected, may_go_on) ||
      message.context != context || (tag != any_tag && message.tag != tag) || mailbox_.has_letters()) {
    return false;
  }
  std::size_t bytes = message.bytes;
  Request* sender = nullptr;
  if (message.kind != CellKind::announced) {
    if (space.layout == nullptr) {
      copy_short(space.address, message.payload, std::min(bytes, space.bytes));
    } else {
      copy_message(space, {message.payload, bytes}, std::min(bytes, space.bytes));
    }
  } else {
    const Announcement announcement = Channel::announcement_in(message);
    sender = announcement.sender;
    bytes = announcement.data.bytes;
    copy_announced(space, announcement.data, std::min(bytes, space.bytes), *sender);
  }
  if (status != nullptr) {
    *status = {peer.rank_, message.tag, bytes, bytes > space.bytes ? Error::truncated : Error::none};
  }
  channel->pop(message);
  if (sender != nullptr) {
    // As Request::complete, without a look at the request, which is in the cache of the sender's core.
    sender->done.store(true, std::memory_order_release);
    peer.doorbell_.ring();
  }
  return true;
}

void LocalEndpoint::receive(int source, Context context, int tag, const Space& space, Status* status) {
  expect_receive(source, tag);
  expect_space(space);
  std::unique_lock hold(lock_);
  if (source != any_rank && queues_.is_empty() && background_.load(std::memory_order_relaxed) == nullptr) {
    LocalEndpoint* const peer = node_.local_endpoint_of(source);
    if (peer != nullptr ? receive_directly(*peer, context, tag, space, status)
                        : receive_from_afar(source, context, tag, space, status))
      return;
  }
  Request receive(doorbell_);
  start_receive(&receive, source, context, tag, space);
  hold.unlock();
  await_done(receive);
  if (status != nullptr) *status = receive.status;
}

bool LocalEndpoint::iprobe(int source, Context context, int tag, Status* status) {
  expect_receive(source, tag);
  poll_link_in_turn();
  std::lock_guard hold(lock_);
  drain();
  const Message* message = queues_.find(source, context, tag);
  if (message == nullptr) return false;
  if (status != nullptr) *status = Status{message->source, message->tag, message->bytes};
  return true;
}

Message* LocalEndpoint::improbe(int source, Context context, int tag, Status* status) {
  expect_receive(source, tag);
  poll_link_in_turn();
  std::lock_guard hold(lock_);
  drain();
  Message* message = queues_.find(source, context, tag);
  if (message == nullptr) return nullptr;
  if (status != nullptr) *status = Status{message->source, message->tag, message->bytes};
  return queues_.take(message).release();
}

Request* LocalEndpoint::imrecv(Message* message, const Space& space) {
  expect(message != nullptr, "there is a message that improbe took");
  expect_space(space);
  const std::unique_ptr<Message> owner(message);
  std::lock_guard hold(lock_);
  Request* receive = requests_.take();
  receive->space = space;
  receive->context = message->context;
  finish_receive(receive, *message);
  return receive;
}

void LocalEndpoint::cancel(Request* request) {
  if (request == nullptr || request == &sent_ || request->done.load(std::memory_order_acquire)) return;
  if (request->destination != any_rank) return node_.remote()->cancel(rank(), *request);
  if (request->receiver != nullptr) {
    if (!request->receiver->withdraw_send(*request, local_index_)) return;
  } else {
    std::lock_guard hold(lock_);
    if (!queues_.withdraw(request)) return;
  }
  request->status = Status{};
  request->status.cancelled = true;
  request->complete();
}

Message* LocalEndpoint::announced_by(const Request& sender, int sender_index) {
  drain_channel_of(sender_index);
  return queues_.find_of(&sender, node_.first_rank() + sender_index, sender.context);
}

bool LocalEndpoint::withdraw_send(const Request& sender, int sender_index) {
  std::lock_guard hold(lock_);
  Message* message = announced_by(sender, sender_index);
  if (message == nullptr) return false;
  queues_.take(message);
  return true;
}

void LocalEndpoint::buffer_send(const Request& sender, int sender_index) {
  std::lock_guard hold(lock_);
  Message* message = announced_by(sender, sender_index);
  if (message != nullptr) buffer(*message);
}

void LocalEndpoint::buffer(Request* request) {
  if (request == nullptr || request == &sent_ || request->done.load(std::memory_order_acquire)) return;
  if (request->receiver == nullptr || request->mode != SendMode::standard) return;
  request->receiver->buffer_send(*request, local_index_);
}

bool LocalEndpoint::leave() {
  set_background(nullptr);
  const std::lock_guard hold(lock_);
  drain();
  bool is_clean = requests_.is_idle() && !queues_.has_posted() && !awaits_data();
  queues_.for_each_message([&](Message& message) {
    // One of another process has been counted there, one that is announced is waited for.
    if (message.kind == Arrival::Kind::here && message.process < 0)
      queues_.take(&message);
    else
      is_clean = false;
  });
  return is_clean;
}

bool LocalEndpoint::is_idle(Context context) {
  std::lock_guard hold(lock_);
  // Of any context: their data come without anything that this rank does.
  return requests_.is_idle(context) && !queues_.has_posted(context) && !awaits_data();
}

}  // namespace taihu::message
