// SPDX-License-Identifier: Apache-2.0
// What a run needs from the other ranks. The library itself knows no message-passing library: programs pass a
// `Ranks` made from theirs (taihu/neutron/parallel/mpi_ranks.h), tests run alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "taihu/neutron/source/site.h"
#include "taihu/neutron/tally/exact_sum.h"

namespace taihu::neutron {

using Bytes = std::vector<std::byte>;

/// What a message is for. Messages of one kind between two ranks arrive in the order in which they were sent.
enum class MessageKind { exchange = 1, transport = 2, scores = 3 };

struct Message {
  int from = -1;
  Bytes data;
};

constexpr int any_rank = -1;

/// Calls are made by one thread of each rank. All but `post` and `take` are collective, block, and are made
/// by all ranks in the same order.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool is_root() const { return rank() == 0; }

  /// Sums over ranks.
  virtual void add_everywhere(std::span<ExactSum> values) = 0;
  virtual void add_everywhere(std::span<std::int64_t> values) = 0;

  /// The value of each rank, by rank.
  virtual std::vector<std::int64_t> all(std::int64_t value) = 0;

  /// Sends counts[r] sites to rank r, taken from `sites` in order of rank; returns what was sent here, in
  /// order of rank.
  virtual std::vector<Site> exchange(std::span<const Site> sites, std::span<const std::int64_t> counts) = 0;

  /// All sites on the root, in order of rank; empty elsewhere.
  virtual std::vector<Site> gather(std::span<const Site> sites) = 0;

  /// The root's bytes on every rank.
  virtual void broadcast(void* data, std::size_t bytes) = 0;

  /// Sends less than 2^31 bytes, and at least one, to a rank, perhaps this one. Returns at once.
  virtual void post(int to, MessageKind kind, Bytes data) = 0;

  /// Takes the next message of a kind from a rank or from any_rank. False: none is there; with `wait` it
  /// stays until one is.
  virtual bool take(MessageKind kind, int from, bool wait, Message& message) = 0;
};

/// One rank, no messages.
class SingleRank final : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void add_everywhere(std::span<ExactSum>) override {}
  void add_everywhere(std::span<std::int64_t>) override {}
  std::vector<std::int64_t> all(std::int64_t value) override { return {value}; }
  std::vector<Site> exchange(std::span<const Site> sites, std::span<const std::int64_t>) override {
    return {sites.begin(), sites.end()};
  }
  std::vector<Site> gather(std::span<const Site> sites) override { return {sites.begin(), sites.end()}; }
  void broadcast(void*, std::size_t) override {}
  void post(int, MessageKind kind, Bytes data) override { mail_.emplace_back(kind, std::move(data)); }
  bool take(MessageKind kind, int, bool, Message& message) override {
    for (auto letter = mail_.begin(); letter != mail_.end(); ++letter) {
      if (letter->first != kind) continue;
      message = {0, std::move(letter->second)};
      mail_.erase(letter);
      return true;
    }
    return false;
  }

 private:
  std::deque<std::pair<MessageKind, Bytes>> mail_;
};

}  // namespace taihu::neutron
