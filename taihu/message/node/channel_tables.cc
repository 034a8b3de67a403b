// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/node/channel_tables.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "taihu/base/error.h"

namespace taihu::message {

ChannelTables::ChannelTables(int ranks) : ranks_(static_cast<std::size_t>(ranks)), memory_(nullptr) {
  void* const memory =
      mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw taihu::Error("there is no address space for the channels of " + std::to_string(ranks) + " ranks (" +
                       std::strerror(errno) + "); start fewer ranks in a node process");
  madvise(memory, bytes(), MADV_NOHUGEPAGE);  // one entry would make 2 MB present
  memory_ = static_cast<std::byte*>(memory);
}

ChannelTables::~ChannelTables() {
  munmap(memory_, bytes());
}

}  // namespace taihu::message
