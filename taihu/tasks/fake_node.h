// SPDX-License-Identifier: Apache-2.0
// Node processes for tests: several in one program, whose services call each other directly. A call runs the
// handler of the other process in the calling thread and waits until it is answered, now or later, as the
// real message layer does.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "taihu/base/contract.h"
#include "taihu/message/endpoint.h"

namespace taihu::tasks {

class FakeCall : public message::ServiceCall {
 public:
  FakeCall(const void* arguments, std::size_t bytes, message::Node::AnswerHandler then = {})
      : arguments_(static_cast<const std::byte*>(arguments),
                   static_cast<const std::byte*>(arguments) + bytes),
        then_(std::move(then)) {}

  const std::vector<std::byte>& arguments() const noexcept override { return arguments_; }

  void answer(const void* data, std::size_t bytes) override {
    const auto* first = static_cast<const std::byte*>(data);
    {
      const std::lock_guard lock(mutex_);
      if (answered_) contract_broken("a call is answered once");
      answer_.assign(first, first + bytes);
      answered_ = true;
      changed_.notify_all();
    }
    if (then_) then_(answer_);
  }

  std::vector<std::byte> wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answered_; });
    return answer_;
  }

 private:
  std::vector<std::byte> arguments_;
  message::Node::AnswerHandler then_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool answered_ = false;
  std::vector<std::byte> answer_;
};

class FakeNode;

/// The node processes of a job.
struct FakeJob {
  explicit FakeJob(launch::Layout layout);
  ~FakeJob();

  /// Starts a thread per rank, which calls body(rank, its node process), and waits for them.
  template <class Body>
  void run_ranks(Body&& body) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < layout.ranks; ++rank) {
      threads.emplace_back([&, rank] { body(rank, layout.process_of(rank)); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  const launch::Layout layout;
  std::vector<std::unique_ptr<FakeNode>> nodes;
  std::atomic<int> calls{0};  ///< between different node processes
};

class FakeNode : public message::Node {
 public:
  FakeNode(FakeJob& job, int process) : job_(job), process_(process) {}

  const launch::Layout& layout() const noexcept override { return job_.layout; }
  int process() const noexcept override { return process_; }
  int local_ranks() const noexcept override {
    const auto here = static_cast<std::size_t>(process_);
    return job_.layout.first_rank[here + 1] - job_.layout.first_rank[here];
  }
  void add_rank(int) override { contract_broken("services start no ranks"); }
  bool remove_rank(int) override { contract_broken("services end no ranks"); }
  void serve(message::Service service, message::ServiceHandler handler) override {
    handlers_[service] = std::move(handler);
  }

  std::vector<std::byte> call(int process, message::Service service, const void* arguments,
                              std::size_t bytes) override {
    if (process != process_) ++job_.calls;
    auto call = std::make_shared<FakeCall>(arguments, bytes);
    job_.nodes.at(static_cast<std::size_t>(process))->handlers_.at(service)(call);
    return call->wait();
  }

  void begin_call(int process, message::Service service, const void* arguments, std::size_t bytes,
                  AnswerHandler then) override {
    if (process != process_) ++job_.calls;
    auto call = std::make_shared<FakeCall>(arguments, bytes, std::move(then));
    job_.nodes.at(static_cast<std::size_t>(process))->handlers_.at(service)(call);
  }
  void barrier() override { contract_broken("services use no barrier"); }
  std::vector<std::string> allgather(const std::string&) override {
    contract_broken("services exchange nothing");
  }

  message::Endpoint& endpoint(int) noexcept override { contract_broken("services use no endpoint"); }
  void finish() override {}
  void abort(int) noexcept override { contract_broken("services do not abort"); }

 private:
  FakeJob& job_;
  int process_;
  std::map<message::Service, message::ServiceHandler> handlers_;
};

inline FakeJob::FakeJob(launch::Layout given) : layout(std::move(given)) {
  for (int process = 0; process < layout.processes; ++process) {
    nodes.push_back(std::make_unique<FakeNode>(*this, process));
  }
}
inline FakeJob::~FakeJob() = default;

/// A layout of equal scopes with ranks dealt as documented in launch/layout.h.
inline launch::Layout fake_layout(int ranks, int processes, launch::ScopeSizes sizes) {
  launch::Layout layout;
  layout.ranks = ranks;
  layout.processes = processes;
  layout.sizes = sizes;
  for (int process = 0; process <= processes; ++process) {
    layout.first_rank.push_back(process * (ranks / processes) + std::min(process, ranks % processes));
  }
  for (int process = 0; process < processes; ++process) layout.node_of_process.push_back(process);
  return layout;
}

}  // namespace taihu::tasks
