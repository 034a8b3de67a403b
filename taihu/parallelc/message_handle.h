// SPDX-License-Identifier: Apache-2.0
// What a handle_t of the language is: a request of the rank's endpoint, or one together with the layout that
// it goes by and that must live as long. The lowest bit, which no address of either has, tells which.
#pragma once

#include <cstdint>

#include "taihu/abi/parallelc.h"
#include "taihu/message/data/strided_blocks.h"
#include "taihu/message/endpoint.h"

namespace taihu::parallelc {

/// A two-sided message in blocks that is under way.
struct StridedMessage {
  message::StridedBlocks layout;
  message::Request* request = nullptr;
};

inline handle_t to_handle(message::Request* request) noexcept {
  return reinterpret_cast<handle_t>(request);
}

/// The handle owns the message from now on.
inline handle_t to_handle(StridedMessage* message) noexcept {
  return reinterpret_cast<handle_t>(reinterpret_cast<std::uintptr_t>(message) | 1);
}

/// Null when the handle is a bare request.
inline StridedMessage* strided_message_of(handle_t handle) noexcept {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  return (number & 1) != 0 ? reinterpret_cast<StridedMessage*>(number - 1) : nullptr;
}

inline message::Request* request_of(handle_t handle) noexcept {
  const StridedMessage* strided = strided_message_of(handle);
  return strided != nullptr ? strided->request : reinterpret_cast<message::Request*>(handle);
}

/// Gives back what the handle keeps in addition to its request, which is complete and released.
inline void release(handle_t handle) noexcept {
  delete strided_message_of(handle);
}

}  // namespace taihu::parallelc
