// SPDX-License-Identifier: Apache-2.0
// The ranks of a job. The applications see only this interface, so that their libraries do not depend on the
// binary interface of one MPI: mpi_communicator.cc, which includes plain <mpi.h>, is compiled once for each
// (mpicxx of any MPI, mac++). A program without MPI has one rank (solo_communicator.h); ranks that are
// threads of one process are for tests and benchmarks (thread_communicator.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "taihu/parallel/bytes.h"
#include "taihu/parallel/exact_sum.h"

namespace taihu::parallel {

/// What a message is for, a number below 1000 of the application's choice. Messages of one tag between two
/// ranks arrive in the order in which they were sent.
enum class Tag : int { pieces = 1000, exchange = 1001 };

struct Message {
  int from = -1;
  Bytes data;
};

inline constexpr int any_rank = -1;

/// Calls are made by one thread of each rank. All but those of the last two groups are collective: they block
/// and are made by all ranks in the same order. A failure of MPI itself ends the job.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool is_root() const { return rank() == 0; }

  /// Sums and maxima over all ranks, element by element, in place.
  virtual void sum(std::span<std::int64_t> values) = 0;
  virtual void sum(std::span<ExactSum<128>> values) = 0;
  virtual void maximum(std::span<double> values) = 0;

  /// The value of each rank, by rank.
  virtual std::vector<std::int64_t> all(std::int64_t value) = 0;

  /// The root's bytes on every rank.
  virtual void broadcast(void* data, std::size_t bytes) = 0;

  /// The bytes of all ranks, by rank.
  std::vector<Bytes> all_gather(const Bytes& mine);

  /// Sends to_rank[r] to rank r; returns what each rank sent to the caller. Less than 2^31 bytes in all on
  /// each rank; exchange_all() of messages.h is for more.
  std::vector<Bytes> all_to_all(const std::vector<Bytes>& to_rank);

  /// Sends counts[r] elements to rank r, taken from `elements` in order of rank; returns what was sent here,
  /// in order of rank.
  template <class T>
  std::vector<T> exchange(std::span<const T> elements, std::span<const std::int64_t> counts) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::vector<std::int64_t> incoming = exchange_counts(counts);
    std::vector<T> result(total(incoming));
    exchange_elements({elements.data(), counts}, {result.data(), incoming}, sizeof(T));
    return result;
  }

  /// A part of an exchange: `bytes` bytes at `data` to or from rank `peer`.
  struct Buffer {
    int peer;
    void* data;
    std::size_t bytes;
  };

  /// Starts sending and receiving; the buffers belong to the exchange until finish(). What a rank sends
  /// another one must expect, in as many bytes. One exchange at a time.
  virtual void start(std::span<const Buffer> sends, std::span<const Buffer> receives) = 0;
  virtual void finish() = 0;

  /// Sends less than 2^31 bytes, and at least one, to a rank, perhaps this one. Returns at once.
  virtual void post(int to, Tag tag, Bytes data) = 0;

  /// Takes the next message of a tag from a rank or from any_rank. False: none is there; with `wait` it stays
  /// until one is.
  virtual bool take(Tag tag, int from, bool wait, Message& message) = 0;

 protected:
  /// Elements for or from all ranks, one rank's behind the other's.
  struct Outgoing {
    const void* data;
    std::span<const std::int64_t> counts;
  };
  struct Incoming {
    void* data;
    std::span<const std::int64_t> counts;
  };
  static std::size_t total(std::span<const std::int64_t> counts);

 private:
  /// Sends counts[r] to rank r; returns what each rank sent to the caller.
  virtual std::vector<std::int64_t> exchange_counts(std::span<const std::int64_t> counts) = 0;
  virtual void exchange_elements(const Outgoing& out, const Incoming& in, std::size_t element_bytes) = 0;
  /// `mine` has in.counts[rank()] bytes.
  virtual void all_gather_bytes(const void* mine, const Incoming& in) = 0;
};

}  // namespace taihu::parallel
