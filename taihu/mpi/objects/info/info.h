// SPDX-License-Identifier: Apache-2.0
// Info objects: texts by key, in the order in which the keys were set first.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taihu/mpi/object.h"

namespace taihu::mpi {

class Rank;

/// Any thread of the rank.
struct Info final : Object {
  static constexpr Kind object_kind = Kind::info;
  using Entries = std::vector<std::pair<std::string, std::string>>;

  Info() : Object(object_kind) {}
  explicit Info(Entries initial) : Object(object_kind), entries_(std::move(initial)) {}

  std::optional<std::string> get(std::string_view key) const;
  void set(std::string_view key, std::string_view value);
  bool remove(std::string_view key);  ///< false: there is no such key
  /// All, as they are now.
  Entries entries() const;

 private:
  mutable std::mutex lock_;
  Entries entries_;
};

/// What an info argument of a call says: nothing for MPI_INFO_NULL. Throws CallError for an invalid handle.
Info::Entries entries_of(Rank& rank, MPI_Info handle);

}  // namespace taihu::mpi
