// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/known_objects.h"

#include <iterator>
#include <mutex>

namespace taihu::parallelc {

namespace {

using Objects = std::map<std::uintptr_t, std::uint64_t>;

std::uint64_t bytes_of(Objects::const_iterator object) {
  return object->second & ~TAIHU_OBJECT_CONSTANT;
}

Objects::const_iterator find_in(const Objects& objects, std::uintptr_t address) {
  const auto after = objects.upper_bound(address);
  if (after == objects.begin()) return objects.end();
  const auto object = std::prev(after);
  return address - object->first < bytes_of(object) ? object : objects.end();
}

}  // namespace

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
  const auto object = find_in(bytes_, address);
  if (object == bytes_.end()) return std::nullopt;
  return std::pair(object->first, std::size_t{bytes_of(object)});
}

std::optional<std::pair<std::uintptr_t, std::size_t>> KnownObjects::find_writable(
    std::uintptr_t address) const {
  const std::shared_lock hold(mutex_);
  const auto object = find_in(bytes_, address);
  if (object == bytes_.end() || (object->second & TAIHU_OBJECT_CONSTANT) != 0) return std::nullopt;
  return std::pair(object->first, std::size_t{bytes_of(object)});
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
