// SPDX-License-Identifier: Apache-2.0
// A transfer under way, and the store where an endpoint takes requests from and puts them back.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "taihu/base/contract.h"
#include "taihu/message/data/shared_copy.h"
#include "taihu/message/endpoint.h"
#include "taihu/message/matching/chain.h"

namespace taihu::message {

class LocalEndpoint;

/// Of requests that are no messages.
inline constexpr Context no_context = ~Context{0};

/// `done` is stored (release) last by whoever completes the transfer, which may be another rank's thread or
/// the progress thread, and must not be touched by it afterwards: the owner may reuse the request at once.
/// What a receive needs comes first, so that it fills two cache lines.
struct alignas(64) Request {
  /// For Endpoint::irecv_into, which does the rest.
  Request() = default;
  explicit Request(threads::Doorbell& owner_bell) : bell(&owner_bell) {}

  std::atomic<bool> done{false};
  bool is_posted = false;  ///< in the matching queues
  SendMode mode = SendMode::standard;
  // Never of one request; one byte, so that it fills two cache lines.
  bool carries_data : 1 = false;  ///< of a put to another node process
  bool is_of_caller : 1 = false;  ///< a receive of Endpoint::irecv_into
  int destination = any_rank;  ///< of a send that waits for its match in another node process, else any_rank
  threads::Doorbell* bell = nullptr;  ///< of the rank that owns the request
  Status status;

  // What a posted receive waits for; owned by the receiving endpoint's lock.
  int source = any_rank;
  int tag = any_tag;
  Context context = no_context;
  Space space{nullptr, 0};
  std::uint64_t posted_at = 0;  ///< number of the receive among those of its rank
  Neighbours<Request> in_queue;

  // Of a send that is announced inside the node process; unchanged until it is complete.
  LocalEndpoint* receiver = nullptr;  ///< null: not such a send
  std::size_t bytes = 0;
  union {
    HelpWanted* helpers = nullptr;  ///< of the sending rank; null: the receiver copies alone
    std::atomic<int>* awaited;  ///< of a receive of the caller's: how many of its rank wait for their data
  };

  /// The receive has its message, but not the data. Under the lock of its endpoint.
  void await_data() noexcept {
    if (is_of_caller) awaited->fetch_add(1, std::memory_order_relaxed);
  }
  /// Behind await_data: as complete. The rank may wait for the count, so it is rung behind that.
  void complete_with_data() noexcept {
    threads::Doorbell* const owner_bell = bell;
    std::atomic<int>* const of_rank = is_of_caller ? awaited : nullptr;
    done.store(true, std::memory_order_release);
    if (of_rank != nullptr) of_rank->fetch_sub(1, std::memory_order_release);
    owner_bell->ring();
  }

  /// Completes the transfer and wakes the owner. Any thread.
  void complete() noexcept {
    threads::Doorbell* owner_bell = bell;
    done.store(true, std::memory_order_release);
    owner_bell->ring();
  }
};

static_assert(sizeof(Request) == 128, "two cache lines");

/// Requests of one endpoint, reused; used under its lock. Addresses are stable.
class RequestStore {
 public:
  explicit RequestStore(threads::Doorbell& bell) : bell_(bell) {}

  Request* take() {
    if (free_.empty()) return &all_.emplace_back(bell_);
    Request* request = free_.back();
    free_.pop_back();
    request->done.store(false, std::memory_order_relaxed);
    request->status = Status{};
    request->receiver = nullptr;
    request->source = any_rank;
    request->destination = any_rank;
    request->context = no_context;
    return request;
  }

  /// Of a complete transfer.
  void give_back(Request* request) {
    if constexpr (contracts_checked)
      expect(request->done.load(std::memory_order_acquire) && !request->is_posted,
             "a request that is given back is complete");
    free_.push_back(request);
  }

  /// Requests of the endpoint == free ones + those under way, and free ones are complete.
  void check_invariants() const;

  /// Whether all transfers are complete.
  bool is_idle() const noexcept {
    return std::ranges::all_of(
        all_, [](const Request& request) { return request.done.load(std::memory_order_acquire); });
  }
  /// Whether all transfers in `context` are complete; free requests are.
  bool is_idle(Context context) const noexcept {
    return std::ranges::all_of(all_, [&](const Request& request) {
      return request.context != context || request.done.load(std::memory_order_acquire);
    });
  }

 private:
  threads::Doorbell& bell_;
  std::deque<Request> all_;
  std::vector<Request*> free_;
};

}  // namespace taihu::message
