// SPDX-License-Identifier: Apache-2.0
// A collective operation as a user asks for it, and what came out. Members are numbered 0, 1, ... in the
// order of the communicator's list of nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "taihu/noc/network/arithmetic.h"
#include "taihu/noc/network/packet.h"

namespace taihu::noc {

enum class Collective : std::uint8_t { reduce, broadcast, allreduce, gather, barrier };
std::optional<Collective> collective_named(std::string_view name) noexcept;
const char* to_text(Collective collective) noexcept;

/// hardware: in the routers (by software when the routers cannot: table full, plain routers on the way).
/// automatic: the one that the closed-form model says is faster.
enum class Means : std::uint8_t { hardware, software, automatic };

using Bytes = std::vector<std::byte>;

struct Operation {
  Collective collective = Collective::barrier;
  int communicator = 0;
  int root = 0;  ///< member
  Arithmetic arithmetic = Arithmetic::add_double;
  Means means = Means::hardware;
  std::size_t bytes = 0;    ///< per member; reductions: a multiple of 8
  std::vector<Bytes> data;  ///< per member; broadcast: of the root only, others empty
  Cycle start = 0;
  std::vector<Cycle> late;    ///< per member, cycles after `start`; empty: none
  bool called_later = false;  ///< members call by Machine::call instead, each once, when they come
};

struct Outcome {
  bool done = false;
  bool by_hardware = false;
  Cycle begin = 0;             ///< when the first member called
  Cycle end = 0;               ///< when the last member had its result
  std::vector<Bytes> results;  ///< per member; empty where there is none
  Cycle cycles() const noexcept { return end - begin; }
};

/// The result that every member has to get, computed sequentially in member order.
std::vector<Bytes> reference_results(const Operation& operation, int members);

}  // namespace taihu::noc
