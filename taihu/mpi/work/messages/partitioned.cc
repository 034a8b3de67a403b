// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/messages/partitioned.h"

#include <string>

#include "taihu/mpi/objects/statistics.h"
#include "taihu/mpi/types/repetition.h"
#include "taihu/mpi/work/messages/envelope.h"

namespace taihu::mpi::messages {
namespace {

std::byte* partition_address(const Datatype& type, void* address, MPI_Count count, int partition) {
  return static_cast<std::byte*>(address) + partition * count * type.extent;
}

}  // namespace

PartitionedRequest::PartitionedRequest(Rank& rank, Communicator& communicator, const Partitions& arguments)
    : communicator_(Reference<Communicator>::to(&communicator)),
      partitions_(arguments.partitions),
      partner_(arguments.partner),
      tag_(send_tag(arguments.tag)) {
  require(partitions_ > 0, MPI_ERR_ARG,
          [&] { return "the number of partitions is " + std::to_string(partitions_); });
  const TypedBuffer whole(rank, arguments.address, arguments.count, arguments.type);
  MPI_Count elements;
  require(!__builtin_mul_overflow(arguments.count, MPI_Count{partitions_}, &elements), MPI_ERR_COUNT,
          "the partitions have more than 2^63 elements");
  rank.find<Datatype>(arguments.type)->total_bytes(elements);
  persistent = true;
  active = false;
}

Outcome PartitionedRequest::outcome(Rank&) {
  return active ? result() : empty_status;
}

Outcome PartitionedRequest::finish(Rank&) {
  if (!active) return empty_status;
  active = false;
  return result();
}

void PartitionedRequest::start(Rank& rank) {
  require(!active, MPI_ERR_REQUEST, "the request is active; complete it before it is started again");
  begin(rank);
  active = true;
}

void PartitionedRequest::abandon(Rank& rank) {
  require(!active || is_complete(rank), MPI_ERR_REQUEST,
          "a partitioned request that is active cannot be freed; complete it first");
  release();
}

PartitionedSend::PartitionedSend(Rank& rank, Communicator& communicator, const Partitions& arguments)
    : PartitionedRequest(rank, communicator, arguments),
      parts_(std::make_unique<Part[]>(static_cast<std::size_t>(partitions_))) {
  const Datatype& type = *rank.find<Datatype>(arguments.type);
  for (int k = 0; k < partitions_; ++k) {
    parts_[static_cast<std::size_t>(k)].buffer =
        std::make_unique<TypedBuffer>(rank, partition_address(type, arguments.address, arguments.count, k),
                                      arguments.count, arguments.type);
  }
  if (partner_ == MPI_PROC_NULL) return;
  peer_ = destination_rank(communicator, partner_);
  context_ = rank.allocate_contexts();
  announcement_ = {static_cast<std::int64_t>(context_), partitions_,
                   static_cast<std::int64_t>(parts_[0].buffer->bytes())};
  announced_ = rank.endpoint().isend(peer_, communicator.context_of(Traffic::partitioned), tag_,
                                     announcement_.data(), announcement_.size() * sizeof announcement_[0]);
}

void PartitionedSend::begin(Rank&) {
  const std::lock_guard hold(lock_);
  under_way_ = partitions_;
  for (int k = 0; k < partitions_; ++k) parts_[static_cast<std::size_t>(k)].marked.store(false);
}

void PartitionedSend::ready(Rank& rank, int partition) {
  require(active, MPI_ERR_REQUEST, "the request is inactive; start it first");
  Part& part = parts_[static_cast<std::size_t>(partition)];
  require(!part.marked.exchange(true), MPI_ERR_ARG,
          [&] { return "partition " + std::to_string(partition) + " is marked as ready already"; });
  message::Request* transfer = nullptr;
  if (partner_ != MPI_PROC_NULL) {
    if (calls_observed) [[unlikely]]
      note_sent(rank, peer_, context_, partition, part.buffer->bytes());
    transfer =
        rank.endpoint().isend(peer_, context_, partition, part.buffer->data(), message::SendMode::standard);
  }
  {
    const std::lock_guard hold(lock_);
    part.transfer = transfer;
    if (transfer == nullptr) --under_way_;
  }
  // Another thread may wait for the request.
  rank.endpoint().doorbell().ring();
}

bool PartitionedSend::is_complete(Rank& rank) {
  if (!active) return true;
  const std::lock_guard hold(lock_);
  if (announced_ != nullptr && rank.endpoint().test(announced_, nullptr)) announced_ = nullptr;
  for (int k = 0; k < partitions_ && under_way_ != 0; ++k) {
    message::Request*& transfer = parts_[static_cast<std::size_t>(k)].transfer;
    if (transfer == nullptr || !rank.endpoint().test(transfer, nullptr)) continue;
    transfer = nullptr;
    --under_way_;
  }
  return under_way_ == 0 && announced_ == nullptr;
}

PartitionedReceive::PartitionedReceive(Rank& rank, Communicator& communicator, const Partitions& arguments)
    : PartitionedRequest(rank, communicator, arguments),
      type_(rank.find<Datatype>(arguments.type)),
      kept_(Reference<Datatype>::to(type_)),
      address_(static_cast<std::byte*>(arguments.address)),
      count_(arguments.count),
      partition_bytes_(type_->total_bytes(count_)),
      total_bytes_(type_->total_bytes(count_ * partitions_)) {
  if (type_->is_contiguous(count_ * partitions_)) {
    data_ = total_bytes_ != 0 ? address_ + type_->block_offset() : address_;
  } else {
    packed_ = std::make_unique_for_overwrite<std::byte[]>(total_bytes_);
    data_ = packed_.get();
  }
  if (partner_ == MPI_PROC_NULL) return;
  require(partner_ != MPI_ANY_SOURCE, MPI_ERR_RANK, "partitioned receives take no MPI_ANY_SOURCE");
  peer_ = destination_rank(communicator, partner_);
  awaited_ = rank.endpoint().irecv(peer_, communicator.context_of(Traffic::partitioned), tag_, &sender_,
                                   sizeof sender_);
}

PartitionedReceive::~PartitionedReceive() {
  // Nothing may come into this object any more. What a sender has announced in vain stays with it.
  if (awaited_ == nullptr) return;
  message::Endpoint& endpoint = communicator_->owner.endpoint();
  endpoint.cancel(awaited_);
  endpoint.wait(awaited_, nullptr);
}

void PartitionedReceive::begin(Rank& rank) {
  const std::lock_guard hold(lock_);
  posted_ = false;
  unpacked_.assign(packed_ != nullptr ? static_cast<std::size_t>(partitions_) : 0, false);
  if (partner_ != MPI_PROC_NULL) post(rank);
}

/// Posts the receives as soon as it is known how the sender cuts its data.
void PartitionedReceive::post(Rank& rank) {
  if (awaited_ != nullptr) {
    if (!rank.endpoint().test(awaited_, nullptr)) return;
    awaited_ = nullptr;
  }
  if (sent_bytes() > total_bytes_) {  // told when the request is completed
    transfers_.clear();
    missing_ = 0;
    posted_ = true;
    return;
  }
  const auto bytes = static_cast<std::size_t>(sender_.partition_bytes);
  missing_ = static_cast<std::size_t>(sender_.partitions);
  transfers_.resize(missing_);
  for (std::size_t k = 0; k < missing_; ++k)
    transfers_[k] = rank.endpoint().irecv(peer_, static_cast<message::Context>(sender_.context),
                                          static_cast<int>(k), data_ + k * bytes, bytes);
  posted_ = true;
}

void PartitionedReceive::progress(Rank& rank) {
  if (!posted_) post(rank);
  if (!posted_) return;
  for (message::Request*& transfer : transfers_) {
    if (transfer == nullptr || !rank.endpoint().test(transfer, nullptr)) continue;
    transfer = nullptr;
    --missing_;
  }
}

void PartitionedReceive::unpack(int partition) {
  if (packed_ == nullptr || unpacked_[static_cast<std::size_t>(partition)]) return;
  unpacked_[static_cast<std::size_t>(partition)] = true;
  types::unpack(*type_, count_, partition_address(*type_, address_, count_, partition),
                packed_.get() + static_cast<std::size_t>(partition) * partition_bytes_);
}

bool PartitionedReceive::arrived(Rank& rank, int partition) {
  if (!active || partner_ == MPI_PROC_NULL) return true;
  const std::lock_guard hold(lock_);
  progress(rank);
  if (!posted_) return false;
  const std::size_t begin = static_cast<std::size_t>(partition) * partition_bytes_;
  const std::size_t end = begin + partition_bytes_;
  const auto theirs = static_cast<std::size_t>(sender_.partition_bytes);
  const std::size_t first = theirs == 0 ? 0 : begin / theirs;
  for (std::size_t k = first; k < transfers_.size() && (theirs == 0 || k * theirs < end); ++k) {
    if (transfers_[k] != nullptr) return false;
  }
  unpack(partition);
  return true;
}

bool PartitionedReceive::is_complete(Rank& rank) {
  if (!active || partner_ == MPI_PROC_NULL) return true;
  const std::lock_guard hold(lock_);
  progress(rank);
  return posted_ && missing_ == 0;
}

Outcome PartitionedReceive::finish(Rank& rank) {
  if (active && partner_ != MPI_PROC_NULL && sent_bytes() > total_bytes_) {
    active = false;
    throw CallError(MPI_ERR_TRUNCATE, "the partitioned send has " + std::to_string(sent_bytes()) +
                                          " bytes, the receive room for " + std::to_string(total_bytes_));
  }
  if (active && packed_ != nullptr && partner_ != MPI_PROC_NULL) {
    const std::lock_guard hold(lock_);
    // A shorter send fills the first partitions only.
    for (int k = 0; k < partitions_ && (static_cast<std::size_t>(k) + 1) * partition_bytes_ <= sent_bytes();
         ++k)
      unpack(k);
  }
  return PartitionedRequest::finish(rank);
}

Outcome PartitionedReceive::result() const noexcept {
  if (partner_ == MPI_PROC_NULL) return nobody;
  Outcome outcome;
  outcome.source = partner_;
  outcome.tag = tag_;
  outcome.bytes = static_cast<std::int64_t>(sent_bytes());
  return outcome;
}

}  // namespace taihu::mpi::messages
