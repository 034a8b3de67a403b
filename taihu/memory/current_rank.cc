// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/current_rank.h"

namespace taihu::memory::detail {

constinit __attribute__((tls_model("initial-exec"))) thread_local RankIdentity* current_rank = nullptr;

}  // namespace taihu::memory::detail
