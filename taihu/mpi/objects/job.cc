// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/job.h"

namespace taihu::mpi {
namespace {

const launch::JobParameters no_job;
const launch::JobParameters* this_job = &no_job;

}  // namespace

const launch::JobParameters& job_parameters() noexcept {
  return *this_job;
}

void set_job_parameters(const launch::JobParameters& job) noexcept {
  this_job = &job;
}

}  // namespace taihu::mpi
