// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/kept_copies.h"

#include <algorithm>
#include <atomic>
#include <limits>

namespace taihu::parallelc {
namespace {

/// Writes are counted in the bits below.
constexpr int first_bit_of_name = 40;

}  // namespace

std::uint64_t present_version(std::uint64_t* version) noexcept {
  static std::atomic<std::uint64_t> names{0};
  const std::atomic_ref counter(*version);
  std::uint64_t value = counter.load(std::memory_order_acquire);
  if (value >> first_bit_of_name != 0) return value;
  const std::uint64_t name = (names.fetch_add(1, std::memory_order_relaxed) + 1) << first_bit_of_name;
  while (value >> first_bit_of_name == 0)
    if (counter.compare_exchange_weak(value, value | name, std::memory_order_acq_rel)) return value | name;
  return value;
}

char* KeptCopies::find(const char* memory, std::size_t bytes, std::uint64_t* version) {
  const std::uint64_t value = present_version(version);
  for (std::size_t k = copies_.size(); k-- > 0;) {
    Copy& copy = copies_[k];
    if (copy.version != version) continue;
    if (copy.value != value) {
      if (copy.uses == 0) drop(k);
      continue;
    }
    if (memory < copy.memory || memory + bytes > copy.memory + copy.bytes) continue;
    copy.uses += 1;
    char* const place = copy.begin + (memory - copy.memory);
    std::rotate(copies_.begin() + static_cast<std::ptrdiff_t>(k),
                copies_.begin() + static_cast<std::ptrdiff_t>(k) + 1, copies_.end());
    return place;
  }
  return nullptr;
}

char* KeptCopies::make(const char* memory, std::size_t bytes, std::uint64_t* version) {
  if (copies_.size() == most_copies && !drop_oldest()) return nullptr;
  const std::uint64_t value = present_version(version);
  const std::size_t shift = reinterpret_cast<std::uintptr_t>(memory) % alignment;
  void* block = allocate(bytes + shift);
  if (block == nullptr) return nullptr;
  char* const begin = static_cast<char*>(block) + shift;
  copies_.push_back({memory, bytes, version, value, block, begin, 1});
  return begin;
}

bool KeptCopies::release(const char* place) {
  const auto found = std::ranges::find_if(copies_, [&](const Copy& copy) {
    return copy.uses > 0 && place >= copy.begin && place < copy.begin + copy.bytes;
  });
  if (found == copies_.end()) return false;
  found->uses -= 1;
  return true;
}

void* KeptCopies::allocate(std::size_t bytes) {
  void* block = arena_.allocate(bytes);
  while (block == nullptr && drop_oldest()) block = arena_.allocate(bytes);
  return block;
}

void KeptCopies::make_room(std::size_t bytes) {
  while (arena_.available_bytes() < bytes && drop_oldest()) {
  }
}

std::size_t KeptCopies::available_bytes() {
  make_room(std::numeric_limits<std::size_t>::max());
  return arena_.available_bytes();
}

bool KeptCopies::drop_oldest() {
  const auto oldest = std::ranges::find(copies_, 0, &Copy::uses);
  if (oldest == copies_.end()) return false;
  drop(static_cast<std::size_t>(oldest - copies_.begin()));
  return true;
}

void KeptCopies::drop(std::size_t number) {
  arena_.release(copies_[number].block);
  copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(number));
}

}  // namespace taihu::parallelc
