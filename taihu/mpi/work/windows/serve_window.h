// SPDX-License-Identifier: Apache-2.0
// The target's side of calls from other node processes about windows.
#pragma once

#include "taihu/message/endpoint.h"

namespace taihu::mpi::windows {

/// Makes `node` answer such calls; may be done again. They carry the addresses of exposures, which stay until
/// all members have freed the window, so the handler itself has no state.
void serve_windows(message::Node& node);

}  // namespace taihu::mpi::windows
