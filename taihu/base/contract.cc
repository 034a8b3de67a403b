// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/contract.h"

#include <cstdio>
#include <cstdlib>

namespace taihu {

namespace {
thread_local bool trapped = false;
}  // namespace

void contract_broken(const char* what, std::source_location where) {
  if (trapped) throw ContractBroken{what, where};
  std::fprintf(stderr, "taihu: %s:%u: contract broken: %s (in %s)\n", where.file_name(), where.line(), what,
               where.function_name());
  std::abort();
}

ContractTrap::ContractTrap() : outer_(trapped) {
  trapped = true;
}
ContractTrap::~ContractTrap() {
  trapped = outer_;
}

}  // namespace taihu
