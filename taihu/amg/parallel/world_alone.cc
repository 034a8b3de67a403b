// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/parallel/world.h"

namespace taihu::amg {

std::unique_ptr<Communicator> open_world(int*, char***) {
  return std::make_unique<SoloCommunicator>();
}

}  // namespace taihu::amg
