// SPDX-License-Identifier: Apache-2.0
// Sessions (MPI-5.0 section 11.3), and the buffers that programs attach to what they send buffered messages
// on.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "taihu/mpi/guarded.h"
#include "taihu/mpi/object.h"
#include "taihu/mpi/objects/error_handler.h"

namespace taihu::mpi {

/// An attached buffer; the folder of messages knows what is in it (work/messages/buffered_sends.h).
struct SendBuffer {
  virtual ~SendBuffer() = default;
};

/// A handle of the program to MPI, which it may have before and without MPI_Init. Groups and communicators
/// that come from it hold a reference.
struct Session final : Object {
  static constexpr Kind object_kind = Kind::session;
  Session() noexcept : Object(object_kind) {}

  Reference<ErrorHandler> errors;
  Guarded<std::map<std::string, std::string>> hints;
  std::shared_ptr<SendBuffer> send_buffer;  ///< guarded by the rank's buffered sends; null: none attached
};

}  // namespace taihu::mpi
