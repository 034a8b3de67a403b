// SPDX-License-Identifier: Apache-2.0
// A rank's door to all others: two-sided messages with MPI's matching rules, one-sided transfers with reply
// words, and calls of services on node processes. Languages (parallelc/, mpi/) and collective/ use it; it
// knows nothing of them.
//
// Inside a node process: a short message goes through a lock-free ring per pair of ranks (allocated at first
// use); a long one is announced there and copied once, from user buffer to user buffer, by the receiver.
// Between node processes: envelope with eager payload, or a rendezvous that lands in the user buffer. Both
// meet in the receiving rank's matching queues, so wildcards, probes and ordering need no special protocol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "taihu/launch/layout.h"
#include "taihu/memory/symmetric.h"
#include "taihu/message/data/layout.h"
#include "taihu/message/data/strided_blocks.h"
#include "taihu/message/link.h"
#include "taihu/threads/waiting.h"

namespace taihu::message {

inline constexpr int any_rank = -1;
inline constexpr int any_tag = -1;

/// Messages of different contexts never match each other. Any value; none is ever used up.
using Context = std::uint64_t;
inline constexpr Context user_context = 0;  ///< Parallel C programs
inline constexpr Context collective_context =
    1;  ///< first of the contexts of collectives; each group has its own

enum class Error : int { none = 0, truncated = 2, link = 6 };

struct Status {
  int source = any_rank;
  int tag = any_tag;
  std::size_t bytes = 0;  ///< of the message: more than the buffer's when it was truncated
  Error error = Error::none;
  bool cancelled = false;  ///< the transfer was withdrawn by `cancel`; all else is unset then
};

/// When a send is complete: `standard` once its data may be changed, `synchronous` only when a receive has
/// matched it as well.
enum class SendMode : std::uint8_t { standard, synchronous };

/// Whether the receiver of a message sends as much to its sender at the same time. Then what counts is how
/// long both copy, not how soon one message alone is there.
enum class Flow : std::uint8_t { one_way, both_ways };

/// A transfer under way. Owned by the endpoint; released when `test` or `wait` reports it complete.
struct Request;

/// A message that `improbe` has taken; given back to the endpoint by `imrecv`.
struct Message;

/// Work that must go on while a rank waits, such as collectives that the program started and left alone.
class Background {
 public:
  virtual ~Background() = default;
  /// Does what can be done now. May call the endpoint, but must not wait. Never runs twice at once.
  virtual void progress() = 0;
};

class Node;

/// One per rank of this node process. Any thread of that rank may call, several may wait at once. Arguments
/// that name a buffer as address and bytes are the same as a Data or Space without a layout.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  virtual int rank() const noexcept = 0;

  /// `data` must stay unchanged until the request is complete. Never blocks. Sending to oneself works.
  virtual Request* isend(int destination, Context context, int tag, const Data& data, SendMode mode) = 0;
  /// `source` and `tag` may be any_rank and any_tag.
  virtual Request* irecv(int source, Context context, int tag, const Space& space) = 0;

  /// As isend and irecv with wait, but faster. `status` may be null.
  virtual void send(int destination, Context context, int tag, const Data& data,
                    SendMode mode = SendMode::standard) = 0;
  virtual void receive(int source, Context context, int tag, const Space& space, Status* status) = 0;

  /// Whether a message is here that such a receive would get; the oldest one's status when there is.
  virtual bool iprobe(int source, Context context, int tag, Status* status) = 0;
  /// As iprobe, and takes the message, so that only `imrecv` can receive it; null when there is none.
  virtual Message* improbe(int source, Context context, int tag, Status* status) = 0;
  /// Receives a message that improbe took; exactly once for each.
  virtual Request* imrecv(Message* message, const Space& space) = 0;

  /// Withdraws a transfer if it can: a receive that nothing has matched; a send that no receive has matched
  /// and whose data nobody has buffered. Then it completes with Status::cancelled (to another node process:
  /// when its receiver next looks at messages); otherwise it goes on as if nothing had happened. Either way
  /// it is still to be waited for. Never blocks.
  virtual void cancel(Request* request) = 0;
  /// The program will not ask whether this send is complete, so it may free or reuse its buffer whenever
  /// something tells it that the receiver has gone on: a standard send inside the node process that no
  /// receive has matched is copied to the receiver now. Others go on as if nothing had happened. Never
  /// blocks.
  virtual void buffer(Request* /*request*/) {}

  /// True when complete: fills *status (may be null) and releases the request. Makes progress.
  virtual bool test(Request* request, Status* status) = 0;
  virtual void wait(Request* request, Status* status) = 0;
  /// As test, but keeps the request; `test` and `wait` return at once then. Makes progress.
  virtual bool is_complete(Request* request) = 0;
  /// Of a complete request that has not been released.
  virtual Status status_of(Request* request) = 0;

  /// Whether no isend, irecv or imrecv of this rank in `context` is under way. Looks at all transfers: not
  /// for hot paths. Makes no progress.
  virtual bool is_idle(Context context) = 0;

  /// One-sided: `bytes` from `source` to the instance of `target` that belongs to rank `destination`; when
  /// the data are visible there, adds one atomically to the int at `reply` there (nothing when `reply` is
  /// null). The request is complete when the data have arrived. Inside a node process the call itself copies
  /// and returns null (complete).
  virtual Request* put(int destination, const void* source, memory::SymmetricAddress target,
                       std::size_t bytes, const memory::SymmetricAddress* reply) = 0;
  /// For callers that have mapped the memory of rank `rank` of another node process
  /// (Node::shares_memory_with): whether they may read and write there now. False while a put or get of
  /// this node process with that one is under way, which would be overtaken. After some refusals it looks
  /// some microseconds for their answers, so that a stream of puts does not keep itself behind the envelopes
  /// that it sends meanwhile.
  virtual bool may_reach_there(int /*rank*/) { return false; }
  /// What remains of a put to such a rank when the caller has written the data: the reply word grows, unless
  /// it is null, and the rank learns of it. As put; null: nothing is left to wait for.
  virtual Request* tell_of_put(int destination, const memory::SymmetricAddress* reply) {
    return put(destination, nullptr, {}, 0, reply);
  }
  /// Such a caller has changed memory of the rank, which is to look at it. False, and nothing has happened,
  /// when that takes an envelope now. Never blocks.
  virtual bool ring_there(int /*destination*/) { return false; }
  /// One-sided read; as put.
  virtual Request* get(int from, memory::SymmetricAddress source, void* target, std::size_t bytes) = 0;

  /// As put and get, in blocks: in one copy inside a node process, packed into as few messages as their size
  /// needs between two.
  virtual Request* put_blocks(int destination, const void* source, memory::SymmetricAddress target,
                              const StridedShape& shape, const memory::SymmetricAddress* reply) = 0;
  virtual Request* get_blocks(int from, memory::SymmetricAddress source, void* target,
                              const StridedShape& shape) = 0;

  /// Does whatever can be done now without waiting: incoming messages, requests of others to this node
  /// process, and what set_background named.
  virtual void progress() = 0;

  /// Sets what else goes on in every turn of a waiting loop of this rank and in `progress`; null: nothing.
  /// Must stay alive until no thread of the rank is inside the endpoint.
  virtual void set_background(Background* background) noexcept = 0;

  /// Rung whenever something changed for this rank.
  virtual threads::Doorbell& doorbell() noexcept = 0;

  /// Tells the progress thread, which looks for messages of other node processes, that this rank is about to
  /// sleep.
  virtual void about_to_sleep() noexcept = 0;

  /// Waits, making progress, until `ready()`; whoever makes it true for this rank rings the doorbell.
  template <class Ready>
  void wait_until(Ready&& ready) {
    doorbell().wait(
        [&] {
          if (ready()) return true;
          progress();
          return ready();
        },
        [this] { about_to_sleep(); });
  }

  Request* isend(int destination, Context context, int tag, const void* data, std::size_t bytes) {
    return isend(destination, context, tag, Data{data, bytes}, SendMode::standard);
  }
  Request* irecv(int source, Context context, int tag, void* buffer, std::size_t capacity) {
    return irecv(source, context, tag, Space{buffer, capacity});
  }
  void send(int destination, Context context, int tag, const void* data, std::size_t bytes) {
    send(destination, context, tag, Data{data, bytes}, SendMode::standard);
  }
  Status receive(int source, Context context, int tag, void* buffer, std::size_t capacity) {
    Status status;
    receive(source, context, tag, Space{buffer, capacity}, &status);
    return status;
  }

  virtual Node& node() noexcept = 0;

  /// A standard isend that is complete when it returns: true, and the data have been taken. False, and
  /// nothing has happened, when it cannot be; then isend is the way. Never blocks.
  virtual bool send_at_once(int destination, Context context, int tag, const Data& data, Flow flow) = 0;
  bool send_at_once(int destination, Context context, int tag, const Data& data) {
    return send_at_once(destination, context, tag, data, Flow::one_way);
  }

  /// irecv with a new request that the caller owns (see request.h): it must stay where it is until it is
  /// complete, which `is_complete` and `await` tell, and must not be given to `test` and `wait`.
  virtual void irecv_into(Request& request, int source, Context context, int tag, const Space& space) = 0;
  /// Waits until a request is complete, and keeps it.
  virtual void await(Request& request) = 0;
};

/// What other ranks may ask a node process to do.
enum class Service : std::uint16_t {
  lock = 1,
  task = 2,
  window = 3,
  file = 4,
  watch = 5,
  aggregate = 6,
  report = 7,
  loop = 8,
  alive = 9,
  job = 10,
  crowd = 11  ///< of the message layer itself
};

/// A call of a service, to be answered once, now or later, by any thread.
class ServiceCall {
 public:
  virtual ~ServiceCall() = default;
  virtual const std::vector<std::byte>& arguments() const noexcept = 0;
  /// Sends the answer to the caller.
  virtual void answer(const void* data, std::size_t bytes) = 0;
};

/// Runs on the progress thread, on a rank that helps, or in the calling thread of the same process, on
/// several at once; must not block or send messages, and must keep `call` until it is answered. Calls that
/// arrive before `serve` wait for it.
using ServiceHandler = std::function<void(std::shared_ptr<ServiceCall> call)>;

/// The message layer of a node process: endpoints of its ranks, the link to other node processes, the
/// progress thread.
class Node {
 public:
  /// `link` is null when this is the only node process. `symmetric` may be null when nobody uses one-sided
  /// calls.
  static std::unique_ptr<Node> create(const launch::Layout& layout, std::unique_ptr<Link> link,
                                      const memory::SymmetricMap* symmetric);
  virtual ~Node() = default;

  virtual const launch::Layout& layout() const noexcept = 0;
  virtual int process() const noexcept = 0;
  /// Ranks of this node process, without free places for spare ones.
  virtual int local_ranks() const noexcept = 0;
  /// How messages get to other node processes, in words; empty when there are none.
  virtual std::string way_between_processes() const { return {}; }
  /// Whether that node process and this one can open each other's objects of shared memory.
  virtual bool shares_memory_with(int /*process*/) const { return false; }
  virtual Endpoint& endpoint(int local_index) noexcept = 0;
  /// Makes the endpoint of a spare rank (launch::Layout) of this node process, before anybody knows of the
  /// rank; or gives it that of one that has been removed. New places are taken in the order of their indices.
  /// One thread at a time. Throws Error, and nothing has changed.
  virtual void add_rank(int local_index) = 0;
  /// A spare rank has ended, and none of its threads calls any more: forgets the messages that it has not
  /// received. True: nothing of it is under way, so its place is free for another rank, whose contexts must
  /// be new. False: the place stays taken. As add_rank, one thread at a time.
  virtual bool remove_rank(int local_index) = 0;

  /// Registers the handler of a service; before any rank runs.
  virtual void serve(Service service, ServiceHandler handler) = 0;

  /// Calls a service of node process `process` (this one included: then the handler runs in the calling
  /// thread) and waits for its answer; makes progress meanwhile. Any thread.
  virtual std::vector<std::byte> call(int process, Service service, const void* arguments,
                                      std::size_t bytes) = 0;

  /// As `call`, without waiting: `then` runs with the answer, on whatever thread brings it, under the rules
  /// of a handler. For handlers that must ask another process before they can answer. Any thread.
  using AnswerHandler = std::function<void(std::vector<std::byte> answer)>;
  virtual void begin_call(int process, Service service, const void* arguments, std::size_t bytes,
                          AnswerHandler then) = 0;

  /// Exchanges and barriers of node processes while no rank runs, e.g. between set-up and the start of the
  /// ranks: one-sided calls of other processes may arrive as soon as their ranks run. All node processes
  /// call; blocks.
  virtual void barrier() = 0;
  virtual std::vector<std::string> allgather(const std::string& mine) = 0;

  /// All node processes call when their ranks have ended: completes what is under way, then the link may be
  /// closed.
  virtual void finish() = 0;
  /// Ends all node processes of the job. Does not return.
  [[noreturn]] virtual void abort(int exit_code) noexcept = 0;
};

}  // namespace taihu::message
