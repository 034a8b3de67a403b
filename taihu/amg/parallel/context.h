// SPDX-License-Identifier: Apache-2.0
// What the parts of the solver on one rank share: its threads, its memory, its fellow ranks.
#pragma once

#include "taihu/amg/parallel/profile.h"
#include "taihu/amg/parallel/storage.h"
#include "taihu/parallel/communicator.h"
#include "taihu/parallel/team.h"

namespace taihu::amg {

struct Context {
  parallel::Team& team;
  Storage& storage;
  parallel::Communicator& communicator;
  Profile* profile = nullptr;  ///< where steps count their time; null: nowhere
};

}  // namespace taihu::amg
