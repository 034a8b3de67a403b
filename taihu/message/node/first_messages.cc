// SPDX-License-Identifier: Apache-2.0
// How a rank begins to talk to another: the first short messages are letters in the mailbox that the receiver
// has for all, the next one, or a longer one, makes the channel. Whoever sees a message in a channel sees the
// letters of its sender: the receiver empties the mailbox before it takes a message out of a channel.
#include "taihu/message/node/local_endpoint.h"
#include "taihu/message/node/node_process.h"

namespace taihu::message {

static_assert(Letter::most_bytes == inline_bytes, "what is pushed inline fits into a letter");

bool LocalEndpoint::put_letter(LocalEndpoint& peer, Context context, int tag, const Data& data) noexcept {
  std::uint8_t& sent = letters_[static_cast<unsigned>(peer.local_index_)];
  if (sent == Mailbox::most_of_one || !peer.mailbox_.put(rank_, context, tag, data.address, data.bytes))
    return false;
  ++sent;
  return true;
}

Channel& LocalEndpoint::new_channel_to(LocalEndpoint& peer) {
  const std::uint32_t lines = node_.tuning().ring_lines;
  Channel& channel =
      *channels_.emplace_back(std::make_unique<Channel>(rank_, lines, rings_.take(lines * line_bytes)));
  outgoing_[static_cast<unsigned>(peer.local_index_)] = &channel;
  peer.incoming_[static_cast<unsigned>(local_index_)].store(&channel, std::memory_order_release);
  return channel;
}

void LocalEndpoint::drain_mailbox() {
  mailbox_.empty([this](const Letter& letter) {
    Arrival arrival;
    arrival.source = letter.source;
    arrival.tag = letter.tag;
    arrival.context = letter.context;
    arrival.bytes = letter.bytes;
    arrival.data = letter.payload;
    deliver(arrival, nullptr);
  });
  doorbell_.ring();  // other threads of the rank may look for messages that no receive waits for
}

}  // namespace taihu::message
