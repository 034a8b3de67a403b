// SPDX-License-Identifier: Apache-2.0
// Handles of programs that were built for Open MPI. There, the handle of a predefined object is the address
// of a variable that its library defines; here, these variables are records that begin with a mark and the
// number of our handle. A program may have its own copy of such a variable, which then is the handle in all
// of the rank's code (COPY relocations); the record's content makes it known wherever it lies, and the rank
// keeps where it is. All other handles are the addresses of our objects, as in our own ABI.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "taihu/mpi/object.h"
#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi::open_mpi {

using Handle = void*;  ///< of all kinds

/// What a variable for a predefined object begins with.
struct PredefinedRecord {
  std::uint64_t mark;
  std::uintptr_t number;  ///< of our handle
};
/// No address, so no object of ours begins with it.
inline constexpr std::uint64_t predefined_mark = 0x8a5c'6f6d'7069'3bd1;

/// The record of our predefined handle `number` in this library.
const void* record_of(std::uintptr_t number) noexcept;
/// The variable of that name (ompi_mpi_comm_world), or null.
const void* predefined_variable(std::string_view name) noexcept;

/// Where a rank's program has its variables.
class PredefinedPlaces final : public RankPart {
 public:
  explicit PredefinedPlaces(Rank&);
  static PredefinedPlaces& of(Rank& rank) { return rank.part<PredefinedPlaces>(Part::foreign_handles); }

  /// The program has its own copy of a record; before it starts.
  void move(const void* record, void* copy) noexcept;
  void* at(std::uintptr_t number) const noexcept { return places_[number]; }

 private:
  std::array<void*, predefined_handles> places_;
};

/// What our calls take for a handle that means nothing.
template <class Ours>
Ours invalid_handle() noexcept {
  return reinterpret_cast<Ours>(std::uintptr_t{1});
}

template <class Ours>
inline Ours in_handle(Handle theirs) noexcept {
  // No object lies that low; programs pass null, or the values of another library.
  if (reinterpret_cast<std::uintptr_t>(theirs) < 0x1000) [[unlikely]]
    return invalid_handle<Ours>();
  const auto& record = *static_cast<const PredefinedRecord*>(theirs);
  return record.mark == predefined_mark ? reinterpret_cast<Ours>(record.number) : static_cast<Ours>(theirs);
}

inline Handle out_handle(const void* ours) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(ours);
  if (value >= predefined_handles) return const_cast<void*>(ours);
  Rank* const rank = current_rank();
  return rank != nullptr ? PredefinedPlaces::of(*rank).at(value) : const_cast<void*>(record_of(value));
}

/// Handles as integers: those of Open MPI for predefined objects, our indices for all others.
int to_fortran(Rank& rank, const void* ours) noexcept;
template <class Ours>
Ours from_fortran(Rank& rank, int integer) noexcept;

}  // namespace taihu::mpi::open_mpi
