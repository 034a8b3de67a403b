// SPDX-License-Identifier: Apache-2.0
// The protocol, by kind of envelope:
// - message: rank to rank, with its data or announced; an announced one waits in the receiver's queues for a
//   match; plain_message: with its data, and nobody waits to hear of the match; followed_message: the same,
//   with its data right behind the envelope, which land in the receive that matches or in a buffer
//   (landing.h)
// - clear_to_send: the data named `transfer` are expected under `data_tag`, `bytes` of them (0: none wanted,
//   also the answer to a synchronous message whose data came with it)
// - cancel: the message that `initiator` has sent is not to be matched any more; withdrawn: it was not, and
// its
//   request is complete. When it was, clear_to_send is on its way and no answer comes
// - put: with its data; followed_put: with its data right behind the envelope; put_done: they and the reply
//   word are visible, of the put `initiator` and of those that the payload names. Puts whose callers have
//   written the data themselves need no envelope: they are counted (Link::tally)
// - get: the data expected under `data_tag`, straight from the memory of the rank asked
// - put_blocks: the payload begins with the places of the blocks at the target; short data follow there,
//   packed, others are announced and asked for in pieces. get_blocks: the payload is the places of the blocks
//   at the rank asked; the data are expected in pieces
// - call, answer: bytes for a service handler and back
// - credit: `bytes` of eager messages have been taken by their receivers
// - finished, all_finished: the end; each process tells process 0, which tells all
//
// Flow control: a process may have `window_` bytes of eager messages at another one that no receive has
// taken; beyond that its messages are announced only, so that a flood costs the receiver an envelope each and
// no data.
#include "taihu/message/node/remote.h"

#include <sched.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "taihu/message/data/copy.h"
#include "taihu/message/node/node_process.h"
#include "taihu/message/node/pointer_number.h"
#include "taihu/message/wire/bulk.h"

namespace taihu::message {

namespace {

constexpr std::int64_t message_overhead_bytes = 128;

std::int64_t window_for(int processes) {
  return std::clamp<std::int64_t>((std::int64_t{256} << 20) / processes, std::int64_t{64} << 10,
                                  std::int64_t{4} << 20);
}

std::vector<std::int32_t> processes_of_ranks(const launch::Layout& layout) {
  std::vector<std::int32_t> processes;
  for (int rank = 0; rank < layout.ranks; ++rank) processes.push_back(layout.process_of(rank));
  return processes;
}

/// The send waits for its match and can be asked back until then.
void name_for_cancel(Header& header, Request& request) {
  header.initiator = to_number(&request);
  request.destination = header.destination;
}

}  // namespace

Remote::Remote(NodeProcess& node, Link& link)
    : node_(node),
      link_(link),
      processes_(link.processes()),
      window_(window_for(processes_)),
      accounts_(static_cast<std::size_t>(processes_)),
      process_of_rank_(processes_of_ranks(node.layout())),
      done_puts_(static_cast<std::size_t>(processes_)),
      wire_(
          link,
          [this](int process, const Header& header, const std::byte* payload) {
            arrived(process, header, payload);
          },
          [this] {
            for (const int process : processes_to_tell_) tell_done_puts(process);
            processes_to_tell_.clear();
          },
          [this](int process, const Tally& tally, std::uint64_t times) {
            puts_counted(process, tally, times);
          },
          [this] { end_delivery(); }) {}

Remote::~Remote() = default;

void Remote::send(int process, const Header& header, Request* posted, const Data& payload) {
  Outgoing outgoing;
  outgoing.process = process;
  outgoing.header = header;
  outgoing.payload = payload.address;
  outgoing.payload_bytes = payload.bytes;
  outgoing.layout = payload.layout;
  outgoing.posted = posted;
  wire_.submit(std::move(outgoing));
}

void Remote::send_followed(int process, const Header& header, const Data& data, Request* sent) {
  Outgoing outgoing;
  outgoing.process = process;
  outgoing.header = header;
  outgoing.following = data.address;
  outgoing.following_bytes = data.bytes;
  outgoing.followed = sent;
  wire_.submit(std::move(outgoing));
}

void Remote::send_owned(int process, Header header, const void* data, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(data);
  header.bytes = bytes;
  Outgoing outgoing;
  outgoing.process = process;
  if (bytes <= eager_payload_bytes) {
    if (bytes != 0) outgoing.owned.assign(first, first + bytes);
    outgoing.payload_bytes = bytes;
  } else {
    auto kept = std::make_shared<std::vector<std::byte>>(first, first + bytes);
    header.announced = true;
    header.transfer = announce({kept->data(), bytes}, [kept] {});
  }
  outgoing.header = header;
  wire_.submit(std::move(outgoing));
}

std::uint64_t Remote::announce(const Data& data, std::function<void()> sent) {
  return to_number(new Announced{data, std::move(sent)});
}

void Remote::ask_for(int process, std::uint64_t transfer, void* landing, std::size_t bytes,
                     std::function<void()> landed) {
  Outgoing outgoing;
  outgoing.process = process;
  outgoing.header.kind = EnvelopeKind::clear_to_send;
  outgoing.header.transfer = transfer;
  outgoing.header.bytes = bytes;
  outgoing.landing = landing;
  outgoing.landing_bytes = bytes;
  outgoing.landed = std::move(landed);
  wire_.submit(std::move(outgoing));
}

void Remote::ask_for_pieces(int process, std::uint64_t transfer, const Space& space, std::size_t bytes,
                            std::function<void()> landed) {
  Outgoing outgoing;
  outgoing.process = process;
  outgoing.header.kind = EnvelopeKind::clear_to_send;
  outgoing.header.transfer = transfer;
  outgoing.header.bytes = bytes;
  outgoing.header.in_pieces = true;
  outgoing.expect = [this, process, space, bytes, landed = std::move(landed)](int tag) {
    receive_in_pieces(wire_, process, tag, space, bytes, landed);
  };
  wire_.submit(std::move(outgoing));
}

bool Remote::charge(int process, std::size_t bytes) noexcept {
  Account& account = account_of(process);
  const std::int64_t amount = static_cast<std::int64_t>(bytes) + message_overhead_bytes;
  if (account.unknown() + amount > window_) return false;
  account.sent_outside.fetch_add(amount, std::memory_order_relaxed);
  return true;
}

void Remote::consumed(const Arrival& message) {
  const int process = message.process;
  if (message.transfer != 0) {
    Header matched;
    matched.kind = EnvelopeKind::clear_to_send;
    matched.transfer = message.transfer;
    send(process, matched);
  }
  give_credit(process, message.bytes);
}

void Remote::give_credit(int process, std::size_t bytes) {
  Account& account = account_of(process);
  const std::int64_t amount = static_cast<std::int64_t>(bytes) + message_overhead_bytes;
  Header header;
  header.kind = EnvelopeKind::credit;
  if (wire_.is_inside()) {
    const std::int64_t sum = Account::add(account.taken_inside, amount);
    if (sum < window_ / 4) return;
    account.taken_inside.store(0, std::memory_order_relaxed);
    header.bytes = static_cast<std::uint64_t>(sum);
  } else {
    if (account.taken_outside.fetch_add(amount, std::memory_order_relaxed) + amount < window_ / 4) return;
    header.bytes = static_cast<std::uint64_t>(account.taken_outside.exchange(0, std::memory_order_relaxed));
  }
  if (header.bytes != 0) send(process, header);
}

void Remote::cancel(int source, const Request& request) {
  Header header;
  header.kind = EnvelopeKind::cancel;
  header.source = source;
  header.destination = request.destination;
  header.context = request.context;
  header.initiator = to_number(&request);
  send(process_of(request.destination), header);
}

void Remote::withdrawn(const Arrival& message) {
  Header header;
  header.kind = EnvelopeKind::withdrawn;
  header.initiator = message.initiator;
  header.transfer = message.transfer;
  send(message.process, header);
  if (message.kind == Arrival::Kind::here) give_credit(message.process, message.bytes);
}

bool Remote::send_at_once(int source, int destination, Context context, int tag, const Data& data,
                          Flow flow) {
  const int process = process_of(destination);
  constexpr auto kind = EnvelopeKind::plain_message;
  // Data with gaps are packed anyway.
  if (data.layout == nullptr ? !fits_envelope(process, kind, data.bytes, flow)
                             : data.bytes > eager_payload_bytes)
    return false;
  Account& account = account_of(process);
  const std::int64_t amount = static_cast<std::int64_t>(data.bytes) + message_overhead_bytes;
  return wire_.send_now(
      process, plain_header(source, destination, context, tag), data,
      [&] { return account.unknown() + amount <= window_; },
      [&] { Account::add(account.sent_inside, amount); });
}

void Remote::send_message(int source, int destination, Context context, int tag, const Data& data,
                          SendMode mode, Request* request) {
  const int process = process_of(destination);
  Header header;
  header.kind = EnvelopeKind::message;
  header.source = source;
  header.destination = destination;
  header.context = context;
  header.tag = tag;
  header.bytes = data.bytes;
  const auto complete = [request] { request->complete(); };
  if (mode == SendMode::standard && data.layout == nullptr && data.bytes <= most_bytes_following &&
      !fits_envelope(process, EnvelopeKind::plain_message, data.bytes) && charge(process, data.bytes)) {
    header.kind = EnvelopeKind::followed_message;
    return send_followed(process, header, data, request);
  }
  if (data.bytes <= eager_payload_bytes && charge(process, data.bytes)) {
    const bool is_synchronous = mode == SendMode::synchronous;
    if (!is_synchronous) {
      header.kind = EnvelopeKind::plain_message;
    } else {
      header.transfer = announce({nullptr, 0}, complete);
      name_for_cancel(header, *request);
    }
    send(process, header, is_synchronous ? nullptr : request, data);
    return;
  }
  header.announced = true;
  header.in_pieces = data.layout != nullptr;
  header.transfer = announce(data, complete);
  name_for_cancel(header, *request);
  send(process, header);
}

void Remote::accept(const Arrival& message, const Space& space, std::size_t bytes, Request* receive) {
  const auto complete = [receive] { receive->complete_with_data(); };
  if (bytes == 0 || (space.layout == nullptr && !message.in_pieces)) {
    ask_for(message.process, message.transfer, space.address, bytes, complete);
    return;
  }
  ask_for_pieces(message.process, message.transfer, space, bytes, complete);
}

void Remote::call(int process, Service service, const void* arguments, std::size_t bytes,
                  Node::AnswerHandler then) {
  unanswered_.fetch_add(1, std::memory_order_relaxed);
  Header header;
  header.kind = EnvelopeKind::call;
  header.service = static_cast<std::uint16_t>(service);
  header.initiator = to_number(new Node::AnswerHandler(std::move(then)));
  send_owned(process, header, arguments, bytes);
}

void Remote::answer(int process, std::uint64_t initiator, const void* data, std::size_t bytes) {
  Header header;
  header.kind = EnvelopeKind::answer;
  header.initiator = initiator;
  send_owned(process, header, data, bytes);
}

template <class Ready>
void Remote::poll_until(Ready&& ready) {
  for (int idle = 0; !ready();) {
    if (poll()) {
      idle = 0;
    } else if (++idle < 100) {
      sched_yield();
    } else {
      const timespec pause{0, 50'000};
      nanosleep(&pause, nullptr);
    }
  }
}

bool Remote::settled() {
  return unanswered_.load(std::memory_order_acquire) == 0 && wire_.idle();
}

void Remote::process_finished() {
  if (finished_.fetch_add(1, std::memory_order_relaxed) + 1 != processes_) return;
  Header header;
  header.kind = EnvelopeKind::all_finished;
  for (int process = 1; process < processes_; ++process) send(process, header);
  all_finished_.store(true, std::memory_order_release);
}

void Remote::finish() {
  poll_until([&] { return settled(); });
  if (node_.process() == 0) {
    process_finished();
  } else {
    Header header;
    header.kind = EnvelopeKind::finished;
    send(0, header);
  }
  poll_until([&] { return all_finished_.load(std::memory_order_acquire); });
  poll_until([&] { return settled(); });
}

}  // namespace taihu::message
