// SPDX-License-Identifier: Apache-2.0
// A picture of one thread's scratchpad over the time of a kernel: what lies where, and what is in flight.
#pragma once

#include <string>
#include <vector>

#include "taihu/scratchpad_model/core.h"

namespace taihu::scratchpad_model {

/// SVG. Time goes to the right, addresses of the scratchpad go up; bytes that a transfer brings are in flight
/// until it is complete, and lie there until others take their place; what is put back and was not fetched is
/// made there since the last transfer of that place. Of a long kernel a second panel shows the begin. The
/// same bytes for the same transfers. Beyond the largest number of transfers that a thread keeps the picture
/// ends and says so.
std::string picture_of(const std::string& kernel, const std::vector<Transfer>& transfers, Ticks end,
                       std::uint64_t capacity_bytes, double clock_ghz);

}  // namespace taihu::scratchpad_model
