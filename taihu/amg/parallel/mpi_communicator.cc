// SPDX-License-Identifier: Apache-2.0
// The communicator over plain <mpi.h>: compiled once for every MPI that a program is built with.
#include <mpi.h>

#include <memory>
#include <numeric>

#include "taihu/amg/parallel/world.h"
#include "taihu/base/error.h"

namespace taihu::amg {
namespace {

constexpr int exchange_tag = 4711;

// Counts of MPI calls are int.
int count_of(std::size_t bytes) {
  check_input(bytes < (std::size_t{1} << 31), "a message has more than 2^31 bytes; use more ranks");
  return static_cast<int>(bytes);
}

std::vector<int> starts_of(const std::vector<int>& counts) {
  std::vector<int> starts(counts.size());
  std::size_t before = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    starts[i] = count_of(before);
    before += counts[i];
  }
  count_of(before);
  return starts;
}

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator() {
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
  }
  ~MpiCommunicator() override {
    MPI_Comm_free(&communicator_);
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void sum(std::span<std::int64_t> values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), count_of(values.size()), MPI_INT64_T, MPI_SUM, communicator_);
  }
  void maximum(std::span<double> values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), count_of(values.size()), MPI_DOUBLE, MPI_MAX, communicator_);
  }

  std::vector<Bytes> all_gather(const Bytes& mine) override {
    const int count = count_of(mine.size());
    std::vector<int> counts(size_);
    MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, communicator_);
    const std::vector<int> starts = starts_of(counts);
    Bytes all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
    MPI_Allgatherv(mine.data(), count, MPI_BYTE, all.data(), counts.data(), starts.data(), MPI_BYTE,
                   communicator_);
    return split(all, counts, starts);
  }

  std::vector<Bytes> all_to_all(const std::vector<Bytes>& to_rank) override {
    std::vector<int> send_counts, counts(size_);
    for (const Bytes& bytes : to_rank) send_counts.push_back(count_of(bytes.size()));
    MPI_Alltoall(send_counts.data(), 1, MPI_INT, counts.data(), 1, MPI_INT, communicator_);
    const std::vector<int> send_starts = starts_of(send_counts), starts = starts_of(counts);
    Bytes outgoing;
    for (const Bytes& bytes : to_rank) outgoing.insert(outgoing.end(), bytes.begin(), bytes.end());
    Bytes all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
    MPI_Alltoallv(outgoing.data(), send_counts.data(), send_starts.data(), MPI_BYTE, all.data(),
                  counts.data(), starts.data(), MPI_BYTE, communicator_);
    return split(all, counts, starts);
  }

  void start(std::span<const Message> sends, std::span<const Message> receives) override {
    for (const Message& message : receives)
      MPI_Irecv(message.data, count_of(message.bytes), MPI_BYTE, message.peer, exchange_tag, communicator_,
                &requests_.emplace_back());
    for (const Message& message : sends)
      MPI_Isend(message.data, count_of(message.bytes), MPI_BYTE, message.peer, exchange_tag, communicator_,
                &requests_.emplace_back());
  }
  void finish() override {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
  }

 private:
  static std::vector<Bytes> split(const Bytes& all, const std::vector<int>& counts,
                                  const std::vector<int>& starts) {
    std::vector<Bytes> parts;
    for (std::size_t i = 0; i < counts.size(); ++i)
      parts.emplace_back(all.begin() + starts[i], all.begin() + starts[i] + counts[i]);
    return parts;
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<Communicator> open_world(int* argc, char*** argv) {
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  return std::make_unique<MpiCommunicator>();
}

}  // namespace taihu::amg
