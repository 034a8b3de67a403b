// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/info/info.h"

#include <algorithm>

#include "taihu/mpi/objects/call.h"

namespace taihu::mpi {
namespace {

template <class Entries>
auto find(Entries& entries, std::string_view key) {
  return std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first == key; });
}

}  // namespace

std::optional<std::string> Info::get(std::string_view key) const {
  const std::lock_guard hold(lock_);
  const auto found = find(entries_, key);
  if (found == entries_.end()) return std::nullopt;
  return found->second;
}

void Info::set(std::string_view key, std::string_view value) {
  const std::lock_guard hold(lock_);
  const auto found = find(entries_, key);
  if (found == entries_.end()) {
    entries_.emplace_back(key, value);
  } else {
    found->second = value;
  }
}

bool Info::remove(std::string_view key) {
  const std::lock_guard hold(lock_);
  const auto found = find(entries_, key);
  if (found == entries_.end()) return false;
  entries_.erase(found);
  return true;
}

Info::Entries Info::entries() const {
  const std::lock_guard hold(lock_);
  return entries_;
}

Info::Entries entries_of(Rank& rank, MPI_Info handle) {
  if (handle == MPI_INFO_NULL) return {};
  return checked<Info>(rank, handle, MPI_ERR_INFO, "the info object is not valid").entries();
}

}  // namespace taihu::mpi
