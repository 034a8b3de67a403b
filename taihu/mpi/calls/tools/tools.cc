// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/calls/tools/tools.h"

namespace taihu::mpi::tools {

void Tools::clear() {
  controls.clear();
  sessions.clear();
}

}  // namespace taihu::mpi::tools
