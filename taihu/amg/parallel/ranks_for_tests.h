// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of the test: a Communicator over shared memory and a function that runs a body on each
// rank.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

#include "taihu/amg/parallel/context.h"

namespace taihu::amg {

/// What the ranks of one job share.
class JobForTests {
 public:
  explicit JobForTests(int size)
      : mail(size, std::vector<Communicator::Bytes>(size)), arrived_(0), size_(size) {}

  void barrier() {
    std::unique_lock lock(mutex_);
    const long epoch = epoch_;
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++epoch_;
      changed_.notify_all();
    } else {
      changed_.wait(lock, [&] { return epoch_ != epoch; });
    }
  }

  // mail[from][to]: written by `from` before a barrier, read by `to` before the next.
  std::vector<std::vector<Communicator::Bytes>> mail;

  // Messages of exchanges between two ranks, in order.
  void put(int from, int to, const void* data, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto* first = static_cast<const std::byte*>(data);
    waiting_.push_back({from, to, Communicator::Bytes(first, first + bytes)});
    changed_.notify_all();
  }
  void get(int from, int to, void* data, std::size_t bytes) {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                      [&](const Letter& l) { return l.from == from && l.to == to; });
      if (found != waiting_.end()) {
        if (found->bytes.size() != bytes) std::abort();  // the two sides disagree about the plan
        if (bytes > 0) std::memcpy(data, found->bytes.data(), bytes);
        waiting_.erase(found);
        return;
      }
      changed_.wait(lock);
    }
  }
  int size() const { return size_; }

 private:
  struct Letter {
    int from, to;
    Communicator::Bytes bytes;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Letter> waiting_;
  int arrived_;
  long epoch_ = 0;
  int size_;
};

class CommunicatorForTests final : public Communicator {
 public:
  CommunicatorForTests(JobForTests& job, int rank) : job_(job), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return job_.size(); }

  void sum(std::span<std::int64_t> values) override {
    combine(values, [](std::int64_t a, std::int64_t b) { return a + b; });
  }
  void maximum(std::span<double> values) override {
    combine(values, [](double a, double b) { return std::max(a, b); });
  }
  std::vector<Bytes> all_gather(const Bytes& mine) override {
    return all_to_all(std::vector<Bytes>(size(), mine));
  }
  std::vector<Bytes> all_to_all(const std::vector<Bytes>& to_rank) override {
    job_.mail[rank_] = to_rank;
    job_.barrier();
    std::vector<Bytes> result;
    for (int from = 0; from < size(); ++from) result.push_back(job_.mail[from][rank_]);
    job_.barrier();
    return result;
  }
  void start(std::span<const Message> sends, std::span<const Message> receives) override {
    for (const Message& message : sends) job_.put(rank_, message.peer, message.data, message.bytes);
    receives_.assign(receives.begin(), receives.end());
  }
  void finish() override {
    for (const Message& message : receives_) job_.get(message.peer, rank_, message.data, message.bytes);
  }

 private:
  template <class T, class Operation>
  void combine(std::span<T> values, const Operation& operation) {
    Bytes mine(values.size_bytes());
    std::memcpy(mine.data(), values.data(), mine.size());
    const std::vector<Bytes> all = all_gather(mine);
    for (int from = 0; from < size(); ++from) {
      std::vector<T> theirs(values.size());
      std::memcpy(theirs.data(), all[from].data(), mine.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = from == 0 ? theirs[i] : operation(values[i], theirs[i]);
    }
  }

  JobForTests& job_;
  int rank_;
  std::vector<Message> receives_;
};

/// Runs body(context) on `ranks` ranks with `threads` threads each; an exception of rank 0 is thrown again.
inline void on_ranks(int ranks, int threads, const std::function<void(const Context&)>& body) {
  JobForTests job(ranks);
  std::exception_ptr failure;
  std::vector<std::thread> members;
  for (int rank = 0; rank < ranks; ++rank)
    members.emplace_back([&, rank] {
      Team team(threads);
      Storage storage;
      CommunicatorForTests communicator(job, rank);
      try {
        body(Context{team, storage, communicator});
      } catch (...) {
        if (rank == 0) failure = std::current_exception();
      }
    });
  for (std::thread& member : members) member.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace taihu::amg
