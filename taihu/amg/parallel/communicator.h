// SPDX-License-Identifier: Apache-2.0
// The ranks among which a matrix is distributed. The solver sees only this interface, so that its library
// does not depend on the binary interface of one MPI: mpi_communicator.cc, which includes plain <mpi.h>, is
// compiled once for each (mpicc of any MPI, mac++). A program without MPI uses a SoloCommunicator. All calls
// are collective unless said otherwise and are made by one thread of each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taihu::amg {

class Communicator {
 public:
  using Bytes = std::vector<std::byte>;

  /// A message of an exchange: `bytes` bytes at `data` to or from rank `peer`.
  struct Message {
    int peer;
    void* data;
    std::size_t bytes;
  };

  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Element-wise sums and maxima over all ranks, in place.
  virtual void sum(std::span<std::int64_t> values) = 0;
  virtual void maximum(std::span<double> values) = 0;

  /// The bytes of all ranks, by rank.
  virtual std::vector<Bytes> all_gather(const Bytes& mine) = 0;

  /// Sends to_rank[r] to rank r; returns what each rank sent to the caller.
  virtual std::vector<Bytes> all_to_all(const std::vector<Bytes>& to_rank) = 0;

  /// Starts sending and receiving; the data belongs to the exchange until finish(). Not collective: what a
  /// rank sends another one must expect. One exchange at a time.
  virtual void start(std::span<const Message> sends, std::span<const Message> receives) = 0;
  virtual void finish() = 0;
};

/// One rank.
class SoloCommunicator final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void sum(std::span<std::int64_t>) override {}
  void maximum(std::span<double>) override {}
  std::vector<Bytes> all_gather(const Bytes& mine) override { return {mine}; }
  std::vector<Bytes> all_to_all(const std::vector<Bytes>& to_rank) override { return to_rank; }
  void start(std::span<const Message>, std::span<const Message>) override {}
  void finish() override {}
};

}  // namespace taihu::amg
