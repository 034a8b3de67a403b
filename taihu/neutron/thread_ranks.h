// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of a test, so that several ranks can be tested without a message-passing library.
#pragma once

#include <barrier>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "taihu/neutron/parallel/ranks.h"

namespace taihu::neutron {

/// What the ranks of one job share: a place for each to show what it has.
struct ThreadJob {
  explicit ThreadJob(int ranks) : size(ranks), shown(ranks), counts(ranks), meet(ranks) {}
  int size;
  std::vector<const void*> shown;
  std::vector<std::int64_t> counts;
  std::barrier<> meet;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(ThreadJob& job, int rank) : job_(job), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return job_.size; }

  void add_everywhere(std::span<ExactSum> values) override { add(values); }
  void add_to_root(std::span<ExactSum> values) override { add(values); }
  void add_everywhere(std::span<std::int64_t> values) override { add(values); }

  std::vector<std::int64_t> all(std::int64_t value) override {
    job_.counts[rank_] = value;
    job_.meet.arrive_and_wait();
    std::vector<std::int64_t> result = job_.counts;
    job_.meet.arrive_and_wait();
    return result;
  }

  std::vector<Site> exchange(std::span<const Site> sites, std::span<const std::int64_t> counts) override {
    const std::pair<const Site*, const std::int64_t*> mine{sites.data(), counts.data()};
    job_.shown[rank_] = &mine;
    job_.meet.arrive_and_wait();
    std::vector<Site> result;
    for (int from = 0; from < job_.size; ++from) {
      const auto& [data, sent] =
          *static_cast<const std::pair<const Site*, const std::int64_t*>*>(job_.shown[from]);
      std::int64_t first = 0;
      for (int r = 0; r < rank_; ++r) first += sent[r];
      result.insert(result.end(), data + first, data + first + sent[rank_]);
    }
    job_.meet.arrive_and_wait();
    return result;
  }

  std::vector<Site> gather(std::span<const Site> sites) override {
    std::vector<std::int64_t> counts(job_.size);
    counts[0] = static_cast<std::int64_t>(sites.size());
    return exchange(sites, counts);
  }

  void broadcast(void* data, std::size_t bytes) override {
    job_.shown[rank_] = data;
    job_.meet.arrive_and_wait();
    if (rank_ != 0 && bytes > 0) std::memcpy(data, job_.shown[0], bytes);
    job_.meet.arrive_and_wait();
  }

 private:
  template <typename T>
  void add(std::span<T> values) {
    job_.shown[rank_] = values.data();
    job_.meet.arrive_and_wait();
    std::vector<T> sum(values.size());
    for (int from = 0; from < job_.size; ++from)
      for (std::size_t i = 0; i < values.size(); ++i) sum[i] += static_cast<const T*>(job_.shown[from])[i];
    job_.meet.arrive_and_wait();
    std::copy(sum.begin(), sum.end(), values.begin());
  }

  ThreadJob& job_;
  int rank_;
};

/// Runs `body` as `ranks` ranks and waits for all.
inline void run_ranks(int ranks, const std::function<void(Ranks&)>& body) {
  ThreadJob job(ranks);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&job, &body, rank] {
      ThreadRanks mine(job, rank);
      body(mine);
    });
}

}  // namespace taihu::neutron
