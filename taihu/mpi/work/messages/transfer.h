// SPDX-License-Identifier: Apache-2.0
// The requests of non-blocking and persistent sends and receives.
#pragma once

#include <cstddef>
#include <new>

#include "taihu/message/matching/request.h"
#include "taihu/mpi/objects/request.h"
#include "taihu/mpi/work/messages/envelope.h"
#include "taihu/mpi/work/messages/spare_blocks.h"
#include "taihu/mpi/work/messages/typed_buffer.h"

namespace taihu::mpi::messages {

enum class Direction { send, receive };

/// A transfer of the message layer on behalf of the program.
class Transfer : public Request {
 public:
  /// The buffer is checked and kept; `begin` starts the transfer.
  Transfer(Rank& rank, Communicator& communicator, const void* address, MPI_Count count, MPI_Datatype type,
           Direction direction)
      : buffer_(rank, address, count, type), communicator_(&communicator), direction_(direction) {
    // MPI_COMM_WORLD and MPI_COMM_SELF stay without being counted.
    if (!communicator.predefined) communicator.retain();
  }
  ~Transfer() override {
    if (!communicator_->predefined) communicator_->release();
  }
  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory, std::size_t bytes) noexcept;

  bool is_complete(Rank& rank) override;
  void wait(Rank& rank) override;
  Outcome outcome(Rank&) override { return outcome(); }
  Outcome finish(Rank& rank) override;
  bool wait_and_release(Rank& rank, MPI_Status* status) override;
  void cancel(Rank& rank) override;
  void abandon(Rank& rank) override;
  Communicator* communicator() noexcept override { return communicator_; }

  const TypedBuffer& buffer() const noexcept { return buffer_; }
  /// Takes over a transfer that was started; null: complete already.
  void begin(message::Request* transfer, int peer, int tag) noexcept {
    transfer_ = transfer;
    status_ = {};
    peer_ = peer;
    tag_ = tag;
    if (calls_observed) [[unlikely]]
      number_ = next_message_number(communicator_->owner);
  }
  /// Of a message that was matched before, where calls are traced.
  void set_number(std::uint64_t number) noexcept { number_ = number; }

 private:
  Outcome outcome() const noexcept;
  void note_completed() const noexcept;

  TypedBuffer buffer_;
  Communicator* const communicator_;
  const Direction direction_;
  message::Request* transfer_ = nullptr;  ///< null: complete
  int peer_ = -1, tag_ = -1;              ///< for reports
  std::uint64_t number_;                  ///< of the message; only where calls are traced
  message::Status status_;
};

inline void* Transfer::operator new(std::size_t bytes) {
  return bytes == sizeof(Transfer) ? SpareBlocks<sizeof(Transfer)>::take() : ::operator new(bytes);
}
inline void Transfer::operator delete(void* memory, std::size_t bytes) noexcept {
  if (bytes == sizeof(Transfer)) {
    SpareBlocks<sizeof(Transfer)>::give(memory);
  } else {
    ::operator delete(memory);
  }
}

/// A receive; not persistent. The request of the message layer is part of it.
class PostedReceive final : public Request {
 public:
  PostedReceive(Rank& rank, Communicator& communicator, void* address, MPI_Count count, MPI_Datatype type)
      : buffer_(rank, address, count, type), communicator_(&communicator) {
    if (!communicator.predefined) communicator.retain();
  }
  ~PostedReceive() override {
    if (!communicator_->predefined) communicator_->release();
  }
  static void* operator new(std::size_t) { return SpareBlocks<sizeof(PostedReceive)>::take(); }
  static void operator delete(void* memory) noexcept { SpareBlocks<sizeof(PostedReceive)>::give(memory); }

  /// `peer` and `tag` as in the message layer.
  void begin(Rank& rank, int peer, int tag) {
    if (calls_observed) [[unlikely]]
      number_ = next_message_number(rank);
    rank.endpoint().irecv_into(transfer_, peer, communicator_->context, tag, buffer_.space());
  }

  bool is_complete(Rank& rank) override { return is_done() || rank.endpoint().is_complete(&transfer_); }
  void wait(Rank& rank) override {
    if (!is_done()) [[unlikely]]
      await(rank);
  }
  Outcome outcome(Rank&) override { return outcome_of(*communicator_, transfer_.status, buffer_.bytes()); }
  Outcome finish(Rank& rank) override;
  bool wait_and_release(Rank& rank, MPI_Status* status) override;
  void cancel(Rank& rank) override { rank.endpoint().cancel(&transfer_); }
  void abandon(Rank& rank) override;
  Communicator* communicator() noexcept override { return communicator_; }

 private:
  bool is_done() const noexcept { return transfer_.done.load(std::memory_order_acquire); }
  void await(Rank& rank);

  message::Request transfer_;
  TypedBuffer buffer_;
  Communicator* const communicator_;
  std::uint64_t number_;  // of the message; only where calls are traced
};

/// Releases the requests of `rank` that the program has freed and that are complete by now.
void release_abandoned(Rank& rank);

/// How a send is made complete (MPI-3.1 section 3.4).
enum class Sending { standard, buffered, synchronous, ready };

/// A send or receive that can be started again and again with the same arguments.
class PersistentTransfer final : public Transfer {
 public:
  PersistentTransfer(Rank& rank, Communicator& communicator, const void* address, MPI_Count count,
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

}  // namespace taihu::mpi::messages
