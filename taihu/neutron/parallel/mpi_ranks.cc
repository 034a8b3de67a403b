// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/parallel/mpi_ranks.h"

#include <mpi.h>

#include <cstdlib>
#include <list>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

void add_exact(void* from, void* to, int* count, MPI_Datatype*) {
  const auto* source = static_cast<const ExactSum*>(from);
  auto* target = static_cast<ExactSum*>(to);
  for (int i = 0; i < *count; ++i) target[i] += source[i];
}

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Type_contiguous(sizeof(ExactSum), MPI_BYTE, &sum_type_);
    MPI_Type_commit(&sum_type_);
    MPI_Type_contiguous(sizeof(Site), MPI_BYTE, &site_type_);
    MPI_Type_commit(&site_type_);
    MPI_Op_create(add_exact, 1, &add_);
  }
  ~MpiRanks() override {
    for (Posted& posted : posted_) MPI_Wait(&posted.request, MPI_STATUS_IGNORE);
    MPI_Op_free(&add_);
    MPI_Type_free(&site_type_);
    MPI_Type_free(&sum_type_);
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void add_everywhere(std::span<ExactSum> values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), length(values.size()), sum_type_, add_, MPI_COMM_WORLD);
  }

  void add_everywhere(std::span<std::int64_t> values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), length(values.size()), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  }

  std::vector<std::int64_t> all(std::int64_t value) override {
    std::vector<std::int64_t> values(size_);
    MPI_Allgather(&value, 1, MPI_INT64_T, values.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
    return values;
  }

  std::vector<Site> exchange(std::span<const Site> sites, std::span<const std::int64_t> counts) override {
    std::vector<int> send(size_), receive(size_), send_at(size_), receive_at(size_);
    int total_sent = 0, total = 0;
    for (int r = 0; r < size_; ++r) {
      send[r] = length(counts[r]);
      send_at[r] = total_sent;
      total_sent += send[r];
    }
    MPI_Alltoall(send.data(), 1, MPI_INT, receive.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size_; ++r) {
      receive_at[r] = total;
      total += receive[r];
    }
    std::vector<Site> result(total);
    MPI_Alltoallv(sites.data(), send.data(), send_at.data(), site_type_, result.data(), receive.data(),
                  receive_at.data(), site_type_, MPI_COMM_WORLD);
    return result;
  }

  std::vector<Site> gather(std::span<const Site> sites) override {
    const int count = length(sites.size());
    std::vector<int> counts(size_), places(size_);
    MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    int total = 0;
    for (int r = 0; r < size_ && is_root(); ++r) {
      places[r] = total;
      total += counts[r];
    }
    std::vector<Site> result(total);
    MPI_Gatherv(sites.data(), count, site_type_, result.data(), counts.data(), places.data(), site_type_, 0,
                MPI_COMM_WORLD);
    return result;
  }

  void broadcast(void* data, std::size_t bytes) override {
    MPI_Bcast(data, length(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
  }

  void post(int to, MessageKind kind, Bytes data) override {
    drop_sent();
    Posted& posted = posted_.emplace_back();
    posted.data = std::move(data);
    MPI_Isend(posted.data.data(), length(posted.data.size()), MPI_BYTE, to, static_cast<int>(kind),
              MPI_COMM_WORLD, &posted.request);
  }

  bool take(MessageKind kind, int from, bool wait, Message& message) override {
    const int source = from == any_rank ? MPI_ANY_SOURCE : from, tag = static_cast<int>(kind);
    drop_sent();
    MPI_Status status;
    int there = 1;
    if (wait)
      MPI_Probe(source, tag, MPI_COMM_WORLD, &status);
    else
      MPI_Iprobe(source, tag, MPI_COMM_WORLD, &there, &status);
    if (!there) return false;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    message.from = status.MPI_SOURCE;
    message.data.resize(static_cast<std::size_t>(bytes));
    MPI_Recv(message.data.data(), bytes, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return true;
  }

 private:
  /// A message on its way, with the memory that it is sent from.
  struct Posted {
    Bytes data;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  /// Frees the messages that have left.
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

  static int length(std::size_t count) {
    check_input(count < (std::size_t{1} << 31), "a message has more than 2^31 elements; use more ranks");
    return static_cast<int>(count);
  }

  int rank_ = 0, size_ = 1;
  MPI_Datatype sum_type_ = MPI_DATATYPE_NULL, site_type_ = MPI_DATATYPE_NULL;
  MPI_Op add_ = MPI_OP_NULL;
  std::list<Posted> posted_;
};

}  // namespace

void become_mpi_program(char**) {}

bool started_by_mpi() {
  return true;  // a program with an MPI library is a job of one rank where nobody started more
}

std::unique_ptr<Ranks> make_mpi_ranks() {
  return std::make_unique<MpiRanks>();
}

void abort_all_ranks(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

}  // namespace taihu::neutron
