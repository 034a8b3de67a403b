// SPDX-License-Identifier: Apache-2.0
// A buffer for data that follow a message from another node process when no receive can take them straight.
//
// Two sides meet in it, in either order and on any threads: the data land, and a receive claims them. The
// second of the two copies and destroys it.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace taihu::message {

struct Request;

class Landing {
 public:
  explicit Landing(std::size_t bytes) : data_(std::make_unique_for_overwrite<std::byte[]>(bytes)) {}

  std::byte* data() const noexcept { return data_.get(); }

  /// The receive takes the message. True: the data are here, and the caller is the second.
  bool claim(Request* receive) noexcept {
    receive_ = receive;
    return second_.exchange(true, std::memory_order_acq_rel);
  }
  /// The data have landed. True: they are claimed, and the caller is the second.
  bool land() noexcept { return second_.exchange(true, std::memory_order_acq_rel); }

  /// What has claimed the data; to be asked by the second only.
  Request* receive() const noexcept { return receive_; }

 private:
  const std::unique_ptr<std::byte[]> data_;
  Request* receive_ = nullptr;
  std::atomic<bool> second_{false};
};

}  // namespace taihu::message
