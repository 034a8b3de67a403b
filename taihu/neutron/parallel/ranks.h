// SPDX-License-Identifier: Apache-2.0
// What a run needs from the other ranks. The library itself knows no message-passing library: programs pass a
// `Ranks` made from theirs (taihu/neutron/parallel/mpi_ranks.h), tests run alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "taihu/neutron/source/site.h"
#include "taihu/neutron/tally/exact_sum.h"

namespace taihu::neutron {

/// All calls are collective, block, and are made by one thread of each rank in the same order.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool is_root() const { return rank() == 0; }

  /// Sums over ranks. `add_to_root` leaves the values of other ranks undefined.
  virtual void add_everywhere(std::span<ExactSum> values) = 0;
  virtual void add_to_root(std::span<ExactSum> values) = 0;
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
};

/// One rank, no messages.
class SingleRank final : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void add_everywhere(std::span<ExactSum>) override {}
  void add_to_root(std::span<ExactSum>) override {}
  void add_everywhere(std::span<std::int64_t>) override {}
  std::vector<std::int64_t> all(std::int64_t value) override { return {value}; }
  std::vector<Site> exchange(std::span<const Site> sites, std::span<const std::int64_t>) override {
    return {sites.begin(), sites.end()};
  }
  std::vector<Site> gather(std::span<const Site> sites) override { return {sites.begin(), sites.end()}; }
  void broadcast(void*, std::size_t) override {}
};

}  // namespace taihu::neutron
