// SPDX-License-Identifier: Apache-2.0
// How a call of the language fails: it names rank, call, arguments and reason, and ends the job, unless the
// process asked for codes (m_set_errors).
#pragma once

#include "taihu/abi/parallelc.h"

namespace taihu::parallelc {

/// Reports that `call`, written with its arguments like "m_send(dest_rank=9, size=4, tag=0)", failed for
/// `reason`. Returns `code` when the process handles errors itself; otherwise does not return.
int fail(int code, const char* reason, const char* call_format, ...) __attribute__((format(printf, 3, 4)));

}  // namespace taihu::parallelc
