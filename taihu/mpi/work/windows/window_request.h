// SPDX-License-Identifier: Apache-2.0
// Requests of MPI_Rput and its family whose access is under way in another node process.
#pragma once

#include <memory>
#include <utility>

#include "taihu/mpi/objects/request.h"
#include "taihu/mpi/work/windows/remote_window.h"

namespace taihu::mpi::windows {

struct WindowRequest final : Request {
  explicit WindowRequest(std::shared_ptr<RequestParts> parts) noexcept : parts_(std::move(parts)) {}

  bool is_complete(Rank& rank) override {
    if (done()) return true;
    rank.endpoint().progress();
    return done();
  }
  void wait(Rank& rank) override {
    rank.endpoint().wait_until([&] { return done(); });
  }
  Outcome outcome(Rank&) override {
    Outcome result;
    result.error = parts_->error.load(std::memory_order_relaxed);
    return result;
  }
  Outcome finish(Rank&) override {
    require(parts_->error.load(std::memory_order_relaxed) == MPI_SUCCESS, MPI_ERR_RMA_RANGE,
            "the access went to memory that its target has not attached to the window");
    return {};
  }
  void abandon(Rank&) override { release(); }

 private:
  bool done() const noexcept { return parts_->unanswered.load(std::memory_order_acquire) == 0; }

  std::shared_ptr<RequestParts> parts_;
};

}  // namespace taihu::mpi::windows
