// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/wire.h"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <mutex>
#include <utility>

#include "taihu/message/request.h"

namespace taihu::message {

namespace {

constexpr int envelope_tag = shared_tag;
constexpr int following_tag =
    2;  // envelopes and what follows them are received in the order of their sending
constexpr int first_data_tag = 3;
constexpr std::size_t listening_slots = 32;
constexpr std::size_t slot_bytes = sizeof(Header) + eager_payload_bytes;
constexpr int most_envelopes_under_way = 256;
constexpr std::size_t spare_envelopes_kept = 64;
constexpr int envelopes_at_once = 64;
constexpr std::size_t tests_at_once = 32;

/// What travels of the header.
constexpr std::size_t header_bytes(EnvelopeKind kind) {
  switch (kind) {
    case EnvelopeKind::plain_message:
      return plain_header_bytes;
    case EnvelopeKind::followed_message:
      return followed_header_bytes;
    default:
      return sizeof(Header);
  }
}

}  // namespace

Wire::Wire(Link& link, Arrived arrived)
    : link_(link), arrived_(std::move(arrived)), next_tag_(first_data_tag) {
  for (std::size_t slot = 0; slot < listening_slots; ++slot) {
    slots_.push_back(std::make_unique_for_overwrite<std::byte[]>(slot_bytes));
    listening_.push_back(nullptr);
    listen(slot);
  }
}

Wire::~Wire() {
  for (LinkRequest* request : listening_) {
    if (request != nullptr) link_.cancel(request);
  }
  for (const Transfer& transfer : under_way_) link_.cancel(transfer.request);
}

void Wire::listen(std::size_t slot) {
  listening_[slot] = link_.receive(any_process, envelope_tag, slots_[slot].get(), slot_bytes);
}

/// Posting a slot again costs about as much as a message takes, so that is done when nothing else is to do,
/// or many are to be posted.
void Wire::listen_again() {
  for (; deaf_slots_ != 0; --deaf_slots_)
    listen((next_slot_ + listening_slots - deaf_slots_) % listening_slots);
}

void Wire::enter() noexcept {
  while (!try_enter()) sched_yield();
}

bool Wire::enter_within(int milliseconds) noexcept {
  for (int i = 0; i < milliseconds; ++i) {
    if (try_enter()) return true;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

void Wire::leave() {
  // Sequentially consistent on both sides: either we see the submission, or its thread sees that nobody is
  // inside.
  for (;;) {
    thread_inside_.store(pthread_t{}, std::memory_order_relaxed);
    inside_.store(false, std::memory_order_seq_cst);
    if (submissions_.load(std::memory_order_seq_cst) == 0 || !try_enter()) return;
    take_submissions();
    post_backlog();
  }
}

/// Sends without a way through the queues; false when the thread is not inside or older envelopes wait.
bool Wire::post_at_once(Outgoing& outgoing) {
  if (!is_inside() || submissions_.load(std::memory_order_relaxed) != 0 || !backlog_.empty() ||
      !can_post(outgoing)) {
    return false;
  }
  post(outgoing);
  return true;
}

void Wire::submit(Outgoing outgoing) {
  const bool was_inside = is_inside();
  if (was_inside || try_enter()) {
    const bool is_posted = post_at_once(outgoing);
    if (!was_inside) leave();
    if (is_posted) return;
  }
  {
    std::lock_guard hold(submitted_lock_);
    submitted_.push_back(std::move(outgoing));
    submissions_.store(submitted_.size(), std::memory_order_seq_cst);
  }
  if (!try_enter()) return;
  take_submissions();
  post_backlog();
  leave();
}

bool Wire::take_submissions() {
  if (submissions_.load(std::memory_order_relaxed) == 0) return false;
  std::vector<Outgoing> taken;
  {
    std::lock_guard hold(submitted_lock_);
    taken.swap(submitted_);
    submissions_.store(0, std::memory_order_relaxed);
  }
  for (Outgoing& outgoing : taken) backlog_.push_back(std::move(outgoing));
  return !taken.empty();
}

void Wire::post_backlog() {
  while (!backlog_.empty() && can_post(backlog_.front())) {
    Outgoing outgoing = std::move(backlog_.front());
    backlog_.pop_front();
    post(outgoing);
  }
}

bool Wire::can_post(const Outgoing& outgoing) const noexcept {
  const auto tags = static_cast<std::size_t>(link_.tag_limit() - first_data_tag + 1);
  return envelopes_under_way_ < most_envelopes_under_way &&
         ((outgoing.landing_bytes == 0 && !outgoing.expect) || tags_in_use_.size() < tags);
}

int Wire::take_tag() {
  const int limit = link_.tag_limit();
  do {
    next_tag_ = next_tag_ >= limit ? first_data_tag : next_tag_ + 1;
  } while (!tags_in_use_.insert(next_tag_).second);
  return next_tag_;
}

void Wire::post(Outgoing& outgoing) {
  if (outgoing.expect) {
    outgoing.header.data_tag = take_tag();
    outgoing.expect(outgoing.header.data_tag);
  }
  if (outgoing.landing_bytes != 0) {
    Transfer expected;
    expected.tag = outgoing.header.data_tag = take_tag();
    expected.request =
        link_.receive(outgoing.process, expected.tag, outgoing.landing, outgoing.landing_bytes);
    expected.done = std::move(outgoing.landed);
    under_way_.push_back(std::move(expected));
  }
  const void* payload = outgoing.owned.empty() ? outgoing.payload : outgoing.owned.data();
  send_envelope(outgoing.process, outgoing.header, {payload, outgoing.payload_bytes, outgoing.layout});
  if (outgoing.posted != nullptr) outgoing.posted->complete();
  if (outgoing.following_bytes != 0)
    send_following(outgoing.process, outgoing.following, outgoing.following_bytes, outgoing.followed);
  if (outgoing.landing_bytes == 0 && outgoing.landed) outgoing.landed();
}

void Wire::send_envelope(int process, const Header& header, const Data& payload) {
  if (spare_envelopes_.empty())
    spare_envelopes_.push_back(std::make_unique_for_overwrite<std::byte[]>(slot_bytes));
  std::byte* const envelope = spare_envelopes_.back().get();
  const std::size_t before = header_bytes(header.kind);
  std::memcpy(envelope, &header, before);
  copy_message({envelope + before, payload.bytes}, payload, payload.bytes);
  LinkRequest* request = link_.send_now(process, envelope_tag, envelope, before + payload.bytes);
  if (request == nullptr) return;
  Transfer transfer;
  transfer.request = request;
  transfer.envelope = std::move(spare_envelopes_.back());
  spare_envelopes_.pop_back();
  under_way_.push_back(std::move(transfer));
  ++envelopes_under_way_;
}

void Wire::send_following(int process, const void* data, std::size_t bytes, Request* sent) {
  Transfer transfer;
  transfer.request = link_.send_now(process, following_tag, data, bytes);
  transfer.sent = sent;
  if (transfer.request != nullptr) return under_way_.push_back(std::move(transfer));
  if (sent != nullptr) sent->complete();
}

bool Wire::send_now(int process, const Header& header, const Data& payload) {
  if (!try_enter()) return false;
  take_submissions();
  post_backlog();
  const bool is_next = backlog_.empty() && envelopes_under_way_ < most_envelopes_under_way;
  if (is_next) send_envelope(process, header, payload);
  leave();
  return is_next;
}

void Wire::send_bulk(int process, int tag, const void* data, std::size_t bytes, std::function<void()> sent) {
  Transfer transfer;
  transfer.request = link_.send(process, tag, data, bytes);
  transfer.done = std::move(sent);
  under_way_.push_back(std::move(transfer));
}

void Wire::receive_following(int process, void* buffer, std::size_t bytes, std::function<void()> landed) {
  Transfer transfer;
  transfer.request = link_.receive(process, following_tag, buffer, bytes);
  if (link_.test(transfer.request, nullptr)) return landed();
  transfer.done = std::move(landed);
  under_way_.push_back(std::move(transfer));
}

void Wire::receive_bulk(int process, int tag, void* buffer, std::size_t bytes, std::function<void()> landed) {
  Transfer transfer;
  transfer.request = link_.receive(process, tag, buffer, bytes);
  transfer.done = std::move(landed);
  under_way_.push_back(std::move(transfer));
}

bool Wire::poll() {
  if (!try_enter()) return false;
  looks_.store(looks_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  bool worked = take_submissions();
  post_backlog();
  worked |= read_envelopes();
  worked |= finish_transfers();
  leave();
  return worked;
}

bool Wire::read_envelope() {
  const std::size_t slot = next_slot_;
  LinkStatus status;
  if (!link_.test(listening_[slot], &status)) return false;
  listening_[slot] = nullptr;
  next_slot_ = (slot + 1) % listening_slots;
  ++deaf_slots_;
  const std::byte* const envelope = slots_[slot].get();
  Header header;
  std::memcpy(static_cast<void*>(&header), envelope, plain_header_bytes);
  const std::size_t before = header_bytes(header.kind);
  if (header.kind == EnvelopeKind::plain_message) {
    header.bytes = status.bytes - before;
  } else {
    std::memcpy(static_cast<void*>(&header), envelope, before);
  }
  arrived_(status.process, header, envelope + before);
  if (deaf_slots_ > listening_slots / 2) listen_again();
  return true;
}

bool Wire::read_envelopes() {
  int read = 0;
  while (read < envelopes_at_once && read_envelope()) ++read;
  listen_again();
  return read != 0;
}

bool Wire::finish_transfers() {
  bool finished = false;
  const std::size_t tests = std::min(under_way_.size(), tests_at_once);
  for (std::size_t i = 0; i < tests && !under_way_.empty(); ++i) {
    if (next_to_test_ >= under_way_.size()) next_to_test_ = 0;
    if (!link_.test(under_way_[next_to_test_].request, nullptr)) {
      ++next_to_test_;
      continue;
    }
    finished = true;
    // Taken out first: the callback may start further transfers.
    std::swap(under_way_[next_to_test_], under_way_.back());
    Transfer done = std::move(under_way_.back());
    under_way_.pop_back();
    if (done.tag != 0) tags_in_use_.erase(done.tag);
    if (done.envelope != nullptr) {
      --envelopes_under_way_;
      if (spare_envelopes_.size() < spare_envelopes_kept)
        spare_envelopes_.push_back(std::move(done.envelope));
    }
    if (done.sent != nullptr) done.sent->complete();
    if (done.done) done.done();
  }
  return finished;
}

bool Wire::idle() {
  if (!try_enter()) return false;
  const bool answer =
      submissions_.load(std::memory_order_relaxed) == 0 && backlog_.empty() && under_way_.empty();
  leave();
  return answer;
}

}  // namespace taihu::message
