// SPDX-License-Identifier: Apache-2.0
// The requests of non-blocking and persistent sends and receives.
#pragma once

#include "taihu/mpi/point_to_point/envelope.h"
#include "taihu/mpi/point_to_point/typed_buffer.h"
#include "taihu/mpi/request.h"

namespace taihu::mpi {

enum class Direction { send, receive };

/// A transfer of the message layer on behalf of the program.
class Transfer : public Request {
 public:
  /// The buffer is checked and kept; `begin` starts the transfer.
  Transfer(Rank& rank, Communicator& communicator, const void* address, int count, MPI_Datatype type,
           Direction direction)
      : buffer_(rank, address, count, type),
        communicator_(Reference<Communicator>::to(&communicator)),
        direction_(direction) {}

  bool is_complete(Rank& rank) override;
  void wait(Rank& rank) override;
  Outcome outcome(Rank&) override { return outcome_; }
  Outcome finish(Rank& rank) override;
  void cancel(Rank& rank) override;
  void abandon(Rank& rank) override;
  Communicator* communicator() noexcept override { return communicator_.get(); }

  const TypedBuffer& buffer() const noexcept { return buffer_; }
  /// Takes over a transfer that was started; null: complete already.
  void begin(message::Request* transfer, int peer, int tag) noexcept {
    transfer_ = transfer;
    peer_ = peer;
    tag_ = tag;
  }

 private:
  void note(const message::Status& status);

  TypedBuffer buffer_;
  Reference<Communicator> communicator_;
  const Direction direction_;
  message::Request* transfer_ = nullptr;  ///< null: complete
  int peer_ = -1, tag_ = -1;              ///< for reports
  message::Status status_;
  Outcome outcome_;
};

/// Releases the requests of `rank` that the program has freed and that are complete by now.
void release_abandoned(Rank& rank);

/// How a send is made complete (MPI-3.1 section 3.4).
enum class Sending { standard, buffered, synchronous, ready };

/// A send or receive that can be started again and again with the same arguments.
class PersistentTransfer final : public Transfer {
 public:
  PersistentTransfer(Rank& rank, Communicator& communicator, const void* address, int count,
                     MPI_Datatype type, Direction direction, Sending sending, int partner, int tag);
  void start(Rank& rank) override;
  bool is_complete(Rank& rank) override { return !active || Transfer::is_complete(rank); }
  void wait(Rank& rank) override {
    if (active) Transfer::wait(rank);
  }
  Outcome outcome(Rank& rank) override { return active ? Transfer::outcome(rank) : empty_status; }
  Outcome finish(Rank& rank) override;

 private:
  const Direction direction_;
  const Sending sending_;
  const int partner_;
  const int tag_;
};

/// Starts a send of `buffer` to rank `peer` of the job; null: it is complete already.
message::Request* start_send(Rank& rank, Communicator& communicator, const TypedBuffer& buffer, int peer,
                             int tag, Sending sending);

}  // namespace taihu::mpi
