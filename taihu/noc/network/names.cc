// SPDX-License-Identifier: Apache-2.0
// Names of kinds and operations, as people write and read them.
#include "taihu/noc/network/arithmetic.h"
#include "taihu/noc/network/packet.h"

namespace taihu::noc {

namespace {
constexpr const char* arithmetic_names[arithmetics] = {"sum",     "prod",    "min", "max", "sum-int",
                                                       "min-int", "max-int", "and", "or",  "xor"};
constexpr const char* kind_names[kinds] = {"plain",  "message",  "learn",    "reduce",
                                           "gather", "gathered", "broadcast"};
}  // namespace

std::optional<Arithmetic> arithmetic_named(std::string_view name) noexcept {
  for (int number = 0; number < arithmetics; ++number)
    if (name == arithmetic_names[number]) return static_cast<Arithmetic>(number);
  return std::nullopt;
}

const char* to_text(Arithmetic operation) noexcept {
  return arithmetic_names[static_cast<int>(operation)];
}

const char* to_text(Kind kind) noexcept {
  return kind_names[static_cast<int>(kind)];
}

}  // namespace taihu::noc
