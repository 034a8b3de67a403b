// SPDX-License-Identifier: Apache-2.0
// Completing requests of all kinds: MPI_Wait, MPI_Test and their families, freeing and cancelling (MPI-3.1
// sections 3.7.3 to 3.7.6 and 3.8.4). A test that finds nothing drives everything else that the rank has
// under way, since a program may do nothing but test.
#include <optional>
#include <vector>

#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/request.h"
#include "taihu/mpi/work/messages/polling.h"

namespace taihu::mpi::messages {
namespace {

Request* find_request(Rank& rank, MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL) return nullptr;
  return &checked<Request>(rank, handle, MPI_ERR_REQUEST, "the request is not valid");
}

bool is_active(const Request* request) noexcept {
  return request != nullptr && request->active;
}

/// Like on_rank, for calls that complete one request: failures go to the error handler of its communicator.
/// The body keeps a reference in `owner` before the request can go away.
template <class Body>
inline __attribute__((always_inline)) int on_request(const char* call, Body&& body) {
  Rank& rank = running_rank(call);
  const CurrentCall current(call, __builtin_return_address(0));
  Reference<Communicator> owner;
  return detail::guarded(
      [&] { body(rank, owner); },
      [&](const CallError& error) { return handle_error(rank, call, owner.get(), error); });
}

constexpr const char* operation_failed = "the operation failed";

/// Takes the result of a complete request; gives up the program's reference unless it is persistent. A
/// failure of the operation is kept in `failure`, with the communicator whose error handler is in charge.
struct Failure {
  std::optional<CallError> error;
  Reference<Communicator> owner;

  /// The first one counts.
  void note(Request& request, const CallError& what) {
    if (error) return;
    error = what;
    owner = Reference<Communicator>::to(request.communicator());
  }
};
Outcome finish(Rank& rank, Request& request, MPI_Request& handle, Failure& failure) {
  const bool stays = request.persistent;
  Outcome outcome;
  try {
    outcome = request.finish(rank);
    if (outcome.error != MPI_SUCCESS) failure.note(request, CallError(outcome.error, operation_failed));
  } catch (const CallError& error) {
    failure.note(request, error);
    outcome = request.outcome(rank);
    outcome.error = error.code();
  }
  if (!stays) {
    handle = MPI_REQUEST_NULL;
    request.release();
  }
  return outcome;
}

/// What came out so far, without changing the request, which may be null.
Outcome look(Rank& rank, Request* request, Failure& failure) {
  if (!is_active(request)) return empty_status;
  const Outcome outcome = request->outcome(rank);
  if (outcome.error != MPI_SUCCESS) failure.note(*request, CallError(outcome.error, operation_failed));
  return outcome;
}

void look_at_one(Rank& rank, Request* request, MPI_Status* status, Reference<Communicator>& owner) {
  Failure failure;
  store(status, look(rank, request, failure));
  if (!failure.error) return;
  owner = failure.owner;
  throw *failure.error;
}

void finish_one(Rank& rank, Request& request, MPI_Request& handle, MPI_Status* status,
                Reference<Communicator>& owner) {
  Failure failure;
  store(status, finish(rank, request, handle, failure));
  if (!failure.error) return;
  owner = failure.owner;
  throw *failure.error;
}

/// Results of calls that complete several requests. When one of them has failed, every status tells its error
/// and the call fails with MPI_ERR_IN_STATUS.
class Results {
 public:
  Results(MPI_Status* statuses, int count) : statuses_(statuses), count_(count) {}

  void take(Rank& rank, int place, Request* request, MPI_Request& handle) {
    note(place, request != nullptr ? finish(rank, *request, handle, failure_) : empty_status);
  }
  void look_at(Rank& rank, int place, Request* request) { note(place, look(rank, request, failure_)); }

  void wait_and_take(Rank& rank, int place, Request* request, MPI_Request& handle) {
    MPI_Status* const status = statuses_ == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses_[place];
    if (request != nullptr && request->wait_and_release(rank, status)) [[likely]] {
      handle = MPI_REQUEST_NULL;
    } else {
      take(rank, place, request, handle);
    }
  }

  void throw_failure(Reference<Communicator>& owner) {
    if (!failure_.error) return;
    if (statuses_ != MPI_STATUSES_IGNORE) {
      for (std::size_t i = 0; i < errors_.size(); ++i) statuses_[i].MPI_ERROR = errors_[i];
    }
    owner = failure_.owner;
    throw CallError(MPI_ERR_IN_STATUS, failure_.error->text());
  }

 private:
  void note(int place, const Outcome& outcome) {
    if (outcome.error != MPI_SUCCESS) [[unlikely]] {
      errors_.resize(static_cast<std::size_t>(count_), MPI_SUCCESS);
      errors_[static_cast<std::size_t>(place)] = outcome.error;
    }
    if (statuses_ != MPI_STATUSES_IGNORE) store(&statuses_[place], outcome);
  }

  MPI_Status* const statuses_;
  const int count_;
  std::vector<int> errors_;  ///< empty as long as there are none
  Failure failure_;
};

/// The requests of an array; null where the handle is.
class Requests {
 public:
  Requests(Rank& rank, int count, const MPI_Request* handles) {
    require(count >= 0, MPI_ERR_COUNT, "the number of requests is negative");
    size_ = static_cast<std::size_t>(count);
    if (size_ > few) {
      many_.resize(size_);
      requests_ = many_.data();
    }
    for (std::size_t i = 0; i < size_; ++i) requests_[i] = find_request(rank, handles[i]);
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  std::size_t size() const noexcept { return size_; }
  Request* operator[](std::size_t place) const noexcept { return requests_[place]; }
  Request* const* begin() const noexcept { return requests_; }
  Request* const* end() const noexcept { return requests_ + size_; }

 private:
  static constexpr std::size_t few = 128;

  std::size_t size_;
  Request* few_[few];  // up to so many without an allocation
  std::vector<Request*> many_;
  Request** requests_ = few_;
};

constexpr int none = -1;

int first_complete(Rank& rank, const Requests& requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (is_active(requests[i]) && requests[i]->is_complete(rank)) return static_cast<int>(i);
  }
  return none;
}

bool any_active(const Requests& requests) {
  for (const Request* request : requests) {
    if (is_active(request)) return true;
  }
  return false;
}

std::vector<int> all_complete_ones(Rank& rank, const Requests& requests) {
  std::vector<int> complete;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (is_active(requests[i]) && requests[i]->is_complete(rank)) complete.push_back(static_cast<int>(i));
  }
  return complete;
}

void take_some(Rank& rank, const Requests& requests, const std::vector<int>& complete, MPI_Request* handles,
               int* outcount, int* indices, MPI_Status* statuses, Reference<Communicator>& owner) {
  Results results(statuses, static_cast<int>(complete.size()));
  *outcount = static_cast<int>(complete.size());
  for (std::size_t k = 0; k < complete.size(); ++k) {
    indices[k] = complete[k];
    results.take(rank, static_cast<int>(k), requests[static_cast<std::size_t>(complete[k])],
                 handles[complete[k]]);
  }
  results.throw_failure(owner);
}

}  // namespace

MPI_CALL(int, Wait, (MPI_Request * request, MPI_Status* status)) {
  return on_request("MPI_Wait", [&](Rank& rank, Reference<Communicator>& owner) {
    Request* const operation = find_request(rank, *request);
    if (operation == nullptr) return store(status, empty_status);
    if (operation->wait_and_release(rank, status)) {
      *request = MPI_REQUEST_NULL;
      return;
    }
    finish_one(rank, *operation, *request, status, owner);
  });
}

MPI_CALL(int, Test, (MPI_Request * request, int* flag, MPI_Status* status)) {
  return on_request("MPI_Test", [&](Rank& rank, Reference<Communicator>& owner) {
    Request* const operation = find_request(rank, *request);
    *flag = operation == nullptr || operation->is_complete(rank) ? 1 : 0;
    if (*flag == 0) return found_nothing(rank);
    if (operation == nullptr) return store(status, empty_status);
    finish_one(rank, *operation, *request, status, owner);
  });
}

MPI_CALL(int, Waitall, (int count, MPI_Request array_of_requests[], MPI_Status* array_of_statuses)) {
  return on_request("MPI_Waitall", [&](Rank& rank, Reference<Communicator>& owner) {
    const Requests requests(rank, count, array_of_requests);
    Results results(array_of_statuses, count);
    for (int i = 0; i < count; ++i)
      results.wait_and_take(rank, i, requests[static_cast<std::size_t>(i)], array_of_requests[i]);
    results.throw_failure(owner);
  });
}

MPI_CALL(int, Testall,
         (int count, MPI_Request array_of_requests[], int* flag, MPI_Status* array_of_statuses)) {
  return on_request("MPI_Testall", [&](Rank& rank, Reference<Communicator>& owner) {
    const Requests requests(rank, count, array_of_requests);
    *flag = 0;
    for (Request* request : requests) {
      if (request != nullptr && !request->is_complete(rank)) return found_nothing(rank);
    }
    *flag = 1;
    Results results(array_of_statuses, count);
    for (int i = 0; i < count; ++i)
      results.take(rank, i, requests[static_cast<std::size_t>(i)], array_of_requests[i]);
    results.throw_failure(owner);
  });
}

MPI_CALL(int, Waitany, (int count, MPI_Request array_of_requests[], int* indx, MPI_Status* status)) {
  return on_request("MPI_Waitany", [&](Rank& rank, Reference<Communicator>& owner) {
    const Requests requests(rank, count, array_of_requests);
    if (!any_active(requests)) {
      *indx = MPI_UNDEFINED;
      return store(status, empty_status);
    }
    int found = none;
    rank.endpoint().wait_until([&] { return (found = first_complete(rank, requests)) != none; });
    *indx = found;
    finish_one(rank, *requests[static_cast<std::size_t>(found)], array_of_requests[found], status, owner);
  });
}

MPI_CALL(int, Testany,
         (int count, MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status)) {
  return on_request("MPI_Testany", [&](Rank& rank, Reference<Communicator>& owner) {
    const Requests requests(rank, count, array_of_requests);
    *indx = MPI_UNDEFINED;
    if (!any_active(requests)) {
      *flag = 1;
      return store(status, empty_status);
    }
    const int found = first_complete(rank, requests);
    *flag = found != none ? 1 : 0;
    if (found == none) return found_nothing(rank);
    *indx = found;
    finish_one(rank, *requests[static_cast<std::size_t>(found)], array_of_requests[found], status, owner);
  });
}

MPI_CALL(int, Waitsome,
         (int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
          MPI_Status* array_of_statuses)) {
  return on_request("MPI_Waitsome", [&](Rank& rank, Reference<Communicator>& owner) {
    const Requests requests(rank, incount, array_of_requests);
    if (!any_active(requests)) {
      *outcount = MPI_UNDEFINED;
      return;
    }
    std::vector<int> complete;
    rank.endpoint().wait_until([&] { return !(complete = all_complete_ones(rank, requests)).empty(); });
    take_some(rank, requests, complete, array_of_requests, outcount, array_of_indices, array_of_statuses,
              owner);
  });
}

MPI_CALL(int, Testsome,
         (int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
          MPI_Status* array_of_statuses)) {
  return on_request("MPI_Testsome", [&](Rank& rank, Reference<Communicator>& owner) {
    const Requests requests(rank, incount, array_of_requests);
    if (!any_active(requests)) {
      *outcount = MPI_UNDEFINED;
      return;
    }
    const std::vector<int> complete = all_complete_ones(rank, requests);
    if (complete.empty()) found_nothing(rank);
    take_some(rank, requests, complete, array_of_requests, outcount, array_of_indices, array_of_statuses,
              owner);
  });
}

MPI_CALL(int, Request_get_status, (MPI_Request request, int* flag, MPI_Status* status)) {
  return on_request("MPI_Request_get_status", [&](Rank& rank, Reference<Communicator>& owner) {
    Request* const operation = find_request(rank, request);
    *flag = operation == nullptr || operation->is_complete(rank) ? 1 : 0;
    if (*flag != 0) look_at_one(rank, operation, status, owner);
  });
}

MPI_CALL(int, Request_get_status_all,
         (int count, const MPI_Request array_of_requests[], int* flag, MPI_Status* array_of_statuses)) {
  return on_request("MPI_Request_get_status_all", [&](Rank& rank, Reference<Communicator>& owner) {
    const Requests requests(rank, count, array_of_requests);
    *flag = 0;
    for (Request* request : requests) {
      if (request != nullptr && !request->is_complete(rank)) return found_nothing(rank);
    }
    *flag = 1;
    Results results(array_of_statuses, count);
    for (int i = 0; i < count; ++i) results.look_at(rank, i, requests[static_cast<std::size_t>(i)]);
    results.throw_failure(owner);
  });
}

MPI_CALL(int, Request_get_status_any,
         (int count, const MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status)) {
  return on_request("MPI_Request_get_status_any", [&](Rank& rank, Reference<Communicator>& owner) {
    const Requests requests(rank, count, array_of_requests);
    *indx = MPI_UNDEFINED;
    if (!any_active(requests)) {
      *flag = 1;
      return store(status, empty_status);
    }
    const int found = first_complete(rank, requests);
    *flag = found != none ? 1 : 0;
    if (found == none) return found_nothing(rank);
    *indx = found;
    look_at_one(rank, requests[static_cast<std::size_t>(found)], status, owner);
  });
}

MPI_CALL(int, Request_get_status_some,
         (int incount, const MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
          MPI_Status* array_of_statuses)) {
  return on_request("MPI_Request_get_status_some", [&](Rank& rank, Reference<Communicator>& owner) {
    const Requests requests(rank, incount, array_of_requests);
    *outcount = MPI_UNDEFINED;
    if (!any_active(requests)) return;
    const std::vector<int> complete = all_complete_ones(rank, requests);
    if (complete.empty()) found_nothing(rank);
    *outcount = static_cast<int>(complete.size());
    Results results(array_of_statuses, *outcount);
    for (int k = 0; k < *outcount; ++k) {
      const int index = array_of_indices[k] = complete[static_cast<std::size_t>(k)];
      results.look_at(rank, k, requests[static_cast<std::size_t>(index)]);
    }
    results.throw_failure(owner);
  });
}

MPI_CALL(int, Request_free, (MPI_Request * request)) {
  return on_rank("MPI_Request_free", [&](Rank& rank) {
    Request& operation =
        checked<Request>(rank, *request, MPI_ERR_REQUEST, "the request is MPI_REQUEST_NULL or not valid");
    operation.abandon(rank);  // a refused one keeps its handle
    *request = MPI_REQUEST_NULL;
  });
}

MPI_CALL(int, Cancel, (MPI_Request * request)) {
  return on_rank("MPI_Cancel", [&](Rank& rank) {
    Request& operation =
        checked<Request>(rank, *request, MPI_ERR_REQUEST, "the request is MPI_REQUEST_NULL or not valid");
    require(operation.active, MPI_ERR_REQUEST, "the request is inactive");
    operation.cancel(rank);
  });
}

}  // namespace taihu::mpi::messages
