// SPDX-License-Identifier: Apache-2.0
// A small counter-based generator: the n-th number of a stream is a function of (seed, n), so tests and
// workloads are reproducible whatever thread draws. Source: S. Vigna, SplitMix64 (public domain reference,
// 2015).
#pragma once

#include <cstdint>

namespace taihu {

/// Stream of 64-bit numbers; copyable, all of its state is `state`.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() noexcept {
    std::uint64_t mixed = (state_ += 0x9e3779b97f4a7c15ULL);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    return mixed ^ (mixed >> 31);
  }

  /// Uniform in [0, bound); bound > 0. Bias below 2^-32 for the bounds that tests use.
  std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

  /// Uniform in [0, 1) with 53 bits.
  double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace taihu
