// SPDX-License-Identifier: Apache-2.0
// The matching queues of one rank, with MPI's rules: a message goes to the earliest posted receive that
// admits it, a receive takes the earliest message that it admits, messages of one source and context never
// overtake each other.
//
// Receives that name their source and all messages are found through buckets by (source, context); receives
// from any source have a queue of their own, and messages a second one in order of arrival for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "taihu/message/chain.h"
#include "taihu/message/request.h"

namespace taihu::message {

/// A message as its receiver sees it.
struct Arrival {
  enum class Kind : std::uint8_t {
    here,             ///< all data are at `data`
    announced_here,   ///< data are in the buffer of a rank of this process; `sender` completes when they are
                      ///< copied
    announced_there,  ///< data are in node process `process`, which waits to be asked for `transfer`
  };
  Kind kind = Kind::here;
  int source = any_rank;
  int tag = any_tag;
  Context context = 0;
  std::size_t bytes = 0;
  const std::byte* data = nullptr;
  Request* sender = nullptr;
  int process = -1;  ///< where it came from when that is another node process
  std::uint64_t transfer = 0;
};

/// A message that no receive waited for. Owns its data when they are here.
struct Unexpected : Arrival {
  explicit Unexpected(const Arrival& arrival) : Arrival(arrival) {}
  std::unique_ptr<std::byte[]> owned;
  Neighbours<Unexpected> in_bucket;
  Neighbours<Unexpected> in_order;
};

class MatchQueues {
 public:
  ~MatchQueues();

  /// The earliest posted receive that admits a message, taken out of the queues; null when there is none.
  Request* take_posted(int source, Context context, int tag) noexcept;
  /// Puts a receive behind all others.
  void post(Request* receive) noexcept;

  /// The earliest message that a receive admits; null when there is none.
  Unexpected* find(int source, Context context, int tag) const noexcept;
  void take(Unexpected* message) noexcept;
  /// Puts a message behind all others; takes ownership.
  void keep(std::unique_ptr<Unexpected> message) noexcept;

 private:
  static constexpr std::size_t buckets = 64;
  static std::size_t bucket(int source, Context context) noexcept {
    return (static_cast<std::size_t>(source) + std::size_t{context} * 17) % buckets;
  }
  using Posted = Chain<Request, &Request::in_queue>;

  std::array<Posted, buckets> posted_;
  Posted posted_any_;
  std::uint64_t posts_ = 0;
  std::array<Chain<Unexpected, &Unexpected::in_bucket>, buckets> unexpected_;
  Chain<Unexpected, &Unexpected::in_order> in_order_;
};

}  // namespace taihu::message
