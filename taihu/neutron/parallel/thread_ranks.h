// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of this process: several ranks without a message-passing library, for benchmarks and
// tests.
#pragma once

#include <algorithm>
#include <barrier>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "taihu/neutron/parallel/ranks.h"

namespace taihu::neutron {

/// What the ranks of one job share: a place for each to show what it has.
struct ThreadJob {
  struct Letter {
    MessageKind kind;
    Message message;
  };
  struct Mailbox {
    std::mutex guard;
    std::condition_variable arrived;
    std::deque<Letter> letters;
  };
  explicit ThreadJob(int ranks) : size(ranks), shown(ranks), counts(ranks), mail(ranks), meet(ranks) {}
  int size;
  std::vector<const void*> shown;
  std::vector<std::int64_t> counts;
  std::vector<Mailbox> mail;
  std::barrier<> meet;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(ThreadJob& job, int rank) : job_(job), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return job_.size; }

  void add_everywhere(std::span<ExactSum> values) override { add(values); }
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

  void post(int to, MessageKind kind, Bytes data) override {
    ThreadJob::Mailbox& box = job_.mail[to];
    {
      const std::lock_guard lock(box.guard);
      box.letters.push_back({kind, {rank_, std::move(data)}});
    }
    box.arrived.notify_one();
  }

  bool take(MessageKind kind, int from, bool wait, Message& message) override {
    ThreadJob::Mailbox& box = job_.mail[rank_];
    std::unique_lock lock(box.guard);
    for (;;) {
      const auto letter = std::find_if(box.letters.begin(), box.letters.end(), [&](const auto& candidate) {
        return candidate.kind == kind && (from == any_rank || candidate.message.from == from);
      });
      if (letter != box.letters.end()) {
        message = std::move(letter->message);
        box.letters.erase(letter);
        return true;
      }
      if (!wait) return false;
      box.arrived.wait(lock);
    }
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

/// Runs `body` as `ranks` ranks and waits for all. It must not throw.
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
