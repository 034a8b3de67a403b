// SPDX-License-Identifier: Apache-2.0
// The scores of tallies. The first ones are those of Reaction, in its order. Scores from `first_reaction` on
// are single reactions of nuclides by their ENDF number (MT), with the names that OpenMC's files have for
// them.
#pragma once

#include <optional>
#include <string>

namespace taihu::neutron {

enum class Score {
  flux,
  total,
  scatter,
  nu_scatter,
  absorption,
  fission,
  nu_fission,
  kappa_fission,
  current,
  events,
  inverse_velocity,
  prompt_nu_fission,
  delayed_nu_fission,
  decay_rate,
  fission_q_prompt,
  fission_q_recoverable,
  first_reaction = 1000
};

constexpr Score reaction_score(int mt) noexcept {
  return static_cast<Score>(static_cast<int>(Score::first_reaction) + mt);
}

/// 0: not a single reaction.
constexpr int mt_of(Score score) noexcept {
  return score > Score::first_reaction ? static_cast<int>(score) - static_cast<int>(Score::first_reaction)
                                       : 0;
}

constexpr int mt_elastic = 2, mt_nonelastic = 3, mt_fission = 18, mt_absorption = 27, mt_disappearance = 101,
              mt_capture = 102;
/// Reactions that follow from what transport needs of a nuclide, whichever a library lists.
constexpr bool is_of_transport(int mt) noexcept {
  return mt == mt_elastic || mt == mt_nonelastic || mt == mt_fission || mt == mt_absorption ||
         mt == mt_disappearance;
}
/// Energy that neutrons leave in the material: all, or that of charged particles and gammas, too.
constexpr int mt_heating = 301, mt_heating_local = 901;

/// As in files: "flux", "(n,gamma)", "MT=999".
std::string name_of(Score score);

/// A name, another usual name ("elastic", "n2n", "H1-production") or an MT number. Empty: not known.
std::optional<Score> score_named(const std::string& name);

}  // namespace taihu::neutron
