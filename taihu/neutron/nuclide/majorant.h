// SPDX-License-Identifier: Apache-2.0
// An upper bound, by energy, of the total cross sections of all media. Delta tracking samples flights with
// it.
//
// The bound is constant in bins of the energy. A bin belongs to a key, that is the exponent of the energy and
// the first eight bits of its mantissa; each key is cut into as many bins (a power of two) as its cross
// sections need, so that resonances have fine bins and a look-up costs two loads. The bound of a bin is the
// sum over a medium's nuclides of each one's maximum in the bin, unresolved bands and thermal tables
// included; then the largest of all media.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "taihu/neutron/nuclide/nuclear_data.h"
#include "taihu/parallel/team.h"

namespace taihu::neutron {

class Majorant {
 public:
  /// Covers all media that `data` has now. `data` is not needed afterwards. The threads share the work; the
  /// bound does not depend on how many they are.
  Majorant(const NuclearData& data, const parallel::Team& team);

  /// 1/cm, for an energy between data's limits.
  double at(Energy e) const noexcept {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(e.eV());
    const Key& key = keys_[(bits >> key_shift) - first_key_];
    return bounds_[key.first + ((bits >> key.shift) & key.mask)];
  }

  std::size_t bins() const noexcept { return bounds_.size(); }
  std::size_t bytes() const noexcept { return bounds_.size() * sizeof(float) + keys_.size() * sizeof(Key); }

 private:
  static constexpr int key_shift = 44, most_cuts = 8;  ///< up to 2^8 bins in a key
  struct Key {
    std::uint32_t first = 0;
    std::uint16_t shift = key_shift, mask = 0;
  };
  void add_key(const std::vector<double>& bounds);

  std::uint64_t first_key_ = 0;
  HotVector<Key> keys_;
  HotVector<float> bounds_;
};

}  // namespace taihu::neutron
