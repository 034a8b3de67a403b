// SPDX-License-Identifier: Apache-2.0
// Which objects get a place in the scratchpad: the 0-1 problem of He et al. (Journal of Software 28(4), 2017,
// section 5.2.1). Each object may lie there as a whole or through a buffer of one of several sizes, or not at
// all; the sum of the benefits shall be largest under the capacity. Throws nothing and needs no library: the
// compiler's plugin uses it.
#pragma once

#include <cstdint>
#include <vector>

namespace taihu::scratchpad_model {

/// One way to place an object.
struct Choice {
  std::uint64_t bytes = 0;
  double benefit = 0;  ///< above 0; others are never taken
};

struct Placement {
  std::vector<int> chosen;  ///< for each object the number of its choice; -1: none
  std::uint64_t bytes = 0;
  double benefit = 0;
  const char* method = "";  ///< "exhaustive", "first-fit" or "heuristic"
};

/// `objects[k]` are the choices of object k. The best placement when there are at most a million of them,
/// else the better one of first_fit and heuristic.
Placement place(const std::vector<std::vector<Choice>>& objects, std::uint64_t capacity_bytes);

/// Objects by their greatest benefit, each with the best choice that still fits.
Placement first_fit(const std::vector<std::vector<Choice>>& objects, std::uint64_t capacity_bytes);

/// Repeatedly the change of one object's choice that gains most for each byte, from nothing until none gains.
Placement heuristic(const std::vector<std::vector<Choice>>& objects, std::uint64_t capacity_bytes);

}  // namespace taihu::scratchpad_model
