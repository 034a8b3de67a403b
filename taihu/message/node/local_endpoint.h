// SPDX-License-Identifier: Apache-2.0
// The endpoint of a rank of this node process. Its lock guards the matching queues, the receiving sides of
// the channels that lead to it, and the sending sides of those that start from it. Other ranks touch the
// atomics: the table of incoming channels and the bitmap that says which of them to look at. One that wants a
// long message of its own back takes the receiver's lock and no other.
//
// A thread that waits holds the lock while it spins, so that a turn costs no atomic operation, and gives way
// to other threads that want it.
//
// The bit of a channel stays set while messages keep coming, so a steady exchange costs no write to the
// bitmap. Bits of silent channels are cleared now and then with the barrier of a Doorbell: cleared bit, heavy
// barrier, another look, against message, light barrier, look at the bit.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "taihu/base/contract.h"
#include "taihu/message/endpoint.h"
#include "taihu/message/locks/biased_lock.h"
#include "taihu/message/locks/spin_lock.h"
#include "taihu/message/matching/matching.h"
#include "taihu/message/node/channel.h"
#include "taihu/message/node/placement.h"
#include "taihu/message/rings/mailbox.h"
#include "taihu/message/rings/ring_memory.h"

namespace taihu::message {

class NodeProcess;

/// A message from another node process on its way to the rank.
struct InboxMessage {
  Arrival arrival;
  std::unique_ptr<std::byte[]> owned;
};

/// A bit for each sender. Nothing else is in its cache lines: senders read them with every message.
class ActiveChannels {
 public:
  /// `most`: senders that there may be; none yet.
  explicit ActiveChannels(int most) : lines_(static_cast<unsigned>(most + 511) / 512) {}
  void set_senders(int senders) noexcept {
    words_.store(static_cast<unsigned>(senders + 63) / 64, std::memory_order_relaxed);
  }
  unsigned words() const noexcept { return words_.load(std::memory_order_relaxed); }
  std::atomic<std::uint64_t>& operator[](unsigned word) noexcept { return lines_[word / 8].words[word % 8]; }

 private:
  struct alignas(64) Line {
    std::atomic<std::uint64_t> words[8] = {};
  };
  std::vector<Line> lines_;
  std::atomic<unsigned> words_{0};
};

class LocalEndpoint final : public Endpoint {
 public:
  /// `pillow`: which the rank shares with its neighbours when it sleeps; null: none.
  LocalEndpoint(NodeProcess& node, int rank, int local_index, threads::Pillow* pillow);

  int rank() const noexcept override { return rank_; }
  using Endpoint::irecv;
  using Endpoint::isend;
  using Endpoint::receive;
  using Endpoint::send;
  Request* isend(int destination, Context context, int tag, const Data& data, SendMode mode) override;
  using Endpoint::send_at_once;
  bool send_at_once(int destination, Context context, int tag, const Data& data, Flow flow) override;
  Request* irecv(int source, Context context, int tag, const Space& space) override;
  void send(int destination, Context context, int tag, const Data& data, SendMode mode) override;
  void receive(int source, Context context, int tag, const Space& space, Status* status) override;
  void irecv_into(Request& request, int source, Context context, int tag, const Space& space) override;
  bool iprobe(int source, Context context, int tag, Status* status) override;
  Message* improbe(int source, Context context, int tag, Status* status) override;
  Request* imrecv(Message* message, const Space& space) override;
  void cancel(Request* request) override;
  void buffer(Request* request) override;
  bool is_idle(Context context) override;
  bool test(Request* request, Status* status) override;
  void wait(Request* request, Status* status) override;
  void await(Request& request) override;
  bool is_complete(Request* request) override;
  Status status_of(Request* request) override;
  Request* put(int destination, const void* source, memory::SymmetricAddress target, std::size_t bytes,
               const memory::SymmetricAddress* reply) override;
  bool may_reach_there(int rank) override;
  Request* tell_of_put(int destination, const memory::SymmetricAddress* reply) override;
  bool ring_there(int destination) override;
  Request* get(int from, memory::SymmetricAddress source, void* target, std::size_t bytes) override;
  Request* put_blocks(int destination, const void* source, memory::SymmetricAddress target,
                      const StridedShape& shape, const memory::SymmetricAddress* reply) override;
  Request* get_blocks(int from, memory::SymmetricAddress source, void* target,
                      const StridedShape& shape) override;
  void progress() override;
  void set_background(Background* background) noexcept override;
  threads::Doorbell& doorbell() noexcept override { return doorbell_; }
  void about_to_sleep() noexcept override;
  Node& node() noexcept override;

  /// A message from another node process. Any thread.
  void push_inbox(InboxMessage message);
  /// Such a message, straight to its receive or the queues, which copy the data; false when another thread
  /// has the lock or older messages wait in the inbox. Only inside (see Wire).
  bool deliver_at_once(const Arrival& arrival);
  /// For messages that have come together, one behind the other, as deliver_at_once: false when another
  /// thread has the lock or older messages wait in the inbox; else the caller has the lock, and gives it back
  /// with end_delivery. Only inside.
  bool begin_delivery();
  /// In between: a short standard message to the receive that waits for it, in few instructions; false when
  /// none does.
  bool deliver_to_receive(int source, const InRing& message);
  /// In between: any message.
  void deliver_in_turn(const Arrival& arrival) { deliver(arrival, nullptr); }
  void end_delivery();
  /// The receive for such a message, its status set; null when deliver_at_once would be false, or when none
  /// waits. Only inside.
  Request* match_at_once(const Arrival& arrival);

  /// So many ranks of the node process may send from now on.
  void set_senders(int ranks) noexcept { active_.set_senders(ranks); }

  /// See Node::remove_rank.
  bool leave();

  /// The equations of what the rank's lock guards: queues, requests, and its side of every channel. Contract
  /// builds check them now and then, and when the node process ends. No side of a channel may have been
  /// destroyed.
  void check_invariants();

 private:
  void announce_put(LocalEndpoint& peer, const memory::SymmetricAddress* reply);
  void check_locked();
  void expect_rank(int rank) const;
  void expect_send(int destination, int tag, const Data& data) const;
  void expect_receive(int source, int tag) const;
  static void expect_space(const Space& space) {
    expect(space.bytes == 0 || space.address != nullptr || space.layout != nullptr,
           "a space for bytes has an address or a layout");
  }
  Request* take_request(Context context);
  bool awaits_data() const noexcept { return awaited_.load(std::memory_order_acquire) != 0; }
  Channel& channel_to(LocalEndpoint& peer) {
    Channel* channel = outgoing_[static_cast<unsigned>(peer.local_index_)];
    return channel != nullptr ? *channel : new_channel_to(peer);
  }
  Channel& new_channel_to(LocalEndpoint& peer);
  bool put_letter(LocalEndpoint& peer, Context context, int tag, const Data& data) noexcept;
  void notice_from(int peer_index) noexcept;
  void wake_for(int peer_index) noexcept;
  int turns_to_watch(const LocalEndpoint* partner) noexcept;
  bool wait_briefly(const Request& request) const noexcept;
  bool deliver_to_itself(Context context, int tag, const Data& data);
  bool push_inline(LocalEndpoint& peer, Context context, int tag, const Data& data, bool in_stream);
  bool push_eager(LocalEndpoint& peer, Context context, int tag, const Data& data);
  void send_any(LocalEndpoint* peer, int destination, Context context, int tag, const Data& data,
                SendMode mode);
  void announce(LocalEndpoint& peer, Context context, int tag, const Data& data, SendMode mode,
                Request* request);
  bool start_receive(Request* receive, int source, Context context, int tag, const Space& space);

  bool receive_directly(LocalEndpoint& peer, Context context, int tag, const Space& space, Status* status);
  bool receive_from_afar(int source, Context context, int tag, const Space& space, Status* status);

  void take(Request* request, Status* status);
  void await_patiently(Request& request);
  void await_done(Request& request);
  bool spin_until_done(const Request& request, int most_spins);
  bool may_come_from_afar(const Request& request) const noexcept;
  bool drive_until_done(const Request& request, int most_spins);
  void run_background();
  Message* announced_by(const Request& sender, int sender_index);
  bool withdraw_send(const Request& sender, int sender_index);
  void buffer_send(const Request& sender, int sender_index);

  void drain();
  void drain_channels();
  int drain(Channel& channel);
  void drain_channel_of(int peer_index);
  void drain_inbox();
  void drain_mailbox();
  void withdraw_sent_there(const Arrival& withdrawal);
  void retire_silent_channels();
  void deliver(Channel& channel, const InRing& message);
  void deliver(const Arrival& arrival, std::unique_ptr<std::byte[]> owned);
  void keep_unexpected(const Arrival& arrival, std::unique_ptr<std::byte[]> owned);
  static void buffer(Message& message);
  static void set_status(Request& receive, const Arrival& arrival) noexcept;
  static void finish_receive(Request* receive, int source, const InRing& message);
  void finish_receive(Request* receive, const Arrival& arrival);
  void copy_announced(const Space& space, const Data& data, std::size_t bytes, const Request& sender);
  void complete_send(const Arrival& arrival) noexcept;
  void poll_link_in_turn();

  std::atomic<std::uint64_t>& bits_of(int peer_index) noexcept {
    return active_[static_cast<unsigned>(peer_index) / 64];
  }
  static std::uint64_t bit_of(int peer_index) noexcept { return std::uint64_t{1} << (peer_index % 64); }

  NodeProcess& node_;
  const int rank_;
  const int local_index_;
  const std::size_t pushed_inline_bytes_;  // short standard sends up to here take the shortest way
  const std::size_t pushed_stream_bytes_;  // other non-blocking ones up to here are pushed

  // Read and written by other ranks.
  ActiveChannels active_;                            // senders whose channels may hold messages
  const std::span<std::atomic<Channel*>> incoming_;  // by sender; null until one is needed
  alignas(64) threads::Doorbell doorbell_;
  SpinLock inbox_lock_;
  std::vector<InboxMessage> inbox_;  // guarded by inbox_lock_
  std::atomic<bool> inbox_filled_{false};
  std::atomic<Background*> background_{nullptr};
  std::atomic<bool> in_background_{false};
  std::atomic<bool> background_missed_{false};  // a thread was turned away meanwhile
  Placement placement_;

  HelpWanted help_wanted_;
  Mailbox mailbox_;

  // The rank's own; guarded by lock_.
  alignas(64) BiasedLock lock_;
  const std::span<Channel*> outgoing_;     // by receiver; null until one is needed
  const std::span<std::uint8_t> letters_;  // sent, by receiver
  RingMemory rings_;
  std::vector<std::unique_ptr<Channel>> channels_;  // those of outgoing_
  MatchQueues queues_;
  RequestStore requests_;
  Request sent_;                 // stands for all sends that were complete when isend returned
  std::atomic<int> awaited_{0};  // receives of irecv_into that have their messages, but not the data
  // Since silent channels were last looked for.
  std::uint32_t polls_ = 0;
  std::uint32_t looks_in_vain_ = 0;  // into channels that were empty
  std::atomic<std::uint32_t> turns_{0};
};

}  // namespace taihu::message
