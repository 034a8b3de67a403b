// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/error.h"

#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace taihu {

Error system_error(const std::string& what, int error_number) {
  return Error(what + " (" + std::generic_category().message(error_number) + ")");
}

void contract_broken(const char* expression, const char* file, int line) noexcept {
  std::fprintf(stderr, "taihu: %s:%d: contract broken: %s\n", file, line, expression);
  std::abort();
}

}  // namespace taihu
