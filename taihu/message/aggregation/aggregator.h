// SPDX-License-Identifier: Apache-2.0
// Many small one-sided operations as few messages: those for ranks of one other node process gather in a
// buffer, which travels as one call of a service when it is full, at a flush, when the rank waits, or, while
// the rank computes, when the progress thread finds that it has grown old. The handler there carries all of
// them out and answers with what gets and fetches have read. Operations on ranks of this node process are
// done at once. So are those that callers carry out themselves, in memory of another node process that they
// have mapped: what leaves of these is that the rank is to look at it.
//
// Model: the exstack and conveyors of the bale library (Maley, DeVinney: Conveyors for streaming many-to-many
// communication, IA3 2019), without their collective steps: the target need not take part.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "taihu/memory/symmetric.h"
#include "taihu/message/endpoint.h"
#include "taihu/message/locks/biased_lock.h"

namespace taihu::message {

/// Carries out what aggregators of other node processes send. Once per node process, before its ranks run;
/// `symmetric` must live as long as `node`.
void serve_aggregators(Node& node, const memory::SymmetricMap& symmetric);

/// Has the progress thread of `node` call `look`, which must not wait, every few milliseconds until the node
/// has finished; when this is the only node process, nobody does. Any thread.
void look_now_and_then(Node& node, std::function<void()> look);

/// Used by one thread at a time, apart from send_aged. Operations are in no order among each other until a
/// flush; results are where they shall be after it. Operations of more than a quarter of the buffer go on
/// their own.
class Aggregator {
 public:
  static constexpr std::size_t usual_buffer_bytes = 16 * 1024;
  static constexpr std::size_t least_buffer_bytes = 256;

  /// For operations of the rank of `endpoint`. `buffer_bytes`: for each other node process, at least
  /// least_buffer_bytes. All must outlive the aggregator.
  Aggregator(Endpoint& endpoint, const memory::SymmetricMap& symmetric, std::size_t buffer_bytes);
  /// Flush first.
  ~Aggregator();
  Aggregator(const Aggregator&) = delete;
  Aggregator& operator=(const Aggregator&) = delete;

  /// The data have been taken when this returns. May wait for buffers on their way, as all operations.
  void put(int destination, const void* source, memory::SymmetricAddress target, std::size_t bytes);
  /// `target` is filled after a flush.
  void get(int from, memory::SymmetricAddress source, void* target, std::size_t bytes);
  /// Adds atomically to the aligned 64-bit number at `target`. `before`, when not null, has its former value
  /// after a flush.
  void add(int destination, memory::SymmetricAddress target, std::int64_t value, std::int64_t* before);
  /// The caller has changed memory of `destination`, a rank of another node process, itself (see
  /// Endpoint::may_reach_there). The rank learns of it when buffers leave, or after some hundred such calls.
  void tell_later(int destination);

  /// Sends all buffers and waits until everything is done at its target and results are here.
  void flush();
  /// Sends all buffers, and does not wait. For a turn of waiting; does nothing inside of other calls.
  void send_all();
  /// Sends what has been in a buffer since the call before, as far as nobody has to wait for it. For a thread
  /// that looks at all aggregators now and then; one at a time.
  void send_aged();

  /// Buffers sent so far: tells tests what was gathered.
  std::uint64_t buffers_sent() const noexcept { return sent_.load(std::memory_order_relaxed); }

 private:
  enum class Kind : std::uint32_t { put, get, add, fetch_add };
  /// Of an operation in a buffer; data of a put, the number of an add follow.
  struct Record {
    std::uint64_t place;  ///< segment in the upper 16 bits, offset
    std::int32_t local_index;
    std::uint32_t bytes_and_kind;
  };
  struct Result {
    void* target;
    std::size_t bytes;
  };
  /// Guarded by lock_, but for what the thread that looks at ages reads without it.
  struct Buffer {
    std::vector<std::byte> data;
    std::vector<Result> results;
    std::size_t result_bytes = 0;
    std::vector<std::int32_t> untold;     ///< ranks that are to look at their memory, each once
    int changes = 0;                      ///< of which they have not been told
    std::atomic<std::uint32_t> turns{0};  ///< grows when there is something to send and when it is sent: odd
                                          ///< in between
    std::uint32_t turns_seen = 0;         ///< by send_aged

    bool is_empty() const noexcept { return data.empty() && untold.empty(); }
    void begin_turn() noexcept {
      turns.store(turns.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
  };
  class Inside;

  bool is_here(int rank) const noexcept {
    return process_of_rank_[static_cast<unsigned>(rank)] == own_process_;
  }
  /// Room for a record with `data_bytes` behind it, for an answer of `result_bytes`; returns where the data
  /// go.
  std::byte* append(Kind kind, int rank, memory::SymmetricAddress place, std::size_t bytes,
                    std::size_t data_bytes, void* result);
  std::byte* append_record(Kind kind, int rank, memory::SymmetricAddress place, std::size_t bytes,
                           std::size_t data_bytes);
  void tell(int process);
  void send(int process);
  void wait_for_large(Request* request);

  friend void serve_aggregators(Node& node, const memory::SymmetricMap& symmetric);
  static std::vector<std::byte> carry_out(const std::vector<std::byte>& records,
                                          const memory::SymmetricMap& symmetric, Node& node);
  static constexpr unsigned kind_bits = 2;
  static constexpr unsigned offset_bits = 48;

  Endpoint& endpoint_;
  const memory::SymmetricMap& symmetric_;
  const std::size_t buffer_bytes_;
  const int own_process_;
  std::vector<std::int32_t> process_of_rank_;
  std::vector<Buffer> buffers_;  // by process
  std::vector<bool> is_untold_;  // by rank: whether it is in Buffer::untold
  std::vector<Request*> large_;  // operations that go on their own
  std::atomic<int> under_way_{0};
  std::atomic<std::uint64_t> sent_{0};
  BiasedLock lock_;
  bool is_inside_ = false;  ///< the user's thread is in an operation
};

}  // namespace taihu::message
