// SPDX-License-Identifier: Apache-2.0
// One-sided transfers between node processes: what Remote does for puts and gets. The protocol is described
// in remote.cc.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "taihu/message/data/copy.h"
#include "taihu/message/matching/request.h"
#include "taihu/message/node/node_process.h"
#include "taihu/message/node/pointer_number.h"
#include "taihu/message/node/remote.h"
#include "taihu/message/wire/bulk.h"

namespace taihu::message {
namespace {

/// Where the blocks of a put are to be, or those of a get are; begins the payload.
struct BlockPlaces {
  std::uint64_t block;
  std::uint64_t stride;
};
static_assert(sizeof(BlockPlaces) <= eager_payload_bytes);

BlockPlaces places_in(const std::byte* payload) {
  BlockPlaces places;
  std::memcpy(&places, payload, sizeof places);
  return places;
}

std::vector<std::byte> payload_of(const BlockPlaces& places, std::size_t room_behind) {
  std::vector<std::byte> payload(sizeof places + room_behind);
  std::memcpy(payload.data(), &places, sizeof places);
  return payload;
}

/// Lives until what holds it, the callback at the end of a transfer, is gone. Null when there are no gaps.
std::shared_ptr<const StridedBlocks> layout_of(std::size_t bytes, std::size_t block, std::size_t stride) {
  if (strided_extent(bytes, block, stride) == bytes) return nullptr;
  return std::make_shared<StridedBlocks>(block, stride);
}

}  // namespace

void Remote::put(int source, int destination, const void* data, memory::SymmetricAddress target,
                 std::size_t bytes, const memory::SymmetricAddress* reply, Request* request) {
  const int process = process_of(destination);
  unanswered_.fetch_add(1, std::memory_order_relaxed);
  request->carries_data = bytes != 0;
  if (bytes != 0) account_of(process).data_under_way.fetch_add(1, std::memory_order_relaxed);
  Header header;
  header.kind = EnvelopeKind::put;
  header.source = source;
  header.destination = destination;
  header.bytes = bytes;
  header.initiator = to_number(request);
  header.target = target;
  if (reply != nullptr) {
    header.has_reply = true;
    header.reply = *reply;
  }
  if (fits_envelope(process, header.kind, bytes)) {
    const auto nothing_more = [] {};
    if (wire_.send_now(process, header, {data, bytes}, [] { return true; }, nothing_more)) return;
    return send(process, header, nullptr, {data, bytes});
  }
  header.kind = EnvelopeKind::followed_put;
  send_followed(process, header, {data, bytes}, nullptr);
}

/// Most times the answers are on their way.
bool Remote::is_answered_soon(Account& account) {
  constexpr std::uint32_t refusals_between_waits = 64;
  constexpr int looks = 256;
  if (account.refusals.fetch_add(1, std::memory_order_relaxed) % refusals_between_waits + 1 !=
      refusals_between_waits)
    return false;
  const auto is_answered = [&] { return account.data_under_way.load(std::memory_order_acquire) == 0; };
  return drive(looks, is_answered) && is_answered();
}

bool Remote::tell_of_put(int destination, const memory::SymmetricAddress* reply) {
  Tally tally;
  tally.destination = destination;
  if (reply != nullptr) {
    tally.has_reply = true;
    tally.reply = *reply;
  }
  constexpr int most_tries = 32;  // while others are inside
  const int process = process_of(destination);
  Counting counting = wire_.tally(process, tally);
  for (int tries = 1; counting == Counting::busy && tries < most_tries; ++tries) {
    threads::spin_pause();
    counting = wire_.tally(process, tally);
  }
  return counting == Counting::told;
}

void Remote::puts_counted(int process, const Tally& tally, std::uint64_t times) {
  LocalEndpoint& target = *node_.local_endpoint_of(tally.destination);
  if (tally.has_reply) {
    const int asker = node_.layout().first_rank[static_cast<std::size_t>(process)];
    int* word = static_cast<int*>(node_.resolve(target, tally.reply, sizeof(int), asker));
    std::atomic_ref(*word).fetch_add(static_cast<int>(times), std::memory_order_release);
  }
  target.doorbell().ring();
}

void Remote::get(int rank, int from, memory::SymmetricAddress source, void* target, std::size_t bytes,
                 Request* request) {
  if (bytes == 0) {
    request->complete();
    return;
  }
  Outgoing outgoing;
  outgoing.process = process_of(from);
  unanswered_.fetch_add(1, std::memory_order_relaxed);
  account_of(outgoing.process).data_under_way.fetch_add(1, std::memory_order_relaxed);
  request->source = from;
  outgoing.header.kind = EnvelopeKind::get;
  outgoing.header.source = rank;
  outgoing.header.destination = from;
  outgoing.header.bytes = bytes;
  outgoing.header.target = source;
  outgoing.landing = target;
  outgoing.landing_bytes = bytes;
  outgoing.landed = [this, request] { get_landed(process_of(request->source), request); };
  wire_.submit(std::move(outgoing));
}

void Remote::get_landed(int process, Request* request) {
  account_of(process).data_under_way.fetch_sub(1, std::memory_order_release);
  unanswered_.fetch_sub(1, std::memory_order_release);
  request->complete();
}

void Remote::put_blocks(int source, int destination, const void* data, memory::SymmetricAddress target,
                        const StridedShape& shape, const memory::SymmetricAddress* reply, Request* request) {
  Outgoing outgoing;
  outgoing.process = process_of(destination);
  unanswered_.fetch_add(1, std::memory_order_relaxed);
  request->carries_data = true;
  account_of(outgoing.process).data_under_way.fetch_add(1, std::memory_order_relaxed);
  Header& header = outgoing.header;
  header.kind = EnvelopeKind::put_blocks;
  header.source = source;
  header.destination = destination;
  header.bytes = shape.bytes;
  header.initiator = to_number(request);
  header.target = target;
  if (reply != nullptr) {
    header.has_reply = true;
    header.reply = *reply;
  }
  const BlockPlaces places{shape.block, shape.target_stride};
  if (shape.bytes <= eager_payload_bytes - sizeof places) {
    outgoing.owned = payload_of(places, shape.bytes);
    StridedBlocks(shape.block, shape.source_stride)
        .pack(outgoing.owned.data() + sizeof places, data, 0, shape.bytes);
  } else {
    const auto layout = layout_of(shape.bytes, shape.block, shape.source_stride);
    header.announced = true;
    header.transfer = announce({data, shape.bytes, layout.get()}, [layout] {});
    outgoing.owned = payload_of(places, 0);
  }
  outgoing.payload_bytes = outgoing.owned.size();
  wire_.submit(std::move(outgoing));
}

void Remote::get_blocks(int rank, int from, memory::SymmetricAddress source, void* target,
                        const StridedShape& shape, Request* request) {
  Outgoing outgoing;
  outgoing.process = process_of(from);
  unanswered_.fetch_add(1, std::memory_order_relaxed);
  account_of(outgoing.process).data_under_way.fetch_add(1, std::memory_order_relaxed);
  outgoing.header.kind = EnvelopeKind::get_blocks;
  outgoing.header.source = rank;
  outgoing.header.destination = from;
  outgoing.header.bytes = shape.bytes;
  outgoing.header.target = source;
  outgoing.owned = payload_of({shape.block, shape.source_stride}, 0);
  outgoing.payload_bytes = outgoing.owned.size();
  outgoing.expect = [this, process = outgoing.process, target, request, bytes = shape.bytes,
                     layout = layout_of(shape.bytes, shape.block, shape.target_stride)](int tag) {
    receive_in_pieces(wire_, process, tag, {target, bytes, layout.get()}, bytes,
                      [this, process, request, layout] { get_landed(process, request); });
  };
  wire_.submit(std::move(outgoing));
}

void Remote::put_arrived(int process, const Header& header, const std::byte* payload) {
  LocalEndpoint& target = *node_.local_endpoint_of(header.destination);
  void* to = node_.resolve(target, header.target, header.bytes, header.source);
  if (header.kind == EnvelopeKind::followed_put) {
    return wire_.receive_following(process, to, header.bytes,
                                   [this, process, header] { finish_put(process, header); });
  }
  copy_bytes(to, payload, header.bytes);
  finish_put(process, header);
}

void Remote::put_blocks_arrived(int process, const Header& header, const std::byte* payload) {
  const BlockPlaces places = places_in(payload);
  void* to = node_.resolve(*node_.local_endpoint_of(header.destination), header.target,
                           strided_extent(header.bytes, places.block, places.stride), header.source);
  if (!header.announced) {
    StridedBlocks(places.block, places.stride).unpack(to, payload + sizeof places, 0, header.bytes);
    return finish_put(process, header);
  }
  const auto layout = layout_of(header.bytes, places.block, places.stride);
  ask_for_pieces(process, header.transfer, {to, header.bytes, layout.get()}, header.bytes,
                 [this, process, header, layout] { finish_put(process, header); });
}

void Remote::finish_put(int process, const Header& header) {
  LocalEndpoint& target = *node_.local_endpoint_of(header.destination);
  if (header.has_reply) {
    int* word = static_cast<int*>(node_.resolve(target, header.reply, sizeof(int), header.source));
    std::atomic_ref(*word).fetch_add(1, std::memory_order_release);
  }
  target.doorbell().ring();
  std::vector<std::uint64_t>& done = done_puts_[static_cast<std::size_t>(process)];
  if (done.empty()) {
    processes_to_tell_.push_back(process);
    wire_.call_before_leaving();
  }
  done.push_back(header.initiator);
}

/// Those that have arrived together are told together.
void Remote::tell_done_puts(int process) {
  std::vector<std::uint64_t>& done = done_puts_[static_cast<std::size_t>(process)];
  constexpr std::size_t most_at_once = 32;
  for (std::size_t at = 0; at < done.size(); at += most_at_once) {
    Header header;
    header.kind = EnvelopeKind::put_done;
    header.initiator = done[at];
    const std::size_t others = std::min(most_at_once, done.size() - at) - 1;
    header.bytes = others * sizeof(std::uint64_t);
    const void* const payload = others != 0 ? &done[at + 1] : nullptr;
    if (!wire_.send_inside(process, header, {payload, header.bytes}))
      send_owned(process, header, payload, header.bytes);
  }
  done.clear();
}

void Remote::puts_done(int process, const Header& header, const std::byte* payload) {
  std::uint64_t initiator = header.initiator;
  for (std::size_t at = 0;; at += sizeof initiator) {
    auto* const put = to_pointer<Request>(initiator);
    if (put->carries_data) account_of(process).data_under_way.fetch_sub(1, std::memory_order_release);
    unanswered_.fetch_sub(1, std::memory_order_release);
    put->complete();
    if (at == header.bytes) return;
    std::memcpy(&initiator, payload + at, sizeof initiator);
  }
}

void Remote::get_arrived(int process, const Header& header) {
  LocalEndpoint& owner = *node_.local_endpoint_of(header.destination);
  wire_.send_bulk(process, header.data_tag, node_.resolve(owner, header.target, header.bytes, header.source),
                  header.bytes, nullptr);
}

void Remote::get_blocks_arrived(int process, const Header& header, const std::byte* payload) {
  const BlockPlaces places = places_in(payload);
  const void* from = node_.resolve(*node_.local_endpoint_of(header.destination), header.target,
                                   strided_extent(header.bytes, places.block, places.stride), header.source);
  const auto layout = layout_of(header.bytes, places.block, places.stride);
  send_in_pieces(wire_, process, header.data_tag, {from, header.bytes, layout.get()}, [layout] {});
}

}  // namespace taihu::message
