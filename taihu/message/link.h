// SPDX-License-Identifier: Apache-2.0
// The connection between node processes: envelopes, which come in order and without being asked for, and
// data, for which the receiver has a buffer ready.
//
// Two kinds: the site's MPI library, loaded at run time through a shim that was built once per MPI
// implementation, so that its symbols never collide with ours and one binary runs on Open MPI and MPICH
// (tagged_link.h, link.cc); and shared memory for those node processes that run on one machine, which hands
// everything else to the first (shared_link.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "taihu/message/data/layout.h"
#include "taihu/message/rings/tally_line.h"

namespace taihu::message {

/// Tags of data begin here.
inline constexpr int first_free_tag = 2;
/// Envelopes of so many bytes leave at once on every link.
inline constexpr std::size_t least_unasked_bytes = 4000;
/// So many transfers under way are tested in one look; the others wait for the next.
inline constexpr std::size_t tests_at_once = 32;

/// A transfer of data under way on a link; owned by the link, released when `test` says it is complete.
struct LinkRequest {};

/// Takes envelopes from a link.
class EnvelopeReader {
 public:
  /// `bytes` is the length of head and payload together. The payload stands behind the head, or at
  /// `payload` when that is not null. Both are gone when this returns. May send and receive on the link.
  virtual void envelope(int process, const std::byte* head, const std::byte* payload, std::size_t bytes) = 0;
  /// The other side has counted `tally` so many times more. Readers of links that count nothing need not
  /// care.
  virtual void counted(int /*process*/, const Tally& /*tally*/, std::uint64_t /*times*/) {}
  /// Whether the reader waits for more than it has been given. A link whose looks cost much gives up reading
  /// where it does not.
  virtual bool wants_more() { return true; }

 protected:
  ~EnvelopeReader() = default;
};

/// What a process has sent next (Link::next_from).
enum class Next : std::uint8_t {
  nothing,   ///< it has not come yet
  expected,  ///< the envelope that was asked for
  other      ///< something that `read` is for, or the link cannot tell
};

/// What an envelope has behind its head, in place.
struct InPlace {
  const std::byte* address = nullptr;
  std::size_t bytes = 0;
};

/// Transfers between node processes. Not thread-safe: callers hold the lock of the node (see Wire). No call
/// blocks unless it says so. Failures of the MPI library end the job with its message.
class Link {
 public:
  virtual ~Link() = default;
  virtual int process() const = 0;
  virtual int processes() const = 0;
  /// "Open MPI v4.1.4 ..." as the library says it.
  virtual std::string library() const = 0;
  /// How data get to the node processes of this machine, in words; empty when by the library, too.
  virtual std::string way_on_machine() const { return {}; }

  /// Largest tag that transfers may use; at least 32767.
  virtual int tag_limit() const = 0;

  /// Up to this size, head included, envelopes to `process` leave at once; longer data are sent better by
  /// `send`. At least least_unasked_bytes; may change at any time. Any thread.
  virtual std::size_t unasked_bytes(int process) const = 0;
  /// The same where the other side sends as much at the same time.
  virtual std::size_t unasked_bytes_both_ways(int process) const { return unasked_bytes(process); }

  /// Sends an envelope: head, then payload; both have been taken when it returns true. False, and nothing
  /// has happened, when there is no room now. Envelopes between two processes stay in order.
  virtual bool send_envelope(int process, const void* head, std::size_t head_bytes, const Data& payload) = 0;
  /// Whether send_envelope with so many bytes of head and payload would be true.
  virtual bool has_room(int process, std::size_t bytes) = 0;

  /// Whether the two processes can open each other's objects of shared memory. Any thread.
  virtual bool shares_memory_with(int /*process*/) const { return false; }
  /// Tells the other side once more of `tally`, at the latest before the next envelope to it; what it has not
  /// read yet is told together. False, and nothing has happened, when there is no way, or no room now. Data
  /// of `send` have no order with it, they may arrive later: who counts what must not overtake such data
  /// first waits until they have arrived (Endpoint::may_reach_there).
  virtual bool tally(int /*process*/, const Tally& /*tally*/) { return false; }
  /// Hands over up to `most` envelopes that have come, fewer when the reader wants no more, and does what
  /// else can be done for the transfers under way; false when there was nothing to do.
  virtual bool read(EnvelopeReader& reader, int most) = 0;
  /// For who waits for just one envelope, which takes a shorter way than by a reader: whether the next one
  /// of `process` has the `head_bytes` at `head`. When it has, `payload` is what stands behind them, until
  /// `pop_next`, which must follow.
  virtual Next next_from(int /*process*/, const void* /*head*/, std::size_t /*head_bytes*/,
                         InPlace& /*payload*/) {
    return Next::other;
  }
  virtual void pop_next(int /*process*/) {}
  /// Nothing that was sent waits for room or for the MPI library.
  virtual bool is_quiet() = 0;

  /// Data, to a buffer that the other side has named with `receive` or names soon. Buffers stay in use until
  /// the request is complete or cancelled. Transfers between two processes with one tag match in order.
  /// `send` returns null when the transfer is complete already.
  virtual LinkRequest* send(int process, int tag, const void* data, std::size_t bytes) = 0;
  virtual LinkRequest* receive(int process, int tag, void* buffer, std::size_t capacity) = 0;
  virtual bool test(LinkRequest* request) = 0;
  /// Gives up a transfer whose other side does not exist (any more); releases the request.
  virtual void cancel(LinkRequest* request) = 0;

  /// Blocking exchange at start and end of a job; all processes call.
  virtual std::vector<std::string> allgather(const std::string& mine) = 0;
  virtual void barrier() = 0;
  /// Ends all node processes of the job. Async-signal-unsafe. Does not return.
  [[noreturn]] virtual void abort(int exit_code) = 0;
};

/// Opens the shim for the launcher that started this process (Open MPI or MPICH, from its environment), and
/// shared memory with the node processes of this machine unless TAIHU_SHARED_MEMORY says otherwise; null when
/// the process was not started by an MPI launcher, that is, when it is the only one. All processes of the job
/// call. Throws Error with the remedy when the shim or the library cannot be loaded.
std::unique_ptr<Link> open_link();

}  // namespace taihu::message
