// SPDX-License-Identifier: Apache-2.0
// The calls of message::Service::job (job_service.h): what they are for, and their arguments as words.
#pragma once

#include <cstdint>

#include "taihu/mpi/objects/dynamic/words.h"

namespace taihu::mpi {

enum class JobQuestion : std::int64_t {
  spawn,
  settled,
  started,
  process_ended,
  job_name,
  publish,
  unpublish,
  look_up,
  named,  ///< of the processes that are not the last one
};

inline WordWriter job_question(JobQuestion what) {
  WordWriter words;
  words.number(static_cast<std::int64_t>(what));
  return words;
}

}  // namespace taihu::mpi
