// SPDX-License-Identifier: Apache-2.0
// The communicator over plain <mpi.h>: compiled once for every MPI that a program is built with.
#include <mpi.h>

#include <cstdlib>
#include <list>

#include "taihu/base/error.h"
#include "taihu/parallel/world.h"

namespace taihu::parallel {
namespace {

// Counts of MPI calls are int.
int count_of(std::size_t count) {
  check_input(count < (std::size_t{1} << 31), "a message has more than 2^31 elements; use more ranks");
  return static_cast<int>(count);
}

// Counts of all ranks and where each rank's elements begin, as MPI wants them.
struct Places {
  std::vector<int> counts, starts;
  explicit Places(std::span<const std::int64_t> elements) {
    std::size_t before = 0;
    for (const std::int64_t count : elements) {
      counts.push_back(count_of(static_cast<std::size_t>(count)));
      starts.push_back(count_of(before));
      before += static_cast<std::size_t>(count);
    }
    count_of(before);
  }
};

// A type of `bytes` bytes, so that messages of long elements may have more than 2^31 bytes.
class ElementType {
 public:
  explicit ElementType(std::size_t bytes) {
    if (bytes == 1) return;  // libraries are fastest with types of their own
    MPI_Type_contiguous(count_of(bytes), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  ElementType(const ElementType&) = delete;
  ElementType& operator=(const ElementType&) = delete;
  ~ElementType() {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);
  }
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_BYTE;
};

void add_exact(void* from, void* to, int* count, MPI_Datatype*) {
  const auto* source = static_cast<const ExactSum<128>*>(from);
  auto* target = static_cast<ExactSum<128>*>(to);
  for (int i = 0; i < *count; ++i) target[i] += source[i];
}

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator() {
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
    MPI_Type_contiguous(sizeof(ExactSum<128>), MPI_BYTE, &sum_type_);
    MPI_Type_commit(&sum_type_);
    MPI_Op_create(add_exact, 1, &add_);
  }
  ~MpiCommunicator() override {
    for (Posted& posted : posted_) MPI_Wait(&posted.request, MPI_STATUS_IGNORE);
    MPI_Op_free(&add_);
    MPI_Type_free(&sum_type_);
    MPI_Comm_free(&communicator_);
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void sum(std::span<std::int64_t> values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), count_of(values.size()), MPI_INT64_T, MPI_SUM, communicator_);
  }
  void sum(std::span<ExactSum<128>> values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), count_of(values.size()), sum_type_, add_, communicator_);
  }
  void maximum(std::span<double> values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), count_of(values.size()), MPI_DOUBLE, MPI_MAX, communicator_);
  }

  std::vector<std::int64_t> all(std::int64_t value) override {
    std::vector<std::int64_t> values(size_);
    MPI_Allgather(&value, 1, MPI_INT64_T, values.data(), 1, MPI_INT64_T, communicator_);
    return values;
  }

  void broadcast(void* data, std::size_t bytes) override {
    MPI_Bcast(data, count_of(bytes), MPI_BYTE, 0, communicator_);
  }

  void start(std::span<const Buffer> sends, std::span<const Buffer> receives) override {
    constexpr int tag = static_cast<int>(Tag::exchange);
    for (const Buffer& buffer : receives)
      MPI_Irecv(buffer.data, count_of(buffer.bytes), MPI_BYTE, buffer.peer, tag, communicator_,
                &requests_.emplace_back());
    for (const Buffer& buffer : sends)
      MPI_Isend(buffer.data, count_of(buffer.bytes), MPI_BYTE, buffer.peer, tag, communicator_,
                &requests_.emplace_back());
  }
  void finish() override {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
  }

  void post(int to, Tag tag, Bytes data) override {
    drop_sent();
    Posted& posted = posted_.emplace_back();
    posted.data = std::move(data);
    MPI_Isend(posted.data.data(), count_of(posted.data.size()), MPI_BYTE, to, static_cast<int>(tag),
              communicator_, &posted.request);
  }

  bool take(Tag tag, int from, bool wait, Message& message) override {
    const int source = from == any_rank ? MPI_ANY_SOURCE : from, number = static_cast<int>(tag);
    drop_sent();
    MPI_Status status;
    int there = 1;
    if (wait)
      MPI_Probe(source, number, communicator_, &status);
    else
      MPI_Iprobe(source, number, communicator_, &there, &status);
    if (!there) return false;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    message.from = status.MPI_SOURCE;
    message.data.resize(static_cast<std::size_t>(bytes));
    MPI_Recv(message.data.data(), bytes, MPI_BYTE, status.MPI_SOURCE, number, communicator_,
             MPI_STATUS_IGNORE);
    return true;
  }

 private:
  // A message on its way, with the memory that it is sent from.
  struct Posted {
    Bytes data;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  // Frees the messages that have left.
  void drop_sent() {
    for (auto posted = posted_.begin(); posted != posted_.end();) {
      int sent = 0;
      MPI_Test(&posted->request, &sent, MPI_STATUS_IGNORE);
      if (sent)
        posted = posted_.erase(posted);
      else
        ++posted;
    }
  }

  std::vector<std::int64_t> exchange_counts(std::span<const std::int64_t> counts) override {
    std::vector<std::int64_t> incoming(size_);
    MPI_Alltoall(counts.data(), 1, MPI_INT64_T, incoming.data(), 1, MPI_INT64_T, communicator_);
    return incoming;
  }

  void exchange_elements(const Outgoing& out, const Incoming& in, std::size_t element_bytes) override {
    const Places to(out.counts), from(in.counts);
    const ElementType type(element_bytes);
    MPI_Alltoallv(out.data, to.counts.data(), to.starts.data(), type.get(), in.data, from.counts.data(),
                  from.starts.data(), type.get(), communicator_);
  }

  void all_gather_bytes(const void* mine, const Incoming& in) override {
    const Places from(in.counts);
    MPI_Allgatherv(mine, from.counts[rank_], MPI_BYTE, in.data, from.counts.data(), from.starts.data(),
                   MPI_BYTE, communicator_);
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  MPI_Datatype sum_type_ = MPI_DATATYPE_NULL;
  MPI_Op add_ = MPI_OP_NULL;
  std::vector<MPI_Request> requests_;
  std::list<Posted> posted_;
};

}  // namespace

std::unique_ptr<Communicator> open_world(int* argc, char*** argv) {
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  return std::make_unique<MpiCommunicator>();
}

bool has_mpi() {
  return true;
}

void become_mpi_program(char**) {}

void abort_all_ranks(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

}  // namespace taihu::parallel
