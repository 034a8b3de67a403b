// SPDX-License-Identifier: Apache-2.0
// Hybrid tracking: for each medium and energy, whether a flight that begins there is a delta flight or goes
// to the next surface or collision.
//
// A delta flight costs the look at the point where it ends, and there are Σmax of them on a cm, Σmax being
// the bound for all media. A flight with surfaces costs the search for the surface; there are Σ + 1/l of them
// on a cm, l being the mean distance between the surfaces in that medium. The cheaper kind is taken. So small
// strong absorbers, which raise Σmax everywhere, are met by flights with surfaces, and all else may stay with
// delta flights. As a flight has no memory, the kind of the next one may depend on anything that is known
// when it begins, and results are unbiased whatever the choice is. Source of the idea: J. Leppanen, Ann.
// Nucl. Energy 37 (2010) 715, where the criterion is the ratio Σ / Σmax alone.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "taihu/neutron/material/cross_sections.h"
#include "taihu/neutron/nuclide/majorant.h"
#include "taihu/neutron/nuclide/nuclear_data.h"
#include "taihu/neutron/transport/media_survey.h"
#include "taihu/parallel/team.h"

namespace taihu::neutron {

class FlightChoice {
 public:
  FlightChoice(const CrossSections& data, const MediaSurvey& survey);
  /// The threads share the work; the choice does not depend on how many they are.
  FlightChoice(const NuclearData& data, const Majorant& majorant, const MediaSurvey& survey,
               const parallel::Team& team);

  /// `medium`: the material's index, of a void -1.
  bool delta_pays(int medium, GroupId group) const noexcept { return at(group.index(), medium) != 0; }
  /// `medium`: the medium's index, of a void -1. An energy between the limits of the data.
  bool delta_pays(int medium, Energy energy) const noexcept {
    const std::uint64_t key = std::bit_cast<std::uint64_t>(energy.eV()) >> key_shift;
    return at(static_cast<int>(key - first_key_), medium) != 0;
  }
  /// Share of the media and energies where delta flights pay.
  double delta_share() const noexcept;

 private:
  static constexpr int key_shift = 48;  ///< the exponent of an energy and four bits of its mantissa
  std::uint8_t at(int bin, int medium) const noexcept {
    return choices_[static_cast<std::size_t>(bin) * columns_ + static_cast<std::size_t>(medium + 1)];
  }

  std::size_t columns_ = 0;  ///< voids, and media
  std::uint64_t first_key_ = 0;
  std::vector<std::uint8_t> choices_;  ///< by bin of the energy and column
};

}  // namespace taihu::neutron
