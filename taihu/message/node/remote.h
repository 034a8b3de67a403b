// SPDX-License-Identifier: Apache-2.0
// What ranks of different node processes do with each other, as envelopes on the wire: messages, one-sided
// transfers, calls of services, and the agreement that the job has ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "taihu/message/endpoint.h"
#include "taihu/message/matching/matching.h"
#include "taihu/message/wire/wire.h"

namespace taihu::message {

class LocalEndpoint;
class NodeProcess;

/// Up to here the data of a standard message follow its envelope unasked; a question costs longer ones
/// little.
inline constexpr std::size_t most_bytes_following = 256 * 1024;

/// Functions may be called by any thread and never block, except `finish`.
class Remote {
 public:
  Remote(NodeProcess& node, Link& link);
  ~Remote();

  void send_message(int source, int destination, Context context, int tag, const Data& data, SendMode mode,
                    Request* request);
  /// A standard message whose data leave before this returns; false, and nothing has happened, when they
  /// cannot.
  bool send_at_once(int source, int destination, Context context, int tag, const Data& data, Flow flow);
  /// Asks for the data of a message with `announced_there`; `receive` completes when `bytes` of them are in
  /// `space`.
  void accept(const Arrival& message, const Space& space, std::size_t bytes, Request* receive);
  /// The receive, whose status is set, takes a message with `landing`; completes when the data are in its
  /// space. The landing is gone then.
  void claim(Landing* landing, Request* receive);
  /// The receiving rank has taken a message whose data were here.
  void consumed(const Arrival& message);
  /// Asks for the return of a message that waits for its match; its request completes in any case, cancelled
  /// or not.
  void cancel(int source, const Request& request);
  /// A message that was asked back has left the queues.
  void withdrawn(const Arrival& message);

  void put(int source, int destination, const void* data, memory::SymmetricAddress target, std::size_t bytes,
           const memory::SymmetricAddress* reply, Request* request);
  /// Tells of a put whose caller has written the data itself; false, and nothing has happened, when that has
  /// to go by an envelope.
  bool tell_of_put(int destination, const memory::SymmetricAddress* reply);
  /// See Endpoint::may_reach_there. Puts without data overtake nothing and are overtaken by nothing that
  /// matters: the data that they tell of are there.
  bool may_reach(int rank) {
    Account& account = account_of(process_of(rank));
    return account.data_under_way.load(std::memory_order_acquire) == 0 || is_answered_soon(account);
  }
  void get(int rank, int from, memory::SymmetricAddress source, void* target, std::size_t bytes,
           Request* request);
  void put_blocks(int source, int destination, const void* data, memory::SymmetricAddress target,
                  const StridedShape& shape, const memory::SymmetricAddress* reply, Request* request);
  void get_blocks(int rank, int from, memory::SymmetricAddress source, void* target,
                  const StridedShape& shape, Request* request);

  void call(int process, Service service, const void* arguments, std::size_t bytes, Node::AnswerHandler then);
  void answer(int process, std::uint64_t initiator, const void* data, std::size_t bytes);

  bool poll() { return wire_.poll(); }
  bool poll_as_guest() { return wire_.poll_as_guest(); }
  /// See Wire::drive.
  template <class Done>
  bool drive(int turns, Done&& done) {
    return wire_.drive(turns, done);
  }
  /// See Wire::take_next; of a standard message whose data come with it.
  template <class MayTake, class Take>
  bool take_next(int source, int destination, Context context, int tag, int turns, MayTake&& may_take,
                 Take&& take) {
    const int process = process_of(source);
    return wire_.take_next(process, plain_header(source, destination, context, tag), turns, may_take,
                           [&](const InPlace& payload) {
                             take(payload);
                             give_credit(process, payload.bytes);
                           });
  }
  /// Completes what is under way and waits until all node processes have; the link is quiet afterwards.
  void finish();
  Wire& wire() noexcept { return wire_; }

 private:
  /// Data announced to another process, until it asks for them.
  struct Announced {
    Data data{nullptr, 0};
    std::function<void()> sent;
  };
  /// Bytes of eager messages. The thread inside counts by plain stores, the others have sums of their own.
  /// And what keeps puts and gets from the memory of that process.
  struct alignas(64) Account {
    std::atomic<std::int64_t> sent_inside{0};
    std::atomic<std::int64_t> sent_outside{0};
    std::atomic<std::int64_t> known_taken{0};   ///< by the other process, as it says; written inside
    std::atomic<std::int64_t> taken_inside{0};  ///< from the other process and not yet told to it
    std::atomic<std::int64_t> taken_outside{0};
    std::atomic<std::int32_t> data_under_way{0};  ///< puts with data, and gets, that are not answered
    std::atomic<std::uint32_t> refusals{0};       ///< for that reason
    std::int64_t unknown() const noexcept {
      return sent_inside.load(std::memory_order_relaxed) + sent_outside.load(std::memory_order_relaxed) -
             known_taken.load(std::memory_order_relaxed);
    }
    /// Only the thread inside.
    static std::int64_t add(std::atomic<std::int64_t>& sum, std::int64_t amount) noexcept {
      const std::int64_t now = sum.load(std::memory_order_relaxed) + amount;
      sum.store(now, std::memory_order_relaxed);
      return now;
    }
  };
  /// Payload of a call or an answer, when all of it is here.
  using Received = std::function<void(std::vector<std::byte>)>;

  void arrived(int process, const Header& header, const std::byte* payload);
  bool begin_delivery(LocalEndpoint& endpoint);
  void end_delivery();
  void message_arrived(int process, const Header& header, const std::byte* payload);
  void followed_message_arrived(int process, const Header& header);
  void finish_landing(Landing* landing);
  void finish_followed(Request* receive);
  void put_arrived(int process, const Header& header, const std::byte* payload);
  void put_blocks_arrived(int process, const Header& header, const std::byte* payload);
  void finish_put(int process, const Header& header);
  void puts_counted(int process, const Tally& tally, std::uint64_t times);
  void tell_done_puts(int process);
  void puts_done(int process, const Header& header, const std::byte* payload);
  bool is_answered_soon(Account& account);
  void get_landed(int process, Request* request);
  void get_arrived(int process, const Header& header);
  void get_blocks_arrived(int process, const Header& header, const std::byte* payload);
  void clear_to_send(int process, const Header& header);
  void cancel_arrived(int process, const Header& header);
  static void withdrawn_arrived(const Header& header);
  void receive_whole(int process, const Header& header, const std::byte* payload, const Received& received);
  void process_finished();

  static Header plain_header(int source, int destination, Context context, int tag) noexcept {
    Header header;
    header.kind = EnvelopeKind::plain_message;
    header.source = source;
    header.destination = destination;
    header.context = context;
    header.tag = tag;
    return header;
  }
  void send(int process, const Header& header, Request* posted = nullptr, const Data& payload = {nullptr, 0});
  void send_followed(int process, const Header& header, const Data& data, Request* sent);
  void send_owned(int process, Header header, const void* data, std::size_t bytes);
  void ask_for(int process, std::uint64_t transfer, void* landing, std::size_t bytes,
               std::function<void()> landed);
  void ask_for_pieces(int process, std::uint64_t transfer, const Space& space, std::size_t bytes,
                      std::function<void()> landed);
  static std::uint64_t announce(const Data& data, std::function<void()> sent);
  /// Whether an envelope with so many bytes leaves at once.
  bool fits_envelope(int process, EnvelopeKind kind, std::size_t bytes, Flow flow = Flow::one_way) const {
    const std::size_t all = header_bytes(kind) + bytes;
    if (all <= least_unasked_bytes) return true;
    return bytes <= eager_payload_bytes &&
           all <= (flow == Flow::both_ways ? link_.unasked_bytes_both_ways(process)
                                           : link_.unasked_bytes(process));
  }
  void give_credit(int process, std::size_t bytes);
  int process_of(int rank) const noexcept { return process_of_rank_[static_cast<unsigned>(rank)]; }
  Account& account_of(int process) noexcept { return accounts_[static_cast<unsigned>(process)]; }
  bool charge(int process, std::size_t bytes) noexcept;
  bool settled();
  template <class Ready>
  void poll_until(Ready&& ready);

  NodeProcess& node_;
  const Link& link_;
  const int processes_;
  const std::int64_t window_;
  std::vector<Account> accounts_;  ///< with each process
  std::vector<std::int32_t> process_of_rank_;
  // Of the thread inside: puts that have arrived and whose initiators do not know it yet.
  std::vector<std::vector<std::uint64_t>> done_puts_;  ///< by process: Header::initiator of each
  std::vector<int> processes_to_tell_;                 ///< those with some
  LocalEndpoint* delivers_to_ = nullptr;               ///< whose lock it has, until other things arrive
  std::atomic<std::int64_t> unanswered_{0};            ///< puts, gets and calls of this process
  std::atomic<int> finished_{0};                       ///< process 0: how many have finished
  std::atomic<bool> all_finished_{false};
  Wire wire_;
};

}  // namespace taihu::message
