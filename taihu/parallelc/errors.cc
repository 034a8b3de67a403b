// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/errors.h"

#include <cstdarg>
#include <cstdio>

#include "taihu/parallelc/process.h"

namespace taihu::parallelc {

int fail(int code, const char* reason, const char* call_format, ...) {
  Process* process = current_process();
  if (process != nullptr && process->errors == M_ERRORS_RETURN) return code;
  char call[512];
  va_list arguments;
  va_start(arguments, call_format);
  std::vsnprintf(call, sizeof call, call_format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "parallelc: rank %d: %s: %s\n", process != nullptr ? process->rank : -1, call, reason);
  m_abort(1);
  return code;
}

}  // namespace taihu::parallelc

extern "C" {

const char* m_error_text(int code) {
  switch (code) {
    case M_SUCCESS:
      return "success";
    case M_ERROR_ARGUMENT:
      return "an argument is out of its range";
    case M_ERROR_TRUNCATE:
      return "the message is longer than the receive buffer";
    case M_ERROR_ADDRESS:
      return "the remote address is not symmetric";
    case M_ERROR_CONTEXT:
      return "called where it is not allowed";
    case M_ERROR_MEMORY:
      return "out of memory";
    case M_ERROR_LINK:
      return "the connection between node processes failed";
    case M_ERROR_UNSUPPORTED:
      return "not supported";
    default:
      return "unknown error code";
  }
}

m_errors_t m_set_errors(m_errors_t handling) {
  taihu::parallelc::Process& process = taihu::parallelc::this_process("m_set_errors");
  const m_errors_t former = process.errors;
  process.errors = handling;
  return former;
}

}  // extern "C"
