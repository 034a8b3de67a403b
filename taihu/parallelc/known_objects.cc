// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/known_objects.h"

#include <iterator>
#include <mutex>

namespace taihu::parallelc {

void KnownObjects::add(std::span<const taihu_object> objects) {
  const std::lock_guard hold(mutex_);
  for (const taihu_object& object : objects)
    bytes_[reinterpret_cast<std::uintptr_t>(object.begin)] = object.bytes;
}

void KnownObjects::remove(std::span<const taihu_object> objects) {
  const std::lock_guard hold(mutex_);
  for (const taihu_object& object : objects) bytes_.erase(reinterpret_cast<std::uintptr_t>(object.begin));
}

std::optional<std::pair<std::uintptr_t, std::size_t>> KnownObjects::find(std::uintptr_t address) const {
  const std::shared_lock hold(mutex_);
  auto after = bytes_.upper_bound(address);
  if (after == bytes_.begin()) return std::nullopt;
  const auto& [begin, bytes] = *std::prev(after);
  if (address - begin >= bytes) return std::nullopt;
  return std::pair(begin, bytes);
}

KnownObjects& known_objects() {
  static KnownObjects* const all = new KnownObjects;  // files are unloaded until the process has ended
  return *all;
}

}  // namespace taihu::parallelc

using namespace taihu::parallelc;

extern "C" {

void taihu_add_objects(const taihu_object* objects, uint64_t count) {
  known_objects().add({objects, count});
}

void taihu_remove_objects(const taihu_object* objects, uint64_t count) {
  known_objects().remove({objects, count});
}

}  // extern "C"
