// SPDX-License-Identifier: Apache-2.0
// Partitioned communication (MPI-5.0 section 4.2). The sender makes a context for the pair when the request
// is made and announces it, with the number and the length of its partitions, under the program's tag; so
// requests match in the order in which they are made. Each partition is a message of its own in that context,
// its number the tag. The receiver may cut the same bytes into other partitions: a partition of it has
// arrived when all that it overlaps have.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "taihu/mpi/objects/request.h"
#include "taihu/mpi/work/messages/typed_buffer.h"

namespace taihu::mpi::messages {

/// What a program gives to MPI_Psend_init and MPI_Precv_init.
struct Partitions {
  void* address;
  int partitions;
  MPI_Count count;  ///< elements in each
  MPI_Datatype type;
  int partner;
  int tag;
};

/// What both kinds have in common. Persistent, made inactive.
class PartitionedRequest : public Request {
 public:
  Communicator* communicator() noexcept override { return communicator_.get(); }
  int partitions() const noexcept { return partitions_; }
  Outcome outcome(Rank& rank) override;
  Outcome finish(Rank& rank) override;
  void start(Rank& rank) override;
  /// Error MPI_ERR_REQUEST while it is active.
  void abandon(Rank& rank) override;

 protected:
  PartitionedRequest(Rank& rank, Communicator& communicator, const Partitions& arguments);
  virtual void begin(Rank& rank) = 0;
  virtual Outcome result() const noexcept = 0;

  const Reference<Communicator> communicator_;
  const int partitions_;
  const int partner_, tag_;
};

class PartitionedSend final : public PartitionedRequest {
 public:
  PartitionedSend(Rank& rank, Communicator& communicator, const Partitions& arguments);
  /// Error MPI_ERR_REQUEST when the request is inactive or the partition marked already. Any thread.
  void ready(Rank& rank, int partition);
  bool is_complete(Rank& rank) override;

 private:
  struct Part {
    std::unique_ptr<TypedBuffer> buffer;
    std::atomic<bool> marked{false};
    message::Request* transfer = nullptr;  ///< guarded by lock_
  };
  void begin(Rank& rank) override;
  Outcome result() const noexcept override { return {}; }

  std::vector<std::int64_t> announcement_;
  message::Request* announced_ = nullptr;  ///< guarded by lock_
  message::Context context_ = 0;
  int peer_ = -1;
  std::unique_ptr<Part[]> parts_;
  std::mutex lock_;
  int under_way_ = 0;  ///< partitions of this start that are not out; guarded by lock_
};

class PartitionedReceive final : public PartitionedRequest {
 public:
  PartitionedReceive(Rank& rank, Communicator& communicator, const Partitions& arguments);
  ~PartitionedReceive() override;
  /// Whether a partition is there; of an inactive request: yes. Any thread.
  bool arrived(Rank& rank, int partition);
  bool is_complete(Rank& rank) override;
  Outcome finish(Rank& rank) override;

 private:
  /// Part of the announcement: context, partitions, bytes of each.
  struct Announcement {
    std::int64_t context, partitions, partition_bytes;
  };
  void begin(Rank& rank) override;
  Outcome result() const noexcept override;
  std::size_t sent_bytes() const noexcept {
    return static_cast<std::size_t>(sender_.partitions * sender_.partition_bytes);
  }
  void post(Rank& rank);
  void progress(Rank& rank);
  void unpack(int partition);

  Datatype* const type_;
  const Reference<Datatype> kept_;
  std::byte* const address_;
  const MPI_Count count_;
  std::size_t partition_bytes_, total_bytes_;
  std::unique_ptr<std::byte[]> packed_;  ///< of a type with gaps
  std::byte* data_;                      ///< where the bytes come to: the program's buffer, or `packed_`
  int peer_ = -1;
  std::mutex lock_;  ///< of all below
  Announcement sender_{};
  message::Request* awaited_ = nullptr;  ///< the announcement
  bool posted_ = false;
  std::vector<message::Request*> transfers_;  ///< by the sender's partitions; null: there
  std::size_t missing_ = 0;                   ///< of them
  std::vector<bool> unpacked_;                ///< by my partitions
};

}  // namespace taihu::mpi::messages
