// SPDX-License-Identifier: Apache-2.0
// Collectives as lists of steps over messages: for what goes on in the background, and for groups that do not
// share the memory of a node process.
//
// A schedule is a row of rounds. In a round transfers are started and local steps are done, in the order in
// which they were added; the next round begins when all transfers of this one are complete. All messages of a
// schedule have one tag: two between the same pair of ranks are received in the order of their sending.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "taihu/message/endpoint.h"
#include "taihu/mpi/collective_calls/operation.h"
#include "taihu/mpi/collective_calls/piece.h"
#include "taihu/mpi/datatype/typed_layout.h"

namespace taihu::mpi {

class Schedule {
 public:
  Schedule(message::Endpoint& endpoint, message::Context context) : endpoint_(endpoint), context_(context) {}
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  // Making one. Peers are ranks of the job; memory must stay until the schedule is complete.

  /// A buffer as the message layer sees it; the schedule keeps its type alive.
  message::Data data(const Piece& buffer);
  message::Space space(const Piece& buffer);
  /// Memory that lives as long as the schedule, aligned for any type.
  std::byte* scratch(std::size_t bytes);
  /// The operation of `reduce`.
  const Reducer& use(Operation& operation, Datatype& type) { return reducer_.emplace(operation, type); }

  void send(int peer, const message::Data& data);
  /// All of `space`; errors when it runs: MPI_ERR_TRUNCATE if more comes, MPI_ERR_COUNT if less. From then on
  /// this member sends nothing but empty messages: so whoever depends on its data sees the error as well.
  void receive(int peer, const message::Space& space);
  /// As many bytes as `source` has; error MPI_ERR_TRUNCATE, when it runs, if `target` has less room.
  void copy(const message::Space& target, const message::Data& source);
  /// inout = in (op) inout.
  void reduce(const void* in, void* inout, std::size_t count);
  /// Anything else that does not wait; returns an error class.
  void work(std::function<int()> work) {
    steps_.push_back({Step::Kind::work, static_cast<int>(works_.size())});
    works_.push_back(std::move(work));
  }
  /// What is added from now on waits for all that was added before.
  void end_round() { steps_.push_back({Step::Kind::end_round}); }

  /// Of all its messages; before it runs.
  void set_tag(int tag) noexcept { tag_ = tag; }

  // Running it; again and again if it is persistent. One thread at a time.

  void start() noexcept;
  /// Does what can be done without waiting; true when the schedule is complete.
  bool advance();
  message::Context context() const noexcept { return context_; }
  /// Of a complete one: an error class.
  int error() const noexcept { return error_; }

 private:
  struct Step {
    enum class Kind { send, receive, copy, reduce, work, end_round } kind;
    int peer = -1;  ///< of work: its number
    message::Data source{nullptr, 0};
    message::Space target{nullptr, 0};
  };

  void run(const Step& step);
  bool transfers_are_complete();

  message::Endpoint& endpoint_;
  const message::Context context_;
  int tag_ = 0;
  std::vector<Step> steps_;
  std::vector<std::function<int()>> works_;
  std::optional<Reducer> reducer_;
  std::vector<std::unique_ptr<TypedLayout>> layouts_;
  std::vector<std::unique_ptr<std::byte[]>> scratch_;

  /// What a receive must bring; 0: anything, as with a send.
  struct Transfer {
    message::Request* request;
    std::size_t expected_bytes;
  };

  std::size_t next_ = 0;
  std::vector<Transfer> transfers_;  ///< of the current round, not known to be complete
  int error_ = MPI_SUCCESS;
};

}  // namespace taihu::mpi
