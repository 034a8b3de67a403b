// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/links/shared_link.h"

#include <algorithm>
#include <utility>

#include "taihu/message/links/shared_neighbour.h"
#include "taihu/message/links/shared_next.h"
#include "taihu/message/links/shared_offers.h"
#include "taihu/message/links/shared_pieces.h"
#include "taihu/message/wire/wire.h"

namespace taihu::message {

namespace {

/// Longest envelope; longer data are sent better as data: between cores that are far from each other from the
/// length on at which one copy by the kernel is faster than two through the ring (measured: 4 KB 2.4 us
/// against 2.8, 8 KB 4.7 against 3.1).
constexpr std::size_t most_envelope_bytes = 32 * 1024;
constexpr std::size_t most_envelope_bytes_far = 5 * 1024;
/// The MPI library is polled once in so many polls: asking it costs as much as a message here.
constexpr std::uint32_t looks_between_far_ones = 4;

static_assert(RepeatedHead::head_bytes == plain_header_bytes,
              "streams of standard messages repeat their heads");

}  // namespace

SharedLink::SharedLink(std::unique_ptr<Link> far, std::unique_ptr<MachineMemory> memory,
                       const SharedRingShape& shape)
    : far_(std::move(far)),
      memory_(std::move(memory)),
      neighbour_of_(static_cast<std::size_t>(far_->processes())),
      has_far_(static_cast<int>(memory_->neighbours().size()) + 1 < far_->processes()) {
  for (const MachineMemory::Neighbour& place : memory_->neighbours()) {
    neighbours_.push_back(std::make_unique<Neighbour>(*this, place, shape));
    neighbour_of_[static_cast<std::size_t>(place.process)] = neighbours_.back().get();
  }
}

SharedLink::~SharedLink() = default;

std::string SharedLink::way_on_machine() const {
  const auto& neighbours = memory_->neighbours();
  const bool all_read = std::ranges::all_of(neighbours, [](const auto& place) { return place.may_read; });
  return all_read ? "shared memory, long data in one copy where cores are far"
                  : "shared memory, in two copies";
}

std::size_t SharedLink::unasked_bytes(int process) const {
  const Neighbour* const near = neighbour(process);
  if (near == nullptr) return far_->unasked_bytes(process);
  return near->reads_itself() ? most_envelope_bytes_far : most_envelope_bytes;
}

std::size_t SharedLink::unasked_bytes_both_ways(int process) const {
  return neighbour(process) != nullptr ? most_envelope_bytes : far_->unasked_bytes_both_ways(process);
}

bool SharedLink::send_envelope(int process, const void* head, std::size_t head_bytes, const Data& payload) {
  Neighbour* const near = neighbour(process);
  return near != nullptr ? near->send_envelope(head, head_bytes, payload)
                         : far_->send_envelope(process, head, head_bytes, payload);
}

bool SharedLink::has_room(int process, std::size_t bytes) {
  Neighbour* const near = neighbour(process);
  return near != nullptr ? near->has_room(bytes) : far_->has_room(process, bytes);
}

bool SharedLink::tally(int process, const Tally& tally) {
  Neighbour* const near = neighbour(process);
  return near != nullptr && near->tally(tally);
}

/// After a read that has found some more will come, and each look takes the line away from who counts. Only
/// the read behind such a one pauses, once for all neighbours: what comes in the meantime, counts as well as
/// envelopes, is seen four pauses later at most, 0.1 to 0.3 us as processors pause for 40 to 140 cycles.
void SharedLink::leave_tallies_alone() noexcept {
  constexpr int pauses = 4;
  has_found_tallies_ = false;
  for (int pause = 0; pause < pauses; ++pause) threads::spin_pause();
}

bool SharedLink::read(EnvelopeReader& reader, int most) {
  if (has_found_tallies_) leave_tallies_alone();
  bool worked = false;
  int envelopes = 0;
  stops_before_copies_ = false;
  const std::size_t count = neighbours_.size();
  for (std::size_t i = 0; i < count && envelopes < most; ++i) {
    const std::size_t before = next_neighbour_;
    if (++next_neighbour_ >= count) next_neighbour_ = 0;
    worked |= neighbours_[next_neighbour_]->look(reader, most, &envelopes);
    if (!stops_before_copies_) continue;
    next_neighbour_ = before;  // the next read begins with the copies
    break;
  }
  if (has_far_ && ++looks_ % looks_between_far_ones == 0 && envelopes < most)
    worked |= far_->read(reader, most - envelopes);
  return worked;
}

Next SharedLink::next_from(int process, const void* head, std::size_t head_bytes, InPlace& payload) {
  Neighbour* const near = neighbour(process);
  return near != nullptr ? near->next(head, head_bytes, payload) : Next::other;
}

void SharedLink::pop_next(int process) {
  neighbour(process)->pop_next();
}

bool SharedLink::is_quiet() {
  return std::ranges::all_of(neighbours_, [](const auto& near) { return near->is_quiet(); }) &&
         far_->is_quiet();
}

LinkRequest* SharedLink::send(int process, int tag, const void* data, std::size_t bytes) {
  if (Neighbour* const near = neighbour(process)) return near->send(tag, data, bytes);
  LinkRequest* const far = far_->send(process, tag, data, bytes);
  if (far == nullptr) return nullptr;
  OwnRequest* const request = take_request();
  request->far = far;
  return request;
}

LinkRequest* SharedLink::receive(int process, int tag, void* buffer, std::size_t capacity) {
  if (Neighbour* const near = neighbour(process)) return near->receive(tag, buffer, capacity);
  OwnRequest* const request = take_request();
  request->far = far_->receive(process, tag, buffer, capacity);
  return request;
}

bool SharedLink::test(LinkRequest* link_request) {
  auto* const request = static_cast<OwnRequest*>(link_request);
  if (request->far != nullptr ? !far_->test(request->far) : !request->done) return false;
  give_back(request);
  return true;
}

void SharedLink::cancel(LinkRequest* link_request) {
  auto* const request = static_cast<OwnRequest*>(link_request);
  if (request->far == nullptr) return request->neighbour->cancel(request);
  far_->cancel(request->far);
  give_back(request);
}

SharedLink::OwnRequest* SharedLink::take_request() {
  if (free_.empty()) return all_.emplace_back(std::make_unique<OwnRequest>()).get();
  OwnRequest* const request = free_.back();
  free_.pop_back();
  return request;
}

void SharedLink::give_back(OwnRequest* request) {
  *request = OwnRequest{};
  free_.push_back(request);
}

namespace {

/// All processes of a machine may write to all: the second rings are made small when there are many.
SharedRingShape shape_for(int processes) {
  SharedRingShape shape;
  if (processes > 8) shape.bytes = 256 * 1024;
  if (processes > 32) shape.bytes = 64 * 1024;
  return shape;
}

}  // namespace

std::unique_ptr<Link> share_memory(std::unique_ptr<Link> link, SharedMemory wanted) {
  auto memory = std::make_unique<MachineMemory>(
      *link, wanted, [](int processes) { return shape_for(processes).region_bytes(); });
  if (memory->neighbours().empty()) return link;
  const SharedRingShape shape = shape_for(memory->on_machine());
  return std::make_unique<SharedLink>(std::move(link), std::move(memory), shape);
}

}  // namespace taihu::message
