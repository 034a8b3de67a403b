// SPDX-License-Identifier: Apache-2.0
// Datatypes as the standard defines them: a list of (basic type, displacement) and markers of bounds, put
// together entry by entry, with the padded ends of the parts (form.h). Slow and obvious; what the compiled
// types are compared with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "taihu/mpi/types/predefined_types.h"

namespace taihu::mpi::types_for_tests {

struct NaiveType {
  struct Entry {
    MPI_Count offset;
    const Datatype* basic;
  };
  std::vector<Entry> entries;
  std::vector<MPI_Count> lower_markers, upper_markers;
  std::vector<MPI_Count> padded_ends;

  static NaiveType basic(const Datatype& type) {
    NaiveType made;
    if (const PairParts* pair = pair_parts(type)) {
      made.entries = {{0, pair->first}, {static_cast<MPI_Count>(pair->second_offset), pair->second}};
    } else {
      made.entries = {{0, &type}};
    }
    made.padded_ends = {made.true_upper_bound()};
    return made;
  }

  void append(const NaiveType& other, MPI_Count offset) {
    for (const Entry& entry : other.entries) entries.push_back({entry.offset + offset, entry.basic});
    for (MPI_Count marker : other.lower_markers) lower_markers.push_back(marker + offset);
    for (MPI_Count marker : other.upper_markers) upper_markers.push_back(marker + offset);
    if (!other.entries.empty()) padded_ends.push_back(other.upper_bound() + offset);
  }
  /// `count` elements one extent apart.
  void append_row(const NaiveType& other, MPI_Count offset, MPI_Count count) {
    for (MPI_Count i = 0; i < count; ++i) append(other, offset + i * other.extent());
  }
  NaiveType resized(MPI_Count lower_bound, MPI_Count extent) const {
    NaiveType made = *this;
    made.lower_markers = {lower_bound};
    made.upper_markers = {lower_bound + extent};
    return made;
  }

  MPI_Count size() const {
    MPI_Count bytes = 0;
    for (const Entry& entry : entries) bytes += entry.basic->size_bytes;
    return bytes;
  }
  MPI_Count true_lower_bound() const {
    MPI_Count bound = entries.empty() ? 0 : entries[0].offset;
    for (const Entry& entry : entries) bound = std::min(bound, entry.offset);
    return bound;
  }
  MPI_Count true_upper_bound() const {
    MPI_Count bound = entries.empty() ? 0 : entries[0].offset + entries[0].basic->size_bytes;
    for (const Entry& entry : entries) bound = std::max(bound, entry.offset + entry.basic->size_bytes);
    return bound;
  }
  MPI_Count lower_bound() const {
    return lower_markers.empty() ? true_lower_bound()
                                 : *std::min_element(lower_markers.begin(), lower_markers.end());
  }
  MPI_Count upper_bound() const {
    if (!upper_markers.empty()) return *std::max_element(upper_markers.begin(), upper_markers.end());
    MPI_Count alignment = 1;
    for (const Entry& entry : entries)
      alignment = std::max<MPI_Count>(alignment, entry.basic->form.alignment);
    if (padded_ends.empty()) return lower_bound();
    MPI_Count extent = *std::max_element(padded_ends.begin(), padded_ends.end()) - lower_bound();
    while (extent % alignment != 0) ++extent;
    return lower_bound() + extent;
  }
  MPI_Count extent() const { return upper_bound() - lower_bound(); }

  /// Offset in memory of every byte of the packed stream of `count` elements.
  std::vector<MPI_Count> byte_map(MPI_Count count) const {
    std::vector<MPI_Count> map;
    const MPI_Count step = extent();
    for (MPI_Count i = 0; i < count; ++i)
      for (const Entry& entry : entries)
        for (MPI_Count byte = 0; byte < entry.basic->size_bytes; ++byte)
          map.push_back(i * step + entry.offset + byte);
    return map;
  }
};

/// Memory around an address that a type's offsets are from, filled with a pattern.
class Arena {
 public:
  explicit Arena(const std::vector<MPI_Count>& map, unsigned seed) {
    if (!map.empty()) {
      const auto [low, high] = std::minmax_element(map.begin(), map.end());
      low_ = *low;
      bytes_.resize(static_cast<std::size_t>(*high - *low + 1));
    }
    for (std::byte& byte : bytes_)
      byte = static_cast<std::byte>((seed = seed * 1664525u + 1013904223u) >> 24);
  }
  /// The address of offset 0, which may be outside.
  void* base() {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(bytes_.data()) -
                                   static_cast<std::uintptr_t>(low_));
  }
  std::byte& at(MPI_Count offset) { return bytes_[static_cast<std::size_t>(offset - low_)]; }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  MPI_Count low_ = 0;
  std::vector<std::byte> bytes_;
};

inline bool overlaps_itself(std::vector<MPI_Count> map) {
  std::sort(map.begin(), map.end());
  return std::adjacent_find(map.begin(), map.end()) != map.end();
}

}  // namespace taihu::mpi::types_for_tests
