// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "taihu/base/contract.h"

namespace taihu {

/// The contract that `act` breaks, in its own words; "" when it breaks none. For what is not noexcept.
template <class Act>
std::string broken_by(Act&& act) {
  const ContractTrap trap;
  try {
    std::forward<Act>(act)();
  } catch (const ContractBroken& contract) {
    return contract.what;
  }
  return "";
}

/// The equation that `books.check_invariants()` finds broken; "" when all hold.
template <class Books>
std::string broken_in(Books& books) {
  return broken_by([&] { books.check_invariants(); });
}

}  // namespace taihu
