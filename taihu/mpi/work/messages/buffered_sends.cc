// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/messages/buffered_sends.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>

namespace taihu::mpi::messages {
namespace {

std::size_t overhead_bytes = MPI_BSEND_OVERHEAD;

struct BufferedMessage {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t allowance = 0;
  message::Request* transfer = nullptr;
  std::uint64_t number = 0;
};

class AttachedBuffer final : public SendBuffer {
 public:
  AttachedBuffer(Rank& rank, void* address, MPI_Count bytes)
      : rank_(rank),
        memory_{address, address == MPI_BUFFER_AUTOMATIC ? 0 : bytes},
        size_(address == MPI_BUFFER_AUTOMATIC ? std::numeric_limits<std::size_t>::max()
                                              : static_cast<std::size_t>(bytes)) {}

  void send(message::Context context, const TypedBuffer& buffer, int peer, int tag) {
    const std::lock_guard hold(lock_);
    sweep();
    const std::size_t needed = buffer.bytes() + overhead_bytes;
    require(needed <= size_ - used_, MPI_ERR_BUFFER, [&] {
      return "the message needs " + std::to_string(needed) + " bytes of the attached buffer, which has " +
             std::to_string(size_ - used_) + " of " + std::to_string(size_) +
             " bytes left; attach a larger one with MPI_Buffer_attach";
    });
    BufferedMessage message;
    message.bytes = std::make_unique_for_overwrite<std::byte[]>(buffer.bytes());
    message.allowance = needed;
    const message::Data packed{message.bytes.get(), buffer.bytes()};
    message::copy_message({message.bytes.get(), buffer.bytes()}, buffer.data(), buffer.bytes());
    message.transfer = rank_.endpoint().isend(peer, context, tag, packed, message::SendMode::standard);
    if (rank_.endpoint().test(message.transfer, nullptr)) return;
    used_ += needed;
    message.number = ++last_;
    under_way_.push_back(std::move(message));
  }

  /// Waits for all.
  void drain() {
    const std::lock_guard hold(lock_);
    for (BufferedMessage& message : under_way_) rank_.endpoint().wait(message.transfer, nullptr);
    under_way_.clear();
    used_ = 0;
  }

  std::uint64_t last() {
    const std::lock_guard hold(lock_);
    return last_;
  }
  /// Whether the messages up to number `last` are out.
  bool is_out(std::uint64_t last) {
    const std::lock_guard hold(lock_);
    sweep();
    return under_way_.empty() || under_way_.front().number > last;
  }

  const AttachedMemory& memory() const noexcept { return memory_; }

 private:
  void sweep() {
    std::erase_if(under_way_, [&](BufferedMessage& message) {
      if (!rank_.endpoint().test(message.transfer, nullptr)) return false;
      used_ -= message.allowance;
      return true;
    });
  }

  Rank& rank_;
  const AttachedMemory memory_;
  const std::size_t size_;
  std::mutex lock_;
  std::size_t used_ = 0;
  std::uint64_t last_ = 0;
  std::deque<BufferedMessage> under_way_;  ///< by rising number
};

/// Guards all slots of a rank.
class BufferedSends final : public RankPart {
 public:
  explicit BufferedSends(Rank&) {}
  void finish(Rank& rank) override { drop_buffer(rank, own); }

  std::mutex lock;
  BufferSlot own;
};

BufferedSends& of(Rank& rank) {
  return rank.part<BufferedSends>(Part::buffered_sends);
}

/// Kept as long as a call needs it, whatever becomes of the slot meanwhile.
std::shared_ptr<AttachedBuffer> buffer_in(Rank& rank, const BufferSlot& slot) {
  const std::lock_guard hold(of(rank).lock);
  return std::static_pointer_cast<AttachedBuffer>(slot);
}

std::shared_ptr<AttachedBuffer> take_out(Rank& rank, BufferSlot& slot) {
  const std::lock_guard hold(of(rank).lock);
  return std::static_pointer_cast<AttachedBuffer>(std::exchange(slot, nullptr));
}

std::shared_ptr<AttachedBuffer> checked_buffer_in(Rank& rank, const BufferSlot& slot) {
  std::shared_ptr<AttachedBuffer> found = buffer_in(rank, slot);
  require(found != nullptr, MPI_ERR_BUFFER, "no buffer is attached");
  return found;
}

class FlushRequest final : public Request {
 public:
  explicit FlushRequest(std::shared_ptr<AttachedBuffer> buffer)
      : buffer_(std::move(buffer)), last_(buffer_->last()) {}

  bool is_complete(Rank&) override { return buffer_->is_out(last_); }
  Outcome outcome(Rank&) override { return {}; }
  Outcome finish(Rank&) override { return {}; }
  void abandon(Rank&) override { release(); }

 private:
  const std::shared_ptr<AttachedBuffer> buffer_;
  const std::uint64_t last_;
};

}  // namespace

void set_buffered_overhead(std::size_t bytes) noexcept {
  overhead_bytes = bytes;
}

void send_buffered(Rank& rank, Communicator& communicator, const TypedBuffer& buffer, int peer, int tag) {
  std::shared_ptr<AttachedBuffer> attached = buffer_in(rank, communicator.send_buffer);
  if (attached == nullptr && communicator.session)
    attached = buffer_in(rank, communicator.session->send_buffer);
  if (attached == nullptr) attached = buffer_in(rank, own_buffer_slot(rank));
  require(attached != nullptr, MPI_ERR_BUFFER, [&] {
    return "no buffer is attached, and the message needs " + std::to_string(buffer.bytes() + overhead_bytes) +
           " bytes; attach one with MPI_Buffer_attach";
  });
  attached->send(communicator.context, buffer, peer, tag);
}

BufferSlot& own_buffer_slot(Rank& rank) {
  return of(rank).own;
}

void attach_buffer(Rank& rank, BufferSlot& slot, void* address, MPI_Count bytes) {
  require(bytes >= 0, MPI_ERR_ARG, "the size of the buffer is negative");
  auto made = std::make_shared<AttachedBuffer>(rank, address, bytes);
  const std::lock_guard hold(of(rank).lock);
  require(slot == nullptr, MPI_ERR_BUFFER, "a buffer is attached already; detach it first");
  slot = std::move(made);
}

AttachedMemory detach_buffer(Rank& rank, BufferSlot& slot) {
  const std::shared_ptr<AttachedBuffer> taken = take_out(rank, slot);
  require(taken != nullptr, MPI_ERR_BUFFER, "no buffer is attached");
  taken->drain();
  return taken->memory();
}

void drop_buffer(Rank& rank, BufferSlot& slot) {
  if (const auto taken = take_out(rank, slot); taken != nullptr) taken->drain();
}

Reference<Request> start_flush(Rank& rank, BufferSlot& slot) {
  return Reference<Request>(new FlushRequest(checked_buffer_in(rank, slot)));
}

void flush_buffer(Rank& rank, BufferSlot& slot) {
  checked_buffer_in(rank, slot)->drain();
}

}  // namespace taihu::mpi::messages
