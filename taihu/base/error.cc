// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/error.h"

#include <system_error>

namespace taihu {

Error system_error(const std::string& what, int error_number) {
  return Error(what + " (" + std::generic_category().message(error_number) + ")");
}

}  // namespace taihu
