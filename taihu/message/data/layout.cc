// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/data/layout.h"

#include "taihu/message/data/copy.h"

namespace taihu::message {

void copy_message(const Space& target, const Data& source, std::size_t bytes) {
  if (target.layout == nullptr && source.layout == nullptr) {
    copy_bytes(target.address, source.address, bytes);
  } else if (bytes == 0) {
    return;
  } else if (source.layout == nullptr) {
    target.layout->unpack(target.address, static_cast<const std::byte*>(source.address), 0, bytes);
  } else if (target.layout == nullptr) {
    source.layout->pack(static_cast<std::byte*>(target.address), source.address, 0, bytes);
  } else {
    target.layout->copy(target.address, *source.layout, source.address, bytes);
  }
}

}  // namespace taihu::message
