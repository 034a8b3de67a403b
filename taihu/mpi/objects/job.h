// SPDX-License-Identifier: Apache-2.0
// What marun was asked for.
#pragma once

#include "taihu/launch/job.h"

namespace taihu::mpi {

/// Constant from before the first rank runs. The job of a process that is no node process has default values.
const launch::JobParameters& job_parameters() noexcept;
/// Before the first rank runs; `job` stays as long as the process.
void set_job_parameters(const launch::JobParameters& job) noexcept;

}  // namespace taihu::mpi
