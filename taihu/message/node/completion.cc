// SPDX-License-Identifier: Apache-2.0
// The waiting half of an endpoint: asks whether transfers are complete, and waits until they are. A waiting
// rank first looks at what it waits for, then makes progress for all, then sleeps (threads/waiting.h).
#include "taihu/message/node/local_endpoint.h"
#include "taihu/message/node/node_process.h"

namespace taihu::message {

namespace {

/// Turns in which a waiting rank keeps the link for itself: a few microseconds.
constexpr int turns_driven_at_once = 64;

}  // namespace

bool LocalEndpoint::test(Request* request, Status* status) {
  if (!is_complete(request)) return false;
  take(request, status);
  return true;
}

inline void LocalEndpoint::take(Request* request, Status* status) {
  if (status != nullptr) *status = status_of(request);
  if (request == nullptr || request == &sent_) return;
  std::lock_guard hold(lock_);
  requests_.give_back(request);
}

bool LocalEndpoint::is_complete(Request* request) {
  if (request == nullptr || request->done.load(std::memory_order_acquire)) return true;
  poll_link_in_turn();
  std::lock_guard hold(lock_);
  drain();
  return request->done.load(std::memory_order_acquire);
}

Status LocalEndpoint::status_of(Request* request) {
  if constexpr (contracts_checked)
    expect(request == nullptr || request->done.load(std::memory_order_acquire),
           "a request that is asked for its status is complete");
  return request == nullptr ? Status{} : request->status;
}

void LocalEndpoint::wait(Request* request, Status* status) {
  if (request != nullptr) await(*request);
  take(request, status);
}

void LocalEndpoint::await(Request& request) {
  if (!request.done.load(std::memory_order_acquire)) await_patiently(request);
}

void LocalEndpoint::await_patiently(Request& request) {
  // A short send that was announced all the same, because messages to its receiver come in streams or fill
  // the ring, waits for that rank no longer than a blocking one would.
  if (request.receiver != nullptr && request.mode == SendMode::standard &&
      request.bytes <= node_.tuning().eager_bytes) {
    const bool was_prompt = spin_until_done(request, 2 * node_.tuning().watch_turns);
    channel_to(*request.receiver).prompt.learn(was_prompt);
    if (was_prompt) return;
    request.receiver->buffer_send(request, local_index_);
  }
  await_done(request);
}

void LocalEndpoint::about_to_sleep() noexcept {
  node_.rank_looks_less();
}

void LocalEndpoint::await_done(Request& request) {
  if (spin_until_done(request, threads::wait_policy().spins)) return;
  // Programs that send to each other before they receive are common, though MPI does not promise that they
  // work: middle sizes are buffered at the receiver when no receive comes soon.
  if (request.receiver != nullptr && request.mode == SendMode::standard &&
      request.bytes <= node_.tuning().buffered_bytes) {
    request.receiver->buffer_send(request, local_index_);
  }
  node_.wait_at(doorbell_, [&] {
    if (request.done.load(std::memory_order_acquire)) return true;
    progress();
    return request.done.load(std::memory_order_acquire);
  });
}

bool LocalEndpoint::may_come_from_afar(const Request& request) const noexcept {
  return node_.remote() != nullptr && request.receiver == nullptr &&
         (request.source == any_rank || node_.local_endpoint_of(request.source) == nullptr);
}

bool LocalEndpoint::drive_until_done(const Request& request, int most_spins) {
  const auto is_done = [&] { return request.done.load(std::memory_order_acquire); };
  int turns = 1;
  for (int left = most_spins; left > 0; left -= turns) {
    // A rank alone in its node process has nothing else to look at.
    const bool is_alone = node_.local_ranks() == 1 && background_.load(std::memory_order_relaxed) == nullptr;
    turns = is_alone ? turns_driven_at_once : 1;
    const bool was_inside = node_.remote()->drive(turns, is_done);
    if (is_done()) return true;
    if (!was_inside) threads::spin_pause();
    help_wanted_.help();
    run_background();
    std::lock_guard hold(lock_);
    drain();
  }
  return is_done();
}

bool LocalEndpoint::spin_until_done(const Request& request, int most_spins) {
  if (node_.cores() == Cores::enough && may_come_from_afar(request))
    return drive_until_done(request, most_spins);
  std::unique_lock hold(lock_, std::defer_lock);
  int spins = most_spins;
  if (node_.cores() == Cores::crowded) {
    hold.lock();
    spins = turns_to_watch(request.receiver != nullptr  ? request.receiver
                           : request.source != any_rank ? node_.local_endpoint_of(request.source)
                                                        : nullptr);
  }
  for (int i = 0; i < spins; ++i) {
    if (request.done.load(std::memory_order_acquire)) return true;
    help_wanted_.help();
    if (node_.remote() != nullptr || background_.load(std::memory_order_relaxed) != nullptr) {
      if (hold.owns_lock()) hold.unlock();
      poll_link_in_turn();
      run_background();
    } else if (hold.owns_lock() && lock_.is_wanted()) {
      hold.unlock();
      lock_.give_way();
    }
    if (!hold.owns_lock()) hold.lock();
    drain();
    threads::spin_pause();
  }
  return request.done.load(std::memory_order_acquire);
}

void LocalEndpoint::run_background() {
  Background* background = background_.load(std::memory_order_acquire);
  if (background == nullptr) return;
  // Also ends recursion: background work may come here through the endpoint. Sequentially consistent: either
  // the thread inside sees that another one was turned away, or that one sees that it has left.
  while (in_background_.exchange(true)) {
    background_missed_.store(true);
    if (in_background_.load()) return;
  }
  background->progress();
  in_background_.store(false);
  // The thread that was turned away may have seen something arrive that came too late for this turn.
  if (background_missed_.exchange(false)) doorbell_.ring();
}

void LocalEndpoint::set_background(Background* background) noexcept {
  background_.store(background, std::memory_order_release);
}

void LocalEndpoint::progress() {
  run_background();
  help_wanted_.help();
  poll_link_in_turn();
  std::lock_guard hold(lock_);
  drain();
}

}  // namespace taihu::message
