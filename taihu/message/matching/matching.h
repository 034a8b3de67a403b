// SPDX-License-Identifier: Apache-2.0
// The matching queues of one rank, with MPI's rules: a message goes to the earliest posted receive that
// admits it, a receive takes the earliest message that it admits, messages of one source and context never
// overtake each other.
//
// Receives that name their source and all messages are found through buckets by (source, context); receives
// from any source have a queue of their own, and messages a second one in order of arrival for them. A
// receive that is posted while there is no other stays out of all of them until a second one comes.
// What always holds: `check_invariants` (matching_invariants.cc).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "taihu/base/contract.h"
#include "taihu/message/matching/chain.h"
#include "taihu/message/matching/landing.h"
#include "taihu/message/matching/request.h"

namespace taihu::message {

/// A message as its receiver sees it.
struct Arrival {
  enum class Kind : std::uint8_t {
    here,             ///< all data are at `data`
    announced_here,   ///< data are in the buffer of a rank of this process; `sender` completes when they are
                      ///< copied
    announced_there,  ///< data are in node process `process`, which waits to be asked for `transfer`
    landing,          ///< data come to `landing`, or are there already
    withdrawal,       ///< no message: node process `process` takes back the one that `initiator` has sent
  };
  Kind kind = Kind::here;
  int source = any_rank;
  int tag = any_tag;
  Context context = 0;
  std::size_t bytes = 0;
  const std::byte* data = nullptr;
  const Layout* layout = nullptr;  ///< of the data, when they are announced here
  Request* sender = nullptr;
  Landing* landing = nullptr;
  int process = -1;             ///< where it came from when that is another node process
  std::uint64_t transfer = 0;   ///< data are here and this is not 0: the process waits to hear of the match
  std::uint64_t initiator = 0;  ///< names the send at that process, as long as it waits for a match
  bool in_pieces = false;       ///< the data come in pieces, because they are laid out there
};

/// A message that no receive waited for. Owns its data when they are here. Stays where it is.
struct Message : Arrival {
  explicit Message(const Arrival& arrival) : Arrival(arrival) {}
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  /// Memory for its data: in itself where they are short.
  std::byte* own_data() {
    if (bytes <= sizeof short_data) return short_data;
    owned = std::make_unique_for_overwrite<std::byte[]>(bytes);
    return owned.get();
  }
  std::unique_ptr<std::byte[]> owned;
  std::byte short_data[40];
  Neighbours<Message> in_bucket;
  Neighbours<Message> in_order;
};

inline bool admits(int wanted_source, Context wanted_context, int wanted_tag, int source, Context context,
                   int tag) noexcept {
  return wanted_context == context && (wanted_source == any_rank || wanted_source == source) &&
         (wanted_tag == any_tag || wanted_tag == tag);
}
inline bool admits(const Request& receive, int source, Context context, int tag) noexcept {
  return admits(receive.source, receive.context, receive.tag, source, context, tag);
}

class MatchQueues {
 public:
  ~MatchQueues();

  /// The earliest posted receive that admits a message, taken out of the queues; null when there is none.
  Request* take_posted(int source, Context context, int tag) noexcept {
    if (chained_ == 0) {
      Request* receive = sole_;
      if (receive == nullptr || !admits(*receive, source, context, tag)) return nullptr;
      sole_ = nullptr;
      receive->is_posted = false;
      return receive;
    }
    // In streams it is the first one of its bucket.
    Posted& named = posted_[bucket(source, context)];
    Request* receive = named.first();
    if (receive == nullptr || posted_any_.first() != nullptr || !admits(*receive, source, context, tag))
        [[unlikely]]
      return take_chained(source, context, tag);
    receive->is_posted = false;
    named.remove_first();
    --chained_;
    return receive;
  }
  /// Puts a receive behind all others.
  void post(Request* receive) noexcept {
    expect(!receive->is_posted, "a receive is posted once");
    receive->posted_at = posts_++;
    receive->is_posted = true;
    if (chained_ == 0 && sole_ == nullptr) {
      sole_ = receive;
      return;
    }
    if (sole_ != nullptr) append(std::exchange(sole_, nullptr));
    append(receive);
  }
  /// Takes a posted receive out; false when it is not (any more) in the queues.
  bool withdraw(Request* receive) noexcept;

  bool has_posted() const noexcept { return sole_ != nullptr || chained_ != 0; }
  /// Whether a receive is posted in `context`. Looks at all of them.
  bool has_posted(Context context) const noexcept;

  /// The earliest message that a receive admits; null when there is none.
  Message* find(int source, Context context, int tag) const noexcept {
    return in_order_.first() == nullptr ? nullptr : search(source, context, tag);
  }
  /// No receive is posted and no message kept.
  bool is_empty() const noexcept { return sole_ == nullptr && chained_ == 0 && in_order_.first() == nullptr; }

  /// The message that announces the data of `sender`; null when it is not in the queues.
  Message* find_of(const Request* sender, int source, Context context) const noexcept;
  /// The message whose send another process calls `initiator`; null when it is not in the queues.
  Message* find_sent_by(std::uint64_t initiator, int source, Context context) const noexcept;
  /// Takes a message out of the queues; the caller owns it now.
  std::unique_ptr<Message> take(Message* message) noexcept;
  /// Puts a message behind all others; takes ownership.
  void keep(std::unique_ptr<Message> message) noexcept;

  /// Calls `use(message)` for each message, oldest first; it may take that one.
  template <class Use>
  void for_each_message(Use&& use) {
    for (Message* message = in_order_.first(); message != nullptr;) {
      Message* const next = message->in_order.next;
      use(*message);
      message = next;
    }
  }

  /// The equations of all queues. Contract builds check them now and then (LocalEndpoint::check_invariants).
  void check_invariants() const;

 private:
  static constexpr std::size_t buckets = 64;
  static std::size_t bucket(int source, Context context) noexcept {
    // Multiplicative hashing: the upper bits depend on all bits of both.
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;
    const auto from = static_cast<std::uint32_t>(source);
    return static_cast<std::size_t>(((context ^ from * golden) * golden) >> 58);
  }
  using Posted = Chain<Request, &Request::in_queue>;

  Posted& posted_for(const Request* receive) noexcept {
    return receive->source == any_rank ? posted_any_ : posted_[bucket(receive->source, receive->context)];
  }
  void append(Request* receive) noexcept {
    posted_for(receive).append(receive);
    ++chained_;
  }
  Request* take_chained(int source, Context context, int tag) noexcept;
  Message* search(int source, Context context, int tag) const noexcept;
  void check_posted(const Request* receive) const;
  std::size_t checked_chain(const Posted& chain) const;

  Request* sole_ = nullptr;  // the only posted receive, while there is just one; in no chain then
  std::size_t chained_ = 0;  // posted receives in chains
  std::array<Posted, buckets> posted_;
  Posted posted_any_;
  std::uint64_t posts_ = 0;
  std::array<Chain<Message, &Message::in_bucket>, buckets> unexpected_;
  Chain<Message, &Message::in_order> in_order_;
};

}  // namespace taihu::message
