// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/wire/wire.h"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <mutex>
#include <utility>

#include "taihu/message/matching/request.h"

namespace taihu::message {

namespace {

/// One for all data that follow envelopes: they are received in the order in which they were sent.
constexpr int following_tag = first_free_tag;
constexpr int envelopes_at_once = 64;

}  // namespace

Wire::Wire(Link& link, Arrived arrived, std::function<void()> before_leaving, Counted counted,
           std::function<void()> after_reading)
    : link_(link),
      arrived_(std::move(arrived)),
      before_leaving_(std::move(before_leaving)),
      counted_(std::move(counted)),
      after_reading_(std::move(after_reading)),
      backlog_(static_cast<std::size_t>(link.processes())),
      next_tag_(first_data_tag) {}

Wire::~Wire() {
  for (const Transfer& transfer : under_way_) {
    if (transfer.request != nullptr) link_.cancel(transfer.request);
  }
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

/// Something may have been submitted before others could see that this thread has left.
void Wire::look_behind() {
  while (submissions_.load(std::memory_order_relaxed) != 0 && try_enter()) {
    take_submissions();
    post_backlog();
    say_more();
    thread_inside_.store(nobody, std::memory_order_relaxed);
    lock_.unlock();
    threads::light_barrier();
  }
}

/// As try_enter, after a submission: when this is false, whoever is inside will see it.
bool Wire::enter_behind_submission() {
  if (try_enter()) return true;
  threads::heavy_barrier();
  // Who has the lock without being inside comes or goes, or has only tried it.
  for (int i = 0;; ++i) {
    if (try_enter()) return true;
    if (thread_inside_.load(std::memory_order_relaxed) != nobody) return false;
    if (i < 100) {
      threads::spin_pause();
    } else {
      sched_yield();
    }
  }
}

/// Sends without a way through the queues; false when the thread is not inside or older envelopes wait.
bool Wire::post_at_once(Outgoing& outgoing) {
  if (!is_inside() || submissions_.load(std::memory_order_relaxed) != 0 ||
      !backlog_[static_cast<std::size_t>(outgoing.process)].empty() || !can_post(outgoing)) {
    return false;
  }
  post(outgoing);
  return true;
}

void Wire::expect_sendable(const Outgoing& outgoing) const {
  expect_process(outgoing.process);
  expect(outgoing.payload_bytes <= eager_payload_bytes, "bytes of a payload <= what an envelope carries");
  expect(outgoing.owned.empty() || outgoing.owned.size() == outgoing.payload_bytes,
         "a payload that is owned is all of it");
  expect(outgoing.landing_bytes == 0 || !outgoing.expect, "an envelope asks for bulk data in one way");
}

void Wire::submit(Outgoing outgoing) {
  if constexpr (contracts_checked) expect_sendable(outgoing);
  const bool was_inside = is_inside();
  if (was_inside || try_enter()) {
    const bool is_posted = post_at_once(outgoing);
    if (!was_inside) leave();
    if (is_posted) return;
  }
  {
    std::lock_guard hold(submitted_lock_);
    submitted_.push_back(std::move(outgoing));
    submissions_.store(submitted_.size(), std::memory_order_relaxed);
  }
  if (was_inside || !enter_behind_submission()) return;
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
  for (Outgoing& outgoing : taken) {
    auto& backlog = backlog_[static_cast<std::size_t>(outgoing.process)];
    if (backlog.empty()) held_up_.push_back(outgoing.process);
    backlog.push_back(std::move(outgoing));
    ++backlog_size_;
  }
  return !taken.empty();
}

void Wire::post_backlog() {
  if (backlog_size_ == 0) return;
  std::erase_if(held_up_, [&](int process) {
    auto& backlog = backlog_[static_cast<std::size_t>(process)];
    while (!backlog.empty() && can_post(backlog.front())) {
      Outgoing outgoing = std::move(backlog.front());
      backlog.pop_front();
      --backlog_size_;
      post(outgoing);
    }
    return backlog.empty();
  });
}

bool Wire::can_post(const Outgoing& outgoing) {
  const auto tags = static_cast<std::size_t>(link_.tag_limit() - first_data_tag + 1);
  return link_.has_room(outgoing.process, header_bytes(outgoing.header.kind) + outgoing.payload_bytes) &&
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
  // There is room: can_post has asked.
  (void)link_.send_envelope(outgoing.process, &outgoing.header, header_bytes(outgoing.header.kind),
                            {payload, outgoing.payload_bytes, outgoing.layout});
  if (outgoing.posted != nullptr) outgoing.posted->complete();
  if (outgoing.following_bytes != 0)
    send_following(outgoing.process, outgoing.following, outgoing.following_bytes, outgoing.followed);
  if (outgoing.landing_bytes == 0 && outgoing.landed) outgoing.landed();
}

void Wire::send_following(int process, const void* data, std::size_t bytes, Request* sent) {
  Transfer transfer;
  transfer.request = link_.send(process, following_tag, data, bytes);
  transfer.sent = sent;
  if (transfer.request != nullptr) return under_way_.push_back(std::move(transfer));
  if (sent != nullptr) sent->complete();
}

void Wire::send_bulk(int process, int tag, const void* data, std::size_t bytes, std::function<void()> sent) {
  expect_inside(process);
  Transfer transfer;
  transfer.request = link_.send(process, tag, data, bytes);
  transfer.done = std::move(sent);
  // Callbacks may send the next piece: never from within the call that sent the one before.
  if (transfer.request != nullptr || transfer.done) under_way_.push_back(std::move(transfer));
}

void Wire::receive_following(int process, void* buffer, std::size_t bytes, std::function<void()> landed) {
  expect_inside(process);
  Transfer transfer;
  transfer.request = link_.receive(process, following_tag, buffer, bytes);
  if (link_.test(transfer.request)) return landed();
  transfer.done = std::move(landed);
  under_way_.push_back(std::move(transfer));
}

void Wire::receive_bulk(int process, int tag, void* buffer, std::size_t bytes, std::function<void()> landed) {
  expect_inside(process);
  if constexpr (contracts_checked) expect(tags_in_use_.contains(tag), "the tag is one that expect was given");
  Transfer transfer;
  transfer.request = link_.receive(process, tag, buffer, bytes);
  transfer.done = std::move(landed);
  under_way_.push_back(std::move(transfer));
}

/// What poll does, inside, and leaves.
bool Wire::work() {
  looks_.store(looks_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  bool worked = take_submissions();
  post_backlog();
  worked |= read_link(envelopes_at_once);
  if (!under_way_.empty()) worked |= finish_transfers();
  if constexpr (contracts_checked)
    if (worked) check_invariants();
  leave();
  return worked;
}

void Wire::envelope(int process, const std::byte* head, const std::byte* payload, std::size_t bytes) {
  EnvelopeKind kind;
  std::memcpy(&kind, head, sizeof kind);
  if (kind == EnvelopeKind::plain_message) [[likely]] {
    std::memcpy(static_cast<void*>(&plain_header_), head, plain_header_bytes);
    plain_header_.bytes = bytes - plain_header_bytes;
    return arrived_(process, plain_header_, payload != nullptr ? payload : head + plain_header_bytes);
  }
  Header header;
  const std::size_t before = header_bytes(kind);
  std::memcpy(static_cast<void*>(&header), head, before);
  arrived_(process, header, payload != nullptr ? payload : head + before);
}

bool Wire::finish_transfers() {
  bool finished = false;
  const std::size_t tests = std::min(under_way_.size(), tests_at_once);
  for (std::size_t i = 0; i < tests && !under_way_.empty(); ++i) {
    if (next_to_test_ >= under_way_.size()) next_to_test_ = 0;
    LinkRequest* const request = under_way_[next_to_test_].request;
    if (request != nullptr && !link_.test(request)) {
      ++next_to_test_;
      continue;
    }
    finished = true;
    // Taken out first: the callback may start further transfers.
    std::swap(under_way_[next_to_test_], under_way_.back());
    Transfer done = std::move(under_way_.back());
    under_way_.pop_back();
    if (done.tag != 0) tags_in_use_.erase(done.tag);
    if (done.sent != nullptr) done.sent->complete();
    if (done.done) done.done();
  }
  return finished;
}

bool Wire::idle() {
  if (!try_enter()) return false;
  const bool answer = submissions_.load(std::memory_order_relaxed) == 0 && backlog_size_ == 0 &&
                      under_way_.empty() && link_.is_quiet();
  leave();
  return answer;
}

}  // namespace taihu::message
