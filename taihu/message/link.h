// SPDX-License-Identifier: Apache-2.0
// The connection between node processes: the site's MPI library, loaded at run time through a shim that was
// built once per MPI implementation, so that its symbols never collide with ours and one binary runs on Open
// MPI and MPICH.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace taihu::message {

inline constexpr int any_process = -1;

/// A transfer under way on a link; owned by the link, released when `test` says it is complete.
struct LinkRequest;

/// What a link delivered or could deliver.
inline constexpr int shared_tag = 1;

struct LinkStatus {
  int process = -1;
  int tag = -1;
  std::size_t bytes = 0;
};

/// Point-to-point transfers between node processes. Not thread-safe: callers hold the lock of the node (see
/// Node). Failures of the MPI library end the job with its message.
class Link {
 public:
  virtual ~Link() = default;
  virtual int process() const = 0;
  virtual int processes() const = 0;
  /// "Open MPI v4.1.4 ..." as the library says it.
  virtual std::string library() const = 0;

  /// Largest tag that transfers may use; at least 32767.
  virtual int tag_limit() const = 0;

  /// Up to this size the library sends data without asking the receiver, so that they may wait in its
  /// buffers there.
  virtual std::size_t unasked_bytes() const = 0;

  /// Buffers stay in use until the request is complete or cancelled. Transfers between two processes with one
  /// tag match in order.
  virtual LinkRequest* send(int process, int tag, const void* data, std::size_t bytes) = 0;
  /// Only `shared_tag` may be received from any process, and always is.
  virtual LinkRequest* receive(int process_or_any, int tag, void* buffer, std::size_t capacity) = 0;
  /// `status` may be null.
  virtual bool test(LinkRequest* request, LinkStatus* status) = 0;
  /// Gives up a receive that nothing matches, or a send that the other side will not take; releases the
  /// request.
  virtual void cancel(LinkRequest* request) = 0;

  /// Blocking exchange at start and end of a job; all processes call.
  virtual std::vector<std::string> allgather(const std::string& mine) = 0;
  virtual void barrier() = 0;
  /// Ends all node processes of the job. Async-signal-unsafe. Does not return.
  [[noreturn]] virtual void abort(int exit_code) = 0;

  /// As send; null when the transfer is complete already.
  virtual LinkRequest* send_now(int process, int tag, const void* data, std::size_t bytes) {
    LinkRequest* request = send(process, tag, data, bytes);
    return test(request, nullptr) ? nullptr : request;
  }
};

/// Opens the shim for the launcher that started this process (Open MPI or MPICH, from its environment); null
/// when the process was not started by an MPI launcher, that is, when it is the only one. Throws Error with
/// the remedy when the shim or the library cannot be loaded.
std::unique_ptr<Link> open_link();

}  // namespace taihu::message
