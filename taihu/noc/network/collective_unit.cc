// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/network/collective_unit.h"

#include <algorithm>

namespace taihu::noc {

CollectiveUnit::CollectiveUnit(int level, const UnitConfig& config) : level_(level), config_(config) {
  learned_.resize(static_cast<std::size_t>(config.communicators));
  if (level == 1) open_.resize(static_cast<std::size_t>(config.communicators * config.window()));
}

LearnedEntry* CollectiveUnit::find(int communicator) noexcept {
  for (LearnedEntry& entry : learned_)
    if (entry.communicator == communicator) return &entry;
  return nullptr;
}

LearnedEntry* CollectiveUnit::claim(int communicator) noexcept {
  LearnedEntry* entry = find(-1);
  if (entry == nullptr) return nullptr;
  *entry = LearnedEntry{};
  entry->communicator = communicator;
  return entry;
}

void CollectiveUnit::forget(int communicator) noexcept {
  LearnedEntry* entry = find(communicator);
  if (entry != nullptr) *entry = LearnedEntry{};
}

unsigned CollectiveUnit::broadcast_ports(int communicator, int port) noexcept {
  const LearnedEntry* entry = find(communicator);
  if (entry == nullptr) return 0;
  unsigned ports = 0;
  for (int out = 0; out < 5; ++out)
    if (entry->counts[static_cast<std::size_t>(out)] != 0 && out != port) ports |= 1u << out;
  return ports;
}

OpenOperation& CollectiveUnit::operation(const LearnedEntry& entry, std::uint32_t number) noexcept {
  const auto window = static_cast<std::uint32_t>(config_.window());
  const auto first = static_cast<std::size_t>(&entry - learned_.data()) * window;
  return open_[first + number % window];
}

int CollectiveUnit::open_operations() const noexcept {
  return static_cast<int>(
      std::count_if(open_.begin(), open_.end(), [](const auto& each) { return each.open; }));
}

void CollectiveUnit::learn(Packet& packet, int port) noexcept {
  if (packet.forget) return forget(packet.communicator);
  LearnedEntry* entry = find(packet.communicator);
  if (entry == nullptr) entry = claim(packet.communicator);
  if (entry == nullptr) {
    packet.beyond_tables = true;
    return;
  }
  auto& count = entry->counts[static_cast<std::size_t>(port)];
  if (level_ == 2) {
    count = 1;
    return;
  }
  ++count;
  ++entry->total;
  if (!packet.seen_unit) ++entry->direct;
  packet.seen_unit = true;
}

}  // namespace taihu::noc
