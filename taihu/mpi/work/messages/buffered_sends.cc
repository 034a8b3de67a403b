// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/messages/buffered_sends.h"

#include <deque>
#include <memory>
#include <mutex>

namespace taihu::mpi::messages {
namespace {

std::size_t overhead_bytes = MPI_BSEND_OVERHEAD;

struct BufferedMessage {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t allowance = 0;
  message::Request* transfer = nullptr;
};

class BufferedSends final : public RankPart {
 public:
  explicit BufferedSends(Rank& rank) : rank_(rank) {}

  void send(message::Context context, const TypedBuffer& buffer, int peer, int tag) {
    const std::lock_guard hold(lock_);
    sweep();
    const std::size_t needed = buffer.bytes() + overhead_bytes;
    require(used_ + needed <= size_, MPI_ERR_BUFFER, [&] {
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
    under_way_.push_back(std::move(message));
  }

  void attach(void* address, int bytes) {
    const std::lock_guard hold(lock_);
    require(!attached_, MPI_ERR_BUFFER, "a buffer is attached already; detach it first");
    require(bytes >= 0, MPI_ERR_ARG, "the size of the buffer is negative");
    attached_ = true;
    address_ = address;
    size_ = static_cast<std::size_t>(bytes);
  }

  void detach(void** address, int* bytes) {
    const std::lock_guard hold(lock_);
    require(attached_, MPI_ERR_BUFFER, "no buffer is attached");
    for (BufferedMessage& message : under_way_) rank_.endpoint().wait(message.transfer, nullptr);
    under_way_.clear();
    used_ = 0;
    *address = address_;
    *bytes = static_cast<int>(size_);
    attached_ = false;
    size_ = 0;
  }

 private:
  void sweep() {
    std::erase_if(under_way_, [&](BufferedMessage& message) {
      if (!rank_.endpoint().test(message.transfer, nullptr)) return false;
      used_ -= message.allowance;
      return true;
    });
  }

  Rank& rank_;
  std::mutex lock_;
  bool attached_ = false;
  void* address_ = nullptr;
  std::size_t size_ = 0, used_ = 0;
  std::deque<BufferedMessage> under_way_;
};

BufferedSends& of(Rank& rank) {
  return rank.part<BufferedSends>(Part::buffered_sends);
}

}  // namespace

void set_buffered_overhead(std::size_t bytes) noexcept {
  overhead_bytes = bytes;
}

void send_buffered(Rank& rank, message::Context context, const TypedBuffer& buffer, int peer, int tag) {
  of(rank).send(context, buffer, peer, tag);
}

void attach_buffer(Rank& rank, void* address, int bytes) {
  of(rank).attach(address, bytes);
}

void detach_buffer(Rank& rank, void** address, int* bytes) {
  of(rank).detach(address, bytes);
}

}  // namespace taihu::mpi::messages
