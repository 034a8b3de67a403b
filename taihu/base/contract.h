// SPDX-License-Identifier: Apache-2.0
// Contracts between parts of the project: what a caller must give (expect) and what a function must leave
// behind (ensure). They are checked in builds with TAIHU_CONTRACTS, which are the debug and sanitizer builds;
// elsewhere the compiler drops them, so the conditions must have no side effects. Input of users is no
// contract: see check_input.
//
// A data structure has `void check_invariants() const`, whose body is its equations. It is called where a
// contract build can afford it: `if constexpr (contracts_checked) check_invariants();`.
#pragma once

#include <source_location>

namespace taihu {

#ifdef TAIHU_CONTRACTS
inline constexpr bool contracts_checked = true;
#else
inline constexpr bool contracts_checked = false;
#endif

/// Ends the program with the place and the text, unless a ContractTrap catches it.
[[noreturn]] void contract_broken(const char* what,
                                  std::source_location where = std::source_location::current());

/// What a function needs from its caller. `what` says what holds, in words or as an equation.
inline void expect(bool holds, const char* what,
                   std::source_location where = std::source_location::current()) {
  if constexpr (contracts_checked)
    if (!holds) [[unlikely]]
      contract_broken(what, where);
}

/// What a function or a data structure promises: the same, for its own side.
inline void ensure(bool holds, const char* what,
                   std::source_location where = std::source_location::current()) {
  expect(holds, what, where);
}

/// What a broken contract throws while a ContractTrap lives.
struct ContractBroken {
  const char* what;
  std::source_location where;
};

/// For tests that break a contract on purpose: while it lives, contracts that this thread breaks throw
/// ContractBroken instead of ending the program. Not for noexcept functions.
class ContractTrap {
 public:
  ContractTrap();
  ~ContractTrap();
  ContractTrap(const ContractTrap&) = delete;
  ContractTrap& operator=(const ContractTrap&) = delete;

 private:
  bool outer_;
};

}  // namespace taihu
