// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/files/range_locks.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

namespace taihu::mpi::files {
namespace {

/// Returns an errno value.
int kernel_lock(int descriptor, short kind, std::int64_t first, std::int64_t end) noexcept {
  struct flock range{};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = first;
  range.l_len = end - first;
  while (fcntl(descriptor, F_OFD_SETLKW, &range) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace

RangeLocks::Hold::Hold(RangeLocks& locks, int descriptor, std::int64_t first, std::int64_t end,
                       bool among_processes)
    : locks_(locks), descriptor_(descriptor), among_processes_(among_processes) {
  std::unique_lock hold(locks.mutex_);
  locks.changed_.wait(hold, [&] {
    return std::none_of(locks.held_.begin(), locks.held_.end(),
                        [&](const Range& other) { return other.first < end && first < other.end; });
  });
  range_ = locks.held_.insert(locks.held_.end(), {first, end});
  hold.unlock();
  if (!among_processes) return;
  if (const int error = kernel_lock(descriptor, F_WRLCK, first, end); error != 0) {
    leave();
    throw error;
  }
}

RangeLocks::Hold::~Hold() {
  if (among_processes_) kernel_lock(descriptor_, F_UNLCK, range_->first, range_->end);
  leave();
}

void RangeLocks::Hold::leave() noexcept {
  {
    const std::lock_guard hold(locks_.mutex_);
    locks_.held_.erase(range_);
  }
  locks_.changed_.notify_all();
}

}  // namespace taihu::mpi::files
