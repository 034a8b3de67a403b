// SPDX-License-Identifier: Apache-2.0
// What a node process does with the envelopes that come from others, by kind (see remote.cc).
#include <algorithm>
#include <memory>
#include <utility>

#include "taihu/message/data/copy.h"
#include "taihu/message/node/node_process.h"
#include "taihu/message/node/pointer_number.h"
#include "taihu/message/node/remote.h"
#include "taihu/message/wire/bulk.h"

namespace taihu::message {

namespace {

Arrival arrival_of(int process, const Header& header) {
  Arrival arrival;
  arrival.source = header.source;
  arrival.tag = header.tag;
  arrival.context = header.context;
  arrival.bytes = header.bytes;
  arrival.process = process;
  return arrival;
}

}  // namespace

void Remote::arrived(int process, const Header& header, const std::byte* payload) {
  if (header.kind == EnvelopeKind::plain_message || header.kind == EnvelopeKind::message) [[likely]]
    return message_arrived(process, header, payload);
  end_delivery();
  switch (header.kind) {
    case EnvelopeKind::message:
    case EnvelopeKind::plain_message:
      break;
    case EnvelopeKind::followed_message:
      return followed_message_arrived(process, header);
    case EnvelopeKind::put:
    case EnvelopeKind::followed_put:
      return put_arrived(process, header, payload);
    case EnvelopeKind::put_done:
      return puts_done(process, header, payload);
    case EnvelopeKind::put_blocks:
      return put_blocks_arrived(process, header, payload);
    case EnvelopeKind::get:
      return get_arrived(process, header);
    case EnvelopeKind::get_blocks:
      return get_blocks_arrived(process, header, payload);
    case EnvelopeKind::call:
      return receive_whole(process, header, payload,
                           [this, process, header](std::vector<std::byte> arguments) {
                             node_.serve_remote(process, static_cast<Service>(header.service),
                                                header.initiator, std::move(arguments));
                           });
    case EnvelopeKind::answer:
      return receive_whole(process, header, payload, [this, header](std::vector<std::byte> data) {
        const std::unique_ptr<Node::AnswerHandler> then(to_pointer<Node::AnswerHandler>(header.initiator));
        (*then)(std::move(data));
        unanswered_.fetch_sub(1, std::memory_order_release);
      });
    case EnvelopeKind::clear_to_send:
      return clear_to_send(process, header);
    case EnvelopeKind::cancel:
      return cancel_arrived(process, header);
    case EnvelopeKind::withdrawn:
      return withdrawn_arrived(header);
    case EnvelopeKind::credit:
      return void(Account::add(account_of(process).known_taken, static_cast<std::int64_t>(header.bytes)));
    case EnvelopeKind::finished:
      return process_finished();
    case EnvelopeKind::all_finished:
      return all_finished_.store(true, std::memory_order_release);
  }
}

/// Messages that come together have one lock and one ring of the doorbell.
inline bool Remote::begin_delivery(LocalEndpoint& endpoint) {
  if (delivers_to_ == &endpoint) return true;
  end_delivery();
  if (!endpoint.begin_delivery()) return false;
  delivers_to_ = &endpoint;
  wire_.call_after_reading();
  return true;
}

void Remote::end_delivery() {
  if (delivers_to_ != nullptr) std::exchange(delivers_to_, nullptr)->end_delivery();
}

void Remote::message_arrived(int process, const Header& header, const std::byte* payload) {
  LocalEndpoint& endpoint = *node_.local_endpoint_of(header.destination);
  const bool has_lock = begin_delivery(endpoint);
  if (has_lock && header.kind == EnvelopeKind::plain_message) [[likely]] {
    const InRing message{.kind = CellKind::eager,
                         .bytes = static_cast<std::uint32_t>(header.bytes),
                         .cells = 0,
                         .tag = header.tag,
                         .context = header.context,
                         .payload = payload};
    if (endpoint.deliver_to_receive(header.source, message)) return give_credit(process, header.bytes);
  }
  Arrival arrival = arrival_of(process, header);
  arrival.transfer = header.transfer;
  arrival.initiator = header.initiator;
  arrival.in_pieces = header.in_pieces;
  if (header.announced) {
    arrival.kind = Arrival::Kind::announced_there;
  } else {
    arrival.data = payload;
  }
  if (has_lock) return endpoint.deliver_in_turn(arrival);
  InboxMessage message;
  message.arrival = arrival;
  if (!header.announced) {
    message.owned = std::make_unique_for_overwrite<std::byte[]>(header.bytes);
    copy_bytes(message.owned.get(), payload, header.bytes);
    message.arrival.data = message.owned.get();
  }
  endpoint.push_inbox(std::move(message));
}

void Remote::followed_message_arrived(int process, const Header& header) {
  InboxMessage message;
  message.arrival = arrival_of(process, header);
  LocalEndpoint& endpoint = *node_.local_endpoint_of(header.destination);
  Request* receive = endpoint.match_at_once(message.arrival);
  if (receive != nullptr && receive->space.layout == nullptr && receive->space.bytes >= header.bytes) {
    return wire_.receive_following(process, receive->space.address, header.bytes,
                                   [this, receive] { finish_followed(receive); });
  }
  auto* const landing = new Landing(header.bytes);
  message.arrival.kind = Arrival::Kind::landing;
  message.arrival.landing = landing;
  wire_.receive_following(process, landing->data(), header.bytes, [this, landing] {
    if (landing->land()) finish_landing(landing);
  });
  if (receive != nullptr) return claim(landing, receive);
  if (!endpoint.deliver_at_once(message.arrival)) endpoint.push_inbox(std::move(message));
}

void Remote::claim(Landing* landing, Request* receive) {
  if (landing->claim(receive)) finish_landing(landing);
}

void Remote::finish_landing(Landing* landing) {
  const std::unique_ptr<Landing> owner(landing);
  Request* const receive = landing->receive();
  const std::size_t bytes = receive->status.bytes;
  copy_message(receive->space, {landing->data(), bytes}, std::min(bytes, receive->space.bytes));
  finish_followed(receive);
}

void Remote::finish_followed(Request* receive) {
  give_credit(process_of(receive->status.source), receive->status.bytes);
  receive->complete_with_data();
}

void Remote::clear_to_send(int process, const Header& header) {
  const std::unique_ptr<Announced> announced(to_pointer<Announced>(header.transfer));
  if (header.in_pieces) {
    Data wanted = announced->data;
    wanted.bytes = header.bytes;
    send_in_pieces(wire_, process, header.data_tag, wanted, std::move(announced->sent));
  } else if (header.bytes != 0) {
    wire_.send_bulk(process, header.data_tag, announced->data.address, header.bytes,
                    std::move(announced->sent));
  } else if (announced->sent) {
    announced->sent();
  }
}

void Remote::receive_whole(int process, const Header& header, const std::byte* payload,
                           const Received& received) {
  if (!header.announced) {
    received(std::vector<std::byte>(payload, payload + header.bytes));
    return;
  }
  auto data = std::make_shared<std::vector<std::byte>>(header.bytes);
  ask_for(process, header.transfer, data->data(), data->size(),
          [data, received] { received(std::move(*data)); });
}

void Remote::cancel_arrived(int process, const Header& header) {
  // Behind the message that it means, which has come the same way.
  InboxMessage message;
  message.arrival.kind = Arrival::Kind::withdrawal;
  message.arrival.source = header.source;
  message.arrival.context = header.context;
  message.arrival.process = process;
  message.arrival.initiator = header.initiator;
  node_.local_endpoint_of(header.destination)->push_inbox(std::move(message));
}

void Remote::withdrawn_arrived(const Header& header) {
  delete to_pointer<Announced>(header.transfer);
  auto* const request = to_pointer<Request>(header.initiator);
  request->status = Status{};
  request->status.cancelled = true;
  request->complete();
}

}  // namespace taihu::message
