// SPDX-License-Identifier: Apache-2.0
// Generalized requests: operations of the program itself, completed like those of MPI (MPI-3.1 section 12.2).
#include <atomic>

#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/request.h"

namespace taihu::mpi::messages {
namespace {

class GeneralizedRequest final : public Request {
 public:
  GeneralizedRequest(Rank& rank, MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                     MPI_Grequest_cancel_function* cancel, void* state)
      : rank_(rank), query_(query), free_(free), cancel_(cancel), state_(state) {}

  void complete() {
    // The program's handle may go away as soon as the flag is set.
    const Reference<Request> keep = Reference<Request>::to(this);
    threads::Doorbell& bell = rank_.endpoint().doorbell();
    complete_.store(true, std::memory_order_release);
    bell.ring();
  }

  bool is_complete(Rank& rank) override {
    if (complete_.load(std::memory_order_acquire)) return true;
    rank.endpoint().progress();
    return complete_.load(std::memory_order_acquire);
  }

  Outcome outcome(Rank&) override {
    MPI_Status status{};
    status.MPI_ERROR = MPI_SUCCESS;
    const int error = query_ != nullptr ? query_(state_, &status) : MPI_SUCCESS;
    return {status.MPI_SOURCE, status.MPI_TAG, error, is_cancelled(status), bytes_of(status)};
  }

  Outcome finish(Rank& rank) override {
    Outcome result = outcome(rank);
    // What the last function returns counts (MPI-3.1 section 12.2), but success does not undo a failure.
    if (const int error = free_state(); error != MPI_SUCCESS) result.error = error;
    return result;
  }

  void cancel(Rank&) override {
    if (cancel_ == nullptr) return;
    const int code = cancel_(state_, complete_.load(std::memory_order_acquire) ? 1 : 0);
    require(code == MPI_SUCCESS, code, "the program's cancel function failed");
  }

  void abandon(Rank&) override {
    // The function is called when the program completes the operation; the last reference goes then.
    abandoned_ = true;
    const int error = complete_.load(std::memory_order_acquire) ? free_state() : MPI_SUCCESS;
    release();
    check_freed(error);
  }

  /// The program has completed the operation: what it has dropped before goes now.
  void free_if_abandoned() {
    if (abandoned_) check_freed(free_state());
  }

 private:
  /// Calls the program's function, once whoever comes first. Returns its code.
  int free_state() { return free_ == nullptr || freed_.exchange(true) ? MPI_SUCCESS : free_(state_); }
  static void check_freed(int error) {
    require(error == MPI_SUCCESS, error, "the program's free function failed");
  }

  Rank& rank_;
  MPI_Grequest_query_function* const query_;
  MPI_Grequest_free_function* const free_;
  MPI_Grequest_cancel_function* const cancel_;
  void* const state_;
  std::atomic<bool> complete_{false};
  std::atomic<bool> abandoned_{false};
  std::atomic<bool> freed_{false};
};

}  // namespace

MPI_CALL(int, Grequest_start,
         (MPI_Grequest_query_function * query_fn, MPI_Grequest_free_function* free_fn,
          MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request)) {
  return on_rank("MPI_Grequest_start", [&](Rank& rank) {
    auto* const made = new GeneralizedRequest(rank, query_fn, free_fn, cancel_fn, extra_state);
    made->retain();  // until MPI_Grequest_complete
    *request = handle_of<MPI_Request>(made);
  });
}

MPI_CALL(int, Grequest_complete, (MPI_Request request)) {
  return on_rank("MPI_Grequest_complete", [&](Rank& rank) {
    auto* const operation = dynamic_cast<GeneralizedRequest*>(
        &checked<Request>(rank, request, MPI_ERR_REQUEST, "the request is MPI_REQUEST_NULL or not valid"));
    require(operation != nullptr, MPI_ERR_REQUEST, "the request is not a generalized one");
    const Reference<GeneralizedRequest> started(operation);
    operation->complete();
    operation->free_if_abandoned();
  });
}

}  // namespace taihu::mpi::messages
