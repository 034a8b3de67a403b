// SPDX-License-Identifier: Apache-2.0
// What all calls of two-sided messages check before, and report afterwards.
#pragma once

#include <string>

#include "taihu/abi/parallelc.h"
#include "taihu/message/endpoint.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/process.h"

namespace taihu::parallelc {

/// Why the arguments are wrong, or null.
inline const char* problem_of_send(const Process& process, int destination, const void* buffer, long size,
                                   int tag) {
  if (destination < 0 || destination >= process.ranks()) return "no such rank";
  if (size < 0) return "negative size";
  if (buffer == nullptr && size > 0) return "null buffer";
  if (tag < 0) return "negative tag";
  return nullptr;
}

inline const char* problem_of_receive(const Process& process, int source, const void* buffer, long size,
                                      int tag) {
  if (source != M_ANY_RANK && (source < 0 || source >= process.ranks())) return "no such rank";
  if (size < 0) return "negative size";
  if (buffer == nullptr && size > 0) return "null buffer";
  if (tag != M_ANY_TAG && tag < 0) return "negative tag";
  return nullptr;
}

/// "for rank 3, tag 5".
inline std::string wait_for(int rank, int tag) {
  return (rank == M_ANY_RANK ? "for any rank" : "for rank " + std::to_string(rank)) +
         (tag == M_ANY_TAG ? ", any tag" : ", tag " + std::to_string(tag));
}

inline void fill(m_status_t* status, const message::Status& from) {
  if (status == nullptr) return;
  *status = {from.source, from.tag, static_cast<long>(from.bytes), static_cast<int>(from.error)};
}

inline int report_status(const char* call, const message::Status& status) {
  if (status.error == message::Error::none) return M_SUCCESS;
  const int code = static_cast<int>(status.error);
  return fail(code, m_error_text(code), "%s (message of %zu bytes from rank %d with tag %d)", call,
              status.bytes, status.source, status.tag);
}

}  // namespace taihu::parallelc
