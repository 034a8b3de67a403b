// SPDX-License-Identifier: Apache-2.0
// What an endpoint and its channels keep, as equations, under the endpoint's lock. Builds without contracts
// do not ask.
#include <mutex>

#include "taihu/base/contract.h"
#include "taihu/message/node/local_endpoint.h"

namespace taihu::message {

void Channel::check_overflow() {
  std::lock_guard hold(overflow_lock_);
  ensure(overflowing_.load(std::memory_order_relaxed) == !overflow_.empty(),
         "overflowing == the list has messages");
}

/// What the rank's lock guards: its queues, its requests, and its side of every channel.
void LocalEndpoint::check_locked() {
  queues_.check_invariants();
  requests_.check_invariants();
  mailbox_.check_invariants();
  for (const auto& channel : channels_) channel->check_sender();
  for (const auto& incoming : incoming_)
    if (Channel* const channel = incoming.load(std::memory_order_acquire); channel != nullptr)
      channel->check_receiver();
}

void LocalEndpoint::check_invariants() {
  std::lock_guard hold(lock_);
  check_locked();
}

}  // namespace taihu::message
