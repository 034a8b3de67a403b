// SPDX-License-Identifier: Apache-2.0
// Requests: operations under way that the program completes by MPI_Wait, MPI_Test and their families.
#pragma once

#include "taihu/mpi/object.h"
#include "taihu/mpi/objects/rank.h"
#include "taihu/mpi/objects/status.h"

namespace taihu::mpi {

/// Any thread of the rank may call; two threads must not complete one request (the standard forbids it).
/// Operations that must go on without the program's help do so in the background of the rank's endpoint
/// (message::Background); `is_complete` makes progress of all kinds.
struct Request : Object {
  static constexpr Kind object_kind = Kind::request;
  Request() noexcept : Object(object_kind) {}

  /// True when the operation is complete, or inactive. Makes progress, does not wait. May be called again.
  virtual bool is_complete(Rank& rank) = 0;
  /// Waits until it is.
  virtual void wait(Rank& rank) {
    rank.endpoint().wait_until([&] { return is_complete(rank); });
  }
  /// What came out, without changing the request; only when complete (MPI_Request_get_status).
  virtual Outcome outcome(Rank& rank) = 0;
  /// What came out; a persistent request becomes inactive, others are released by the caller afterwards. Only
  /// when complete, once for each start. Throws CallError when the operation itself has failed.
  virtual Outcome finish(Rank& rank) = 0;
  /// For calls that complete this request and want no more than its status, which may be MPI_STATUS_IGNORE:
  /// waits; then true when `status` is set and the program's reference given up. False: `finish` is still to
  /// be called, because the request is persistent, has failed, or is of a kind that does not know better.
  virtual bool wait_and_release(Rank& rank, MPI_Status* /*status*/) {
    wait(rank);
    return false;
  }
  /// Starts a persistent request.
  virtual void start(Rank&) { throw CallError(MPI_ERR_REQUEST, "the request is not persistent"); }
  virtual void cancel(Rank&) {
    throw CallError(MPI_ERR_REQUEST, "requests of this kind cannot be cancelled");
  }
  /// The program has dropped its handle (MPI_Request_free): the operation goes on, and the request goes away
  /// when it is complete. Takes over the program's reference.
  virtual void abandon(Rank& rank) = 0;

  /// Whose error handler is in charge; null: that of MPI_COMM_WORLD.
  virtual Communicator* communicator() noexcept { return nullptr; }

  /// Gives up the program's reference. A predefined request has none: its handle stands for any number of
  /// operations that are complete.
  void release() noexcept {
    if (!predefined) Object::release();
  }

  bool persistent = false;
  bool active = true;  ///< only persistent ones are ever inactive
};

/// Stands for operations that were complete when they were started (outcome "empty" unless given).
struct CompleteRequest final : Request {
  explicit CompleteRequest(Outcome result = {}) noexcept : result_(result) {}
  bool is_complete(Rank&) override { return true; }
  Outcome outcome(Rank&) override { return result_; }
  Outcome finish(Rank&) override { return result_; }
  bool wait_and_release(Rank&, MPI_Status* status) override {
    store(status, result_);
    release();
    return true;
  }
  void cancel(Rank&) override {}
  void abandon(Rank&) override { release(); }

 private:
  Outcome result_;
};

/// The request of all operations of a rank that were complete when they were started and have no outcome.
class OneCompleteRequest final : public RankPart {
 public:
  explicit OneCompleteRequest(Rank&) { request.predefined = true; }
  CompleteRequest request;
};
inline Request& complete_request(Rank& rank) {
  return rank.part<OneCompleteRequest>(Part::complete_request).request;
}

}  // namespace taihu::mpi
