// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a message lie in memory: one behind the other, or as a layout says that the language
// above provides (MPI's datatypes). A message is a row of bytes; a layout says where in memory each has its
// place, seen from a base address.
#pragma once

#include <cstddef>

namespace taihu::message {

/// Must live and stay unchanged until the requests that use it are complete. Any thread may call, several at
/// once for different parts of a message.
class Layout {
 public:
  virtual ~Layout() = default;

  /// Copies the bytes [first, first + bytes) of the message that is laid out at `base` to `target`, one
  /// behind the other.
  virtual void pack(std::byte* target, const void* base, std::size_t first, std::size_t bytes) const = 0;
  /// The reverse: from `source` into their places at `base`.
  virtual void unpack(void* base, const std::byte* source, std::size_t first, std::size_t bytes) const = 0;
  /// Copies the first `bytes` bytes of the message that `from` lays out at `source` into the places that this
  /// layout has for them at `target`.
  virtual void copy(void* target, const Layout& from, const void* source, std::size_t bytes) const = 0;
};

/// What is sent.
struct Data {
  const void* address;
  std::size_t bytes;               ///< of the message
  const Layout* layout = nullptr;  ///< null: one behind the other
};

/// Where a message shall go.
struct Space {
  void* address;
  std::size_t bytes;  ///< room for a message of so many
  const Layout* layout = nullptr;
};

/// Copies the first `bytes` bytes of a message from where it is to where it shall go.
void copy_message(const Space& target, const Data& source, std::size_t bytes);

}  // namespace taihu::message
