// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/messages/transfer.h"

#include <mutex>
#include <vector>

#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/work/messages/buffered_sends.h"

namespace taihu::mpi::messages {
namespace {

/// Requests that the program has freed while they were under way.
class Abandoned final : public RankPart {
 public:
  explicit Abandoned(Rank& rank) : rank_(rank) {}

  void add(Request& request) {
    const std::lock_guard hold(lock_);
    sweep();
    requests_.push_back(&request);
  }
  void release_complete() {
    const std::lock_guard hold(lock_);
    sweep();
  }
  void finish(Rank&) override {
    for (;;) {
      Request* last;
      {
        const std::lock_guard hold(lock_);
        if (requests_.empty()) return;
        last = requests_.back();
        requests_.pop_back();
      }
      last->wait(rank_);
      last->release();
    }
  }

 private:
  void sweep() {
    std::erase_if(requests_, [&](Request* request) {
      if (!request->is_complete(rank_)) return false;
      request->release();
      return true;
    });
  }

  Rank& rank_;
  std::mutex lock_;
  std::vector<Request*> requests_;
};

}  // namespace

inline Outcome Transfer::outcome() const noexcept {
  if (direction_ == Direction::receive) return outcome_of(*communicator_, status_, buffer_.bytes());
  Outcome outcome;
  outcome.cancelled = status_.cancelled;
  return outcome;
}

bool Transfer::is_complete(Rank& rank) {
  if (transfer_ == nullptr) return true;
  if (!rank.endpoint().test(transfer_, &status_)) return false;
  transfer_ = nullptr;
  return true;
}

void Transfer::wait(Rank& rank) {
  if (transfer_ == nullptr) return;
  waits_for(peer_, tag_, communicator_->context, communicator_->size());
  rank.endpoint().wait(transfer_, &status_);
  transfer_ = nullptr;
}

bool Transfer::wait_and_release(Rank& rank, MPI_Status* status) {
  wait(rank);
  if (persistent || status_.error != message::Error::none) return false;
  if (calls_observed) [[unlikely]]
    note_completed();
  if (status != MPI_STATUS_IGNORE) store(status, outcome());
  release();
  return true;
}

Outcome Transfer::finish(Rank&) {
  const Outcome result = outcome();
  if (calls_observed) [[unlikely]]
    note_completed();
  if (result.error != MPI_SUCCESS) refuse_received(result, status_);
  return result;
}

void Transfer::note_completed() const noexcept {
  if (direction_ == Direction::receive) {
    if (!status_.cancelled) note_received(*communicator_, status_, outcome().bytes, number_);
  } else if (status_.cancelled) {
    // Its number is the one before.
    note_lost(number_ - 1);
  }
}

void Transfer::cancel(Rank& rank) {
  if (transfer_ != nullptr) rank.endpoint().cancel(transfer_);
}

void PostedReceive::await(Rank& rank) {
  waits_for(transfer_.source, transfer_.tag, communicator_->context, communicator_->size());
  rank.endpoint().await(transfer_);
}

bool PostedReceive::wait_and_release(Rank& rank, MPI_Status* status) {
  PostedReceive::wait(rank);
  if (transfer_.status.error != message::Error::none) [[unlikely]]
    return false;
  if (calls_observed) [[unlikely]]
    note_received(*communicator_, transfer_.status, PostedReceive::outcome(rank).bytes, number_);
  if (status != MPI_STATUS_IGNORE) store(status, PostedReceive::outcome(rank));
  release();
  return true;
}

Outcome PostedReceive::finish(Rank& rank) {
  const Outcome result = PostedReceive::outcome(rank);
  if (!result.cancelled) check_received(*communicator_, result, transfer_.status, number_);
  return result;
}

void PostedReceive::abandon(Rank& rank) {
  if (calls_observed) [[unlikely]]
    note_lost(number_);
  if (is_complete(rank)) {
    release();
  } else {
    rank.part<Abandoned>(Part::abandoned).add(*this);
  }
}

void Transfer::abandon(Rank& rank) {
  if (calls_observed && direction_ == Direction::receive && active) [[unlikely]]
    note_lost(number_);
  // Programs reuse the buffer when a later message to the same rank is complete. That proves nothing about
  // this message if the later one was buffered.
  if (transfer_ != nullptr) rank.endpoint().buffer(transfer_);
  if (is_complete(rank)) {
    release();
  } else {
    rank.part<Abandoned>(Part::abandoned).add(*this);
  }
}

void release_abandoned(Rank& rank) {
  rank.part<Abandoned>(Part::abandoned).release_complete();
}

PersistentTransfer::PersistentTransfer(Rank& rank, Communicator& communicator, const void* address,
                                       MPI_Count count, MPI_Datatype type, Direction direction,
                                       Sending sending, int partner, int tag)
    : Transfer(rank, communicator, address, count, type, direction),
      direction_(direction),
      sending_(sending),
      partner_(partner),
      tag_(tag) {
  persistent = true;
  active = false;
}

void PersistentTransfer::start(Rank& rank) {
  require(!active, MPI_ERR_REQUEST, "the request is active; complete it before it is started again");
  active = true;
  Communicator& on = *communicator();
  if (partner_ == MPI_PROC_NULL) return;
  if (direction_ == Direction::send) {
    const int peer = destination_rank(on, partner_);
    begin(start_send(rank, on, buffer(), peer, tag_, sending_), peer, tag_);
  } else {
    const int peer = source_rank(on, partner_);
    begin(rank.endpoint().irecv(peer, on.context, receive_tag(tag_), buffer().space()), peer, tag_);
  }
}

Outcome PersistentTransfer::finish(Rank& rank) {
  if (!active) return empty_status;
  active = false;
  if (partner_ == MPI_PROC_NULL) return direction_ == Direction::receive ? nobody : Outcome{};
  return Transfer::finish(rank);
}

message::Request* start_send(Rank& rank, Communicator& communicator, const TypedBuffer& buffer, int peer,
                             int tag, Sending sending) {
  if (calls_observed) [[unlikely]]
    note_sent(rank, peer, communicator.context, tag, buffer.bytes());
  if (sending == Sending::buffered) {
    send_buffered(rank, communicator, buffer, peer, tag);
    return nullptr;
  }
  const message::SendMode mode =
      sending == Sending::synchronous ? message::SendMode::synchronous : message::SendMode::standard;
  return rank.endpoint().isend(peer, communicator.context, tag, buffer.data(), mode);
}

}  // namespace taihu::mpi::messages
