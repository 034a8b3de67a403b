// SPDX-License-Identifier: Apache-2.0
// Random numbers of one history. The stream is a function of (seed, generation, history) alone, so a history
// does not depend on the rank and thread that run it. Sources: D. Blackman, S. Vigna, Scrambled linear
// pseudorandom number generators, ACM TOMS 47 (2021), xoshiro256++; the state is filled by SplitMix64 as they
// advise.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "taihu/base/random.h"
#include "taihu/neutron/particle/vector.h"

namespace taihu::neutron {

/// The purpose of a stream; makes streams of the same generation and number differ.
enum class StreamUse : std::uint64_t { history = 1, source = 2, resampling = 3, survey = 4, delay = 5 };

class Stream {
 public:
  Stream(std::uint64_t seed, StreamUse use, std::uint64_t generation, std::uint64_t number) noexcept {
    Random mixer(seed);
    std::uint64_t key = mixer.next() ^ (static_cast<std::uint64_t>(use) * 0xd1342543de82ef95ULL);
    key = Random(key ^ (generation * 0xa0761d6478bd642fULL)).next();
    Random state(key + number * 0x9e6c63d0676a9a99ULL);
    for (std::uint64_t& word : state_) word = state.next();
  }

  std::uint64_t next() noexcept {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0], shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, 1).
  double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// Exponentially distributed with mean 1; finite.
  double exponential() noexcept { return -std::log((static_cast<double>(next() >> 11) + 0.5) * 0x1.0p-53); }

  /// Isotropic direction. Source: G. Marsaglia, Ann. Math. Stat. 43 (1972).
  Vector direction() noexcept {
    for (;;) {
      const double a = 2 * uniform() - 1, b = 2 * uniform() - 1, square = a * a + b * b;
      if (square >= 1) continue;
      const double across = 2 * std::sqrt(1 - square);
      return {a * across, b * across, 1 - 2 * square};
    }
  }

  /// Cosine and sine of a uniformly distributed angle.
  void azimuth(double& cosine, double& sine) noexcept {
    for (;;) {
      const double a = 2 * uniform() - 1, b = uniform(), square = a * a + b * b;
      if (square >= 1 || square == 0) continue;
      cosine = (a * a - b * b) / square;
      sine = 2 * a * b / square;
      return;
    }
  }

 private:
  std::uint64_t state_[4];
};

/// `u` turned by the polar angle with cosine `mu` and a uniformly distributed azimuth.
inline Vector scattered(const Vector& u, double mu, Stream& random) noexcept {
  double c, s;
  random.azimuth(c, s);
  const double across = std::sqrt(std::max(0.0, 1 - mu * mu));
  c *= across, s *= across;
  const double w = std::sqrt(u.x * u.x + u.y * u.y);  // not from z: rounding would leave w without x and y
  Vector result;
  if (w > 1e-10) {
    result = {mu * u.x + (c * u.x * u.z - s * u.y) / w, mu * u.y + (c * u.y * u.z + s * u.x) / w,
              mu * u.z - c * w};
  } else {
    result = {c, s, u.z > 0 ? mu : -mu};
  }
  return unit(result);
}

}  // namespace taihu::neutron
