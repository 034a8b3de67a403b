// SPDX-License-Identifier: Apache-2.0
// Envelopes and bulk data between node processes, over a Link.
//
// An envelope has a header and up to `eager_payload_bytes` of payload. Envelopes of two processes stay in
// order. Data may follow an envelope as a transfer of the link; they are received in the order of the
// envelopes. More data than that travel in bulk: the receiver says where they shall land and under which tag,
// the sender sends them from where they are. Tags of bulk data are chosen by the receiver and unique among
// its transfers under way.
//
// The link belongs to one thread at a time: whoever enters (without waiting) does the work of all. What is
// submitted while another thread is inside is done by that thread, at the latest on its way out: it says that
// it leaves and then looks for submissions, without a fence; who submits and finds somebody inside pays for
// both with the barrier of a Doorbell before it believes that.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "taihu/base/contract.h"
#include "taihu/memory/symmetric.h"
#include "taihu/message/endpoint.h"
#include "taihu/message/link.h"
#include "taihu/message/locks/biased_lock.h"
#include "taihu/message/locks/spin_lock.h"

namespace taihu::message {

inline constexpr std::size_t eager_payload_bytes = 16 * 1024;

/// What an envelope says. See remote.cc for the meaning of each.
enum class EnvelopeKind : std::uint8_t {
  message,
  plain_message,
  followed_message,
  put,
  followed_put,
  put_done,
  put_blocks,
  get,
  get_blocks,
  call,
  answer,
  clear_to_send,
  cancel,
  withdrawn,
  credit,
  finished,
  all_finished,
};

/// Same layout on all node processes of a job: one program on one kind of machine.
struct Header {
  EnvelopeKind kind{};
  bool announced = false;  ///< the payload comes in bulk when asked for with `transfer`
  bool has_reply = false;
  bool in_pieces = false;    ///< the announced data are laid out; they are wanted in pieces (see bulk.h)
  std::int32_t source = -1;  ///< ranks
  std::int32_t destination = -1;
  std::int32_t tag = 0;
  Context context = 0;
  // Up to here is all that travels of a plain_message, and one field more of a followed_message: a cache line
  // less is a shorter way.
  std::uint64_t bytes = 0;    ///< of the payload; of the data wanted or granted
  std::int32_t data_tag = 0;  ///< of the bulk data that the sender of this envelope expects
  std::uint16_t service = 0;
  std::uint64_t initiator = 0;  ///< handed back in the answer
  std::uint64_t transfer = 0;   ///< names announced data at the process that has them
  memory::SymmetricAddress target;
  memory::SymmetricAddress reply;
};

inline constexpr std::size_t plain_header_bytes = offsetof(Header, bytes);
inline constexpr std::size_t followed_header_bytes = plain_header_bytes + sizeof(Header::bytes);

/// What travels of the header.
constexpr std::size_t header_bytes(EnvelopeKind kind) {
  switch (kind) {
    case EnvelopeKind::plain_message:
      return plain_header_bytes;
    case EnvelopeKind::followed_message:
      return followed_header_bytes;
    default:
      return sizeof(Header);
  }
}

/// An envelope to send, and the data that follow it or that it asks for.
struct Outgoing {
  int process = -1;
  Header header;
  const void* payload = nullptr;  ///< unchanged until `posted` is complete; or `owned`
  std::size_t payload_bytes = 0;
  const Layout* layout = nullptr;  ///< of the payload
  std::vector<std::byte> owned;
  Request* posted = nullptr;        ///< completed when the payload has been copied
  const void* following = nullptr;  ///< data to send right behind the envelope
  std::size_t following_bytes = 0;
  Request* followed = nullptr;  ///< completed when they have been sent; may be null
  void* landing = nullptr;      ///< where bulk data shall land; Wire chooses header.data_tag
  std::size_t landing_bytes = 0;
  std::function<void()> landed;  ///< called when they have; at once when there are none
  /// Instead of `landing`: called inside with the chosen tag, to receive with receive_bulk and to give the
  /// tag back with release_tag.
  std::function<void(int tag)> expect;
};

/// What came of Wire::tally.
enum class Counting : std::uint8_t {
  told,     ///< the other process will know
  busy,     ///< nothing has happened: another thread is inside, most times for some looks only
  not_now,  ///< nothing has happened: older envelopes wait, or the link cannot; so it stays for a while
};

class Wire final : private EnvelopeReader {
 public:
  /// `arrived(process, header, payload)` runs for every envelope, on the thread that is inside; it may submit
  /// and send_bulk, and must call receive_following when data follow the envelope.
  using Arrived = std::function<void(int process, const Header& header, const std::byte* payload)>;

  /// Runs inside when another process has counted (see Link::tally).
  using Counted = std::function<void(int process, const Tally& tally, std::uint64_t times)>;

  /// `before_leaving` runs inside, on the way out of who has called call_before_leaving since;
  /// `after_reading` runs inside when the link has handed over what had come, if call_after_reading was
  /// called meanwhile.
  Wire(Link& link, Arrived arrived, std::function<void()> before_leaving = nullptr, Counted counted = nullptr,
       std::function<void()> after_reading = nullptr);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// Sends in order of submission. Any thread; never blocks.
  void submit(Outgoing outgoing);

  /// Sends an envelope that asks for no bulk data before it returns: true, and its payload has been taken.
  /// False, and nothing has happened, when another thread is inside, older envelopes wait, or `admit()` says
  /// no. `admit` and, when it is sent, `sent` are called inside. Any thread; never blocks.
  template <class Admit, class Sent>
  bool send_now(int process, const Header& header, const Data& payload, Admit&& admit, Sent&& sent) {
    expect_process(process);
    if (!try_enter()) return false;
    if (submissions_.load(std::memory_order_relaxed) != 0 || backlog_size_ != 0) {
      take_submissions();
      post_backlog();
    }
    const bool is_sent = backlog_[static_cast<std::size_t>(process)].empty() && admit() &&
                         link_.send_envelope(process, &header, header_bytes(header.kind), payload);
    if (is_sent) sent();
    leave();
    return is_sent;
  }

  /// Counts before it returns, if it can. Any thread; never blocks.
  Counting tally(int process, const Tally& tally) {
    expect_process(process);
    if (!try_enter()) return Counting::busy;
    const bool is_told = submissions_.load(std::memory_order_relaxed) == 0 &&
                         backlog_[static_cast<std::size_t>(process)].empty() && link_.tally(process, tally);
    leave();
    return is_told ? Counting::told : Counting::not_now;
  }

  /// Only inside: as send_now; false also when submissions wait.
  bool send_inside(int process, const Header& header, const Data& payload) {
    expect_inside(process);
    return submissions_.load(std::memory_order_relaxed) == 0 &&
           backlog_[static_cast<std::size_t>(process)].empty() &&
           link_.send_envelope(process, &header, header_bytes(header.kind), payload);
  }

  /// Only inside: there is something to say that can wait until all that has arrived together is seen.
  void call_before_leaving() noexcept { has_more_to_say_ = true; }
  /// Only inside, from `arrived`: something is begun that ends behind the last of what has arrived together,
  /// before other callbacks run.
  void call_after_reading() noexcept {
    expect(after_reading_ != nullptr, "there is something to call after reading");
    ends_reading_ = true;
  }

  /// Only inside (from `arrived` and from callbacks): sends data that the other side expects under `tag`.
  void send_bulk(int process, int tag, const void* data, std::size_t bytes, std::function<void()> sent);

  /// Only inside, from `arrived`: receives the data that follow the envelope. `landed` may run at once.
  void receive_following(int process, void* buffer, std::size_t bytes, std::function<void()> landed);

  /// Only inside: receives data under the tag that Outgoing::expect was given.
  void receive_bulk(int process, int tag, void* buffer, std::size_t bytes, std::function<void()> landed);
  void release_tag(int tag) {
    if constexpr (contracts_checked) expect(tags_in_use_.contains(tag), "a tag is released once");
    tags_in_use_.erase(tag);
  }

  /// Does what can be done now; true when something was done. Any thread; never blocks.
  bool poll() { return try_enter() && work(); }
  /// As poll, by the progress thread: the link is to be fast for the ranks.
  bool poll_as_guest() { return lock_.try_lock_as_guest() && entered() && work(); }

  /// Looks again and again, up to `turns` times, until `done()`; false when another thread is inside. Any
  /// thread.
  template <class Done>
  bool drive(int turns, Done&& done) {
    if (!try_enter()) return false;
    looks_.store(looks_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    driver_ = {&done,
               [](const void* of) { return (*static_cast<const std::remove_reference_t<Done>*>(of))(); }};
    for (int turn = 0; turn < turns && !done(); ++turn) {
      if (submissions_.load(std::memory_order_relaxed) != 0 || backlog_size_ != 0) {
        take_submissions();
        post_backlog();
      }
      const bool has_read = read_link(envelopes_driven_at_once);
      if (!under_way_.empty() && (!has_read || turn + 1 == turns)) finish_transfers();
      say_more();
    }
    driver_ = {};
    leave();
    return true;
  }

  /// For who waits for a plain message with this header: looks up to `turns` times at what `process` sends
  /// next, while `may_take()`. When it is that, `take(payload)` is called inside, in place of `arrived`.
  /// False also when another thread is inside, or something else has come or is to be done. Any thread; never
  /// blocks.
  template <class MayTake, class Take>
  bool take_next(int process, const Header& header, int turns, MayTake&& may_take, Take&& take) {
    expect_process(process);
    if (!try_enter()) return false;
    looks_.store(looks_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    Next next = Next::nothing;
    InPlace payload;
    for (; next == Next::nothing && turns > 0 && !has_work() && may_take(); --turns)
      next = link_.next_from(process, &header, plain_header_bytes, payload);
    if (next == Next::expected) {
      take(payload);
      link_.pop_next(process);
    }
    leave();
    return next == Next::expected;
  }

  /// Grows with every look.
  std::uint64_t looks() const noexcept { return looks_.load(std::memory_order_relaxed); }

  /// Whether the calling thread is inside.
  bool is_inside() const noexcept { return thread_inside_.load(std::memory_order_relaxed) == this_thread(); }

  /// Nothing submitted, queued or under way, apart from envelopes to come. Any thread, which must be the only
  /// one to submit.
  bool idle();

  /// Runs `act` with the link, waiting until it is free.
  template <class Act>
  void with_link(Act&& act) {
    enter();
    act(link_);
    leave();
  }
  /// As enter, but gives up after about `milliseconds` (a thread may have died inside).
  bool enter_within(int milliseconds) noexcept;

  /// The equations of what is submitted, waits and is under way. Only inside; contract builds check them when
  /// `poll` has done something.
  void check_invariants();

 private:
  static constexpr int first_data_tag = first_free_tag + 1;  ///< of bulk data

  struct Transfer {
    LinkRequest* request = nullptr;  ///< null: complete
    std::function<void()> done;
    Request* sent = nullptr;  ///< completed with the transfer
    int tag = 0;              ///< of expected bulk data, else 0
  };

  /// What `drive` waits for; nothing for a poll.
  struct Driver {
    const void* done = nullptr;
    bool (*is_done)(const void* done) = nullptr;
  };

  /// More than one: a rank that waits for several messages finds most of them here when it looks for the
  /// next.
  static constexpr int envelopes_driven_at_once = 32;

  using Thread = std::uintptr_t;
  static constexpr Thread nobody = 0;
  /// Different for all threads alive.
  static Thread this_thread() noexcept { return reinterpret_cast<Thread>(__builtin_thread_pointer()); }

  bool try_enter() noexcept { return lock_.try_lock() && entered(); }
  bool entered() noexcept {
    thread_inside_.store(this_thread(), std::memory_order_relaxed);
    return true;
  }
  /// Apart from what comes.
  bool has_work() const noexcept {
    return submissions_.load(std::memory_order_relaxed) != 0 || backlog_size_ != 0 || !under_way_.empty();
  }
  bool read_link(int most) {
    const bool has_read = link_.read(*this, most);
    if (ends_reading_) {
      ends_reading_ = false;
      after_reading_();
    }
    return has_read;
  }
  void say_more() {
    if (!has_more_to_say_) return;
    has_more_to_say_ = false;
    before_leaving_();
  }
  void leave() {
    say_more();
    thread_inside_.store(nobody, std::memory_order_relaxed);
    lock_.unlock();
    threads::light_barrier();
    if (submissions_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      look_behind();
  }
  void enter() noexcept;
  void expect_process(int process) const {
    expect(process >= 0 && static_cast<std::size_t>(process) < backlog_.size(),
           "0 <= process < processes of the link");
  }
  void expect_inside(int process) const {
    if constexpr (contracts_checked) expect(is_inside(), "the caller is inside");
    expect_process(process);
  }
  void expect_sendable(const Outgoing& outgoing) const;
  bool work();
  void look_behind();
  bool enter_behind_submission();

  bool post_at_once(Outgoing& outgoing);
  bool take_submissions();
  void post_backlog();
  bool can_post(const Outgoing& outgoing);
  void post(Outgoing& outgoing);
  void send_following(int process, const void* data, std::size_t bytes, Request* sent);
  int take_tag();
  void envelope(int process, const std::byte* head, const std::byte* payload, std::size_t bytes) override;
  void counted(int process, const Tally& tally, std::uint64_t times) override {
    counted_(process, tally, times);
  }
  bool wants_more() override { return driver_.is_done == nullptr || !driver_.is_done(driver_.done); }
  bool finish_transfers();

  Link& link_;
  const Arrived arrived_;
  const std::function<void()> before_leaving_;
  const Counted counted_;
  const std::function<void()> after_reading_;
  alignas(64) BiasedLock lock_;
  std::atomic<Thread> thread_inside_{nobody};  // set after the lock is taken, cleared before it is given back
  std::atomic<std::uint64_t> looks_{0};        // written inside

  SpinLock submitted_lock_;
  std::vector<Outgoing> submitted_;          // guarded by submitted_lock_
  std::atomic<std::size_t> submissions_{0};  // == submitted_.size()

  // Only the thread inside.
  bool has_more_to_say_ = false;
  bool ends_reading_ = false;
  Header plain_header_;  // of the plain message that has arrived last; what does not travel stays as it is
  Driver driver_;
  std::vector<std::deque<Outgoing>> backlog_;  // by process
  std::size_t backlog_size_ = 0;               // of all
  std::vector<int> held_up_;                   // processes with a backlog
  std::vector<Transfer> under_way_;
  std::size_t next_to_test_ = 0;
  int next_tag_ = 0;
  std::unordered_set<int> tags_in_use_;
};

}  // namespace taihu::message
