// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/links/tagged_link.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "taihu/message/wire/wire.h"

namespace taihu::message {

namespace {

constexpr std::size_t slot_bytes = sizeof(Header) + eager_payload_bytes;

}  // namespace

void TaggedLink::listen(std::size_t slot) {
  listening_[slot] = receive(any_process, envelope_tag, slots_[slot].get(), slot_bytes);
}

/// Posting a slot again costs about as much as a message. So slots are posted when there is nothing to read,
/// or when many have been read.
void TaggedLink::listen_again() {
  for (; deaf_slots_ != 0; --deaf_slots_)
    listen((next_slot_ + listening_slots - deaf_slots_) % listening_slots);
}

void TaggedLink::close_envelopes() {
  for (LinkRequest* request : listening_) {
    if (request != nullptr) cancel(request);
  }
  for (const Sent& sent : under_way_) cancel(sent.request);
  listening_.clear();
  under_way_.clear();
}

bool TaggedLink::send_envelope(int process, const void* head, std::size_t head_bytes, const Data& payload) {
  if (under_way_.size() >= most_envelopes_under_way) return false;
  if (spare_envelopes_.empty())
    spare_envelopes_.push_back(std::make_unique_for_overwrite<std::byte[]>(slot_bytes));
  std::byte* const envelope = spare_envelopes_.back().get();
  std::memcpy(envelope, head, head_bytes);
  copy_message({envelope + head_bytes, payload.bytes}, payload, payload.bytes);
  LinkRequest* request = send(process, envelope_tag, envelope, head_bytes + payload.bytes);
  if (request == nullptr) return true;
  under_way_.push_back({request, std::move(spare_envelopes_.back())});
  spare_envelopes_.pop_back();
  return true;
}

bool TaggedLink::read_one(EnvelopeReader& reader) {
  const std::size_t slot = next_slot_;
  LinkStatus status;
  if (!test(listening_[slot], &status)) return false;
  listening_[slot] = nullptr;
  next_slot_ = (slot + 1) % listening_slots;
  ++deaf_slots_;
  reader.envelope(status.process, slots_[slot].get(), nullptr, status.bytes);
  if (deaf_slots_ > listening_slots / 2) listen_again();
  return true;
}

bool TaggedLink::read(EnvelopeReader& reader, int most) {
  while (slots_.size() < listening_slots) {
    slots_.push_back(std::make_unique_for_overwrite<std::byte[]>(slot_bytes));
    listening_.push_back(nullptr);
    listen(slots_.size() - 1);
  }
  int read = 0;
  // Who has what he waits for goes on at once: a look for more, and the slots, can wait until he looks again.
  do {
    if (!read_one(reader)) {
      listen_again();
      break;
    }
  } while (++read < most && reader.wants_more());
  return (!under_way_.empty() && finish_sent()) || read != 0;
}

bool TaggedLink::finish_sent() {
  bool finished = false;
  const std::size_t tests = std::min(under_way_.size(), tests_at_once);
  for (std::size_t i = 0; i < tests && !under_way_.empty(); ++i) {
    if (next_to_test_ >= under_way_.size()) next_to_test_ = 0;
    Sent& sent = under_way_[next_to_test_];
    if (!test(sent.request, nullptr)) {
      ++next_to_test_;
      continue;
    }
    finished = true;
    if (spare_envelopes_.size() < spare_envelopes_kept) spare_envelopes_.push_back(std::move(sent.bytes));
    std::swap(sent, under_way_.back());
    under_way_.pop_back();
  }
  return finished;
}

}  // namespace taihu::message
