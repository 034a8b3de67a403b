// SPDX-License-Identifier: Apache-2.0
// In a collective call each rank shows a pointer to what it has, all meet, each reads what it needs of the
// others, and all meet again.
#include "taihu/parallel/thread_communicator.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace taihu::parallel {
namespace {

/// Ends the ranks that wait for one that has failed.
class RankFailed : public Error {
 public:
  RankFailed() : Error("another rank has failed") {}
};

/// What the ranks share. Any of them may call.
class Job {
 public:
  explicit Job(int size) : size_(size), shown_(size), mail_(size) {}
  int size() const { return size_; }
  const void* shown_by(int rank) const { return shown_[rank]; }

  /// Shows `mine` and waits until all ranks have shown theirs. Throws RankFailed when one does not come.
  void show(int rank, const void* mine) {
    std::unique_lock lock(mutex_);
    if (failed_) throw RankFailed();
    shown_[rank] = mine;
    if (!arrive(lock, true)) throw RankFailed();
  }
  /// Waits until no rank reads any more what was shown. All come: nobody leaves between show() and hide().
  void hide() {
    std::unique_lock lock(mutex_);
    arrive(lock, false);
  }

  /// The caller comes no more.
  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

  void post(int to, Tag tag, Message message) {
    const std::lock_guard lock(mutex_);
    mail_[to].push_back({tag, std::move(message)});
    changed_.notify_all();
  }
  bool take(int rank, Tag tag, int from, bool wait, Message& message) {
    std::unique_lock lock(mutex_);
    for (std::deque<Letter>& mail = mail_[rank];;) {
      const auto letter = std::find_if(mail.begin(), mail.end(), [&](const Letter& candidate) {
        return candidate.tag == tag && (from == any_rank || candidate.message.from == from);
      });
      if (letter != mail.end()) {
        message = std::move(letter->message);
        mail.erase(letter);
        return true;
      }
      if (failed_) throw RankFailed();
      if (!wait) return false;
      changed_.wait(lock);
    }
  }

 private:
  struct Letter {
    Tag tag;
    Message message;
  };

  /// The last to arrive lets all go on. False: with `may_fail`, a rank has failed before all were there.
  bool arrive(std::unique_lock<std::mutex>& lock, bool may_fail) {
    const std::int64_t round = round_;
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
      return true;
    }
    changed_.wait(lock, [&] { return round_ != round || (may_fail && failed_); });
    return round_ != round;
  }

  const int size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  std::int64_t round_ = 0;
  bool failed_ = false;
  std::vector<const void*> shown_;
  std::vector<std::deque<Letter>> mail_;  // by receiver
};

class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(Job& job, int rank) : job_(job), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return job_.size(); }

  void sum(std::span<std::int64_t> values) override {
    combine(values, [](std::int64_t& a, std::int64_t b) { a += b; });
  }
  void sum(std::span<ExactSum<128>> values) override {
    combine(values, [](ExactSum<128>& a, const ExactSum<128>& b) { a += b; });
  }
  void maximum(std::span<double> values) override {
    combine(values, [](double& a, double b) { a = std::max(a, b); });
  }

  std::vector<std::int64_t> all(std::int64_t value) override {
    const Shown shown(*this, &value);
    std::vector<std::int64_t> values;
    for (int from = 0; from < size(); ++from) values.push_back(*of<std::int64_t>(from));
    return values;
  }

  void broadcast(void* data, std::size_t bytes) override {
    const Shown shown(*this, data);
    if (rank_ != 0 && bytes > 0) std::memcpy(data, job_.shown_by(0), bytes);
  }

  void start(std::span<const Buffer> sends, std::span<const Buffer> receives) override {
    for (const Buffer& buffer : sends) {
      const auto* data = static_cast<const std::byte*>(buffer.data);
      post(buffer.peer, Tag::exchange, Bytes(data, data + buffer.bytes));
    }
    receives_.assign(receives.begin(), receives.end());
  }
  void finish() override {
    Message message;
    for (const Buffer& buffer : receives_) {
      take(Tag::exchange, buffer.peer, true, message);
      check_input(message.data.size() == buffer.bytes,
                  "the two sides of an exchange disagree about its bytes");
      if (buffer.bytes > 0) std::memcpy(buffer.data, message.data.data(), buffer.bytes);
    }
    receives_.clear();
  }

  void post(int to, Tag tag, Bytes data) override { job_.post(to, tag, {rank_, std::move(data)}); }
  bool take(Tag tag, int from, bool wait, Message& message) override {
    return job_.take(rank_, tag, from, wait, message);
  }

 private:
  /// While it lives, what all ranks show may be read.
  class Shown {
   public:
    Shown(const ThreadCommunicator& ranks, const void* mine) : job_(ranks.job_) {
      job_.show(ranks.rank_, mine);
    }
    Shown(const Shown&) = delete;
    Shown& operator=(const Shown&) = delete;
    ~Shown() { job_.hide(); }

   private:
    Job& job_;
  };
  template <class T>
  const T* of(int rank) const {
    return static_cast<const T*>(job_.shown_by(rank));
  }

  template <class T, class Add>
  void combine(std::span<T> values, const Add& add) {
    std::vector<T> result;
    {
      const Shown shown(*this, values.data());
      result.assign(of<T>(0), of<T>(0) + values.size());
      for (int from = 1; from < size(); ++from)
        for (std::size_t i = 0; i < values.size(); ++i) add(result[i], of<T>(from)[i]);
    }
    std::copy(result.begin(), result.end(), values.begin());
  }

  std::vector<std::int64_t> exchange_counts(std::span<const std::int64_t> counts) override {
    const Shown shown(*this, counts.data());
    std::vector<std::int64_t> incoming;
    for (int from = 0; from < size(); ++from) incoming.push_back(of<std::int64_t>(from)[rank_]);
    return incoming;
  }

  void exchange_elements(const Outgoing& out, const Incoming& in, std::size_t element_bytes) override {
    const Shown shown(*this, &out);
    auto* to = static_cast<std::byte*>(in.data);
    for (int from = 0; from < size(); ++from) {
      const Outgoing& theirs = *of<Outgoing>(from);
      const auto* data = static_cast<const std::byte*>(theirs.data);
      const std::size_t bytes = static_cast<std::size_t>(in.counts[from]) * element_bytes;
      if (bytes > 0) std::memcpy(to, data + total(theirs.counts.first(rank_)) * element_bytes, bytes);
      to += bytes;
    }
  }

  void all_gather_bytes(const void* mine, const Incoming& in) override {
    const Shown shown(*this, mine);
    auto* to = static_cast<std::byte*>(in.data);
    for (int from = 0; from < size(); ++from) {
      const auto bytes = static_cast<std::size_t>(in.counts[from]);
      if (bytes > 0) std::memcpy(to, of<std::byte>(from), bytes);
      to += bytes;
    }
  }

  Job& job_;
  const int rank_;
  std::vector<Buffer> receives_;
};

}  // namespace

void run_ranks(int ranks, const std::function<void(Communicator&)>& body) {
  Job job(ranks);
  std::vector<std::exception_ptr> failures(ranks);
  const auto run = [&](int rank) {
    try {
      ThreadCommunicator mine(job, rank);
      body(mine);
    } catch (const RankFailed&) {
    } catch (...) {
      failures[rank] = std::current_exception();
      job.fail();
    }
  };
  {
    std::vector<std::jthread> threads;
    try {
      for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(run, rank);
    } catch (...) {  // the system gives no more threads
      job.fail();
      threads.clear();
      throw;
    }
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace taihu::parallel
