// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/diagnostics/exchanges.h"

#include <utility>

namespace taihu::mpi {
namespace {

constexpr std::size_t kept_exchanges = 4;

}  // namespace

void Exchanges::keep(Exchange exchange) {
  if (exchange.sent.size() > most_blocks || exchange.received.size() > most_blocks) return;
  const std::lock_guard hold(lock_);
  latest_.push_back(std::move(exchange));
  if (latest_.size() > kept_exchanges) latest_.pop_front();
}

std::vector<Exchange> Exchanges::latest() {
  const std::lock_guard hold(lock_);
  return {latest_.begin(), latest_.end()};
}

}  // namespace taihu::mpi
