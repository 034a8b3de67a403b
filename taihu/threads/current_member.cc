// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/current_member.h"

namespace taihu::threads::detail {

constinit __attribute__((tls_model("initial-exec"))) thread_local Member* current_member = nullptr;

}  // namespace taihu::threads::detail
