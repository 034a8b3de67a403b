// SPDX-License-Identifier: Apache-2.0
// The message layer of a node process: endpoints of its ranks, traffic with other node processes, and the
// progress thread, which exists only when there are others.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "taihu/message/endpoint.h"
#include "taihu/message/locks/nap.h"
#include "taihu/message/node/channel_tables.h"
#include "taihu/message/node/local_endpoint.h"
#include "taihu/message/node/remote.h"
#include "taihu/message/node/services.h"
#include "taihu/message/tuning.h"

namespace taihu::message {

class NodeProcess final : public Node {
 public:
  NodeProcess(const launch::Layout& layout, std::unique_ptr<Link> link,
              const memory::SymmetricMap* symmetric);
  ~NodeProcess() override;

  const launch::Layout& layout() const noexcept override { return layout_; }
  int process() const noexcept override { return process_; }
  int local_ranks() const noexcept override { return local_ranks_.load(std::memory_order_relaxed); }
  std::string way_between_processes() const override { return way_; }
  bool shares_memory_with(int process) const override {
    return link_ != nullptr && link_->shares_memory_with(process);
  }
  Endpoint& endpoint(int local_index) noexcept override {
    expect(local_index >= 0 && local_index < places_, "0 <= local index < ranks of the node process");
    expect(endpoints_[static_cast<unsigned>(local_index)] != nullptr, "a spare rank has started");
    return *endpoints_[static_cast<unsigned>(local_index)];
  }
  void add_rank(int local_index) override;
  bool remove_rank(int local_index) override;
  void serve(Service service, ServiceHandler handler) override;
  std::vector<std::byte> call(int process, Service service, const void* arguments,
                              std::size_t bytes) override;
  void begin_call(int process, Service service, const void* arguments, std::size_t bytes,
                  AnswerHandler then) override;
  void barrier() override;
  std::vector<std::string> allgather(const std::string& mine) override;
  void finish() override;
  [[noreturn]] void abort(int exit_code) noexcept override;

  int first_rank() const noexcept { return first_rank_; }
  /// Of ranks, with spare ones that do not run yet.
  int places() const noexcept { return places_; }
  /// Changes when spare ranks start.
  const Tuning& tuning() const noexcept { return *tuning_.load(std::memory_order_acquire); }
  /// Whether ranks share cores: changes when spare ranks start and end.
  Cores cores() const noexcept { return cores_.load(std::memory_order_relaxed); }
  const ChannelTables& channel_tables() const noexcept { return channel_tables_; }
  /// Null when the rank is in another node process, or has not started.
  LocalEndpoint* local_endpoint_of(int rank) const noexcept {
    const auto index = static_cast<unsigned>(rank - first_rank_);
    return index < static_cast<unsigned>(places_) ? endpoints_[index].get() : nullptr;
  }
  /// Null when this is the only node process.
  Remote* remote() noexcept { return remote_.get(); }
  bool poll() { return remote_ != nullptr && remote_->poll(); }
  /// A rank will look for messages more seldom, or not at all, until its doorbell rings: the progress thread
  /// has to look again, now.
  void rank_looks_less() noexcept {
    if (remote_ != nullptr) nap_.cut_short();
  }
  /// As Doorbell::wait, for a rank: the progress thread is told at the beginning, since ranks that share
  /// cores with others look seldom, and when the rank is about to sleep.
  template <class Ready>
  void wait_at(threads::Doorbell& bell, Ready&& ready) {
    rank_looks_less();
    bell.wait(ready, [this] { rank_looks_less(); });
  }

  /// The instance of `address` that belongs to the rank of `owner`. Ends the job with a message when there is
  /// none.
  void* resolve(LocalEndpoint& owner, memory::SymmetricAddress address, std::size_t bytes,
                int asker) noexcept;
  /// A call from another process has arrived.
  void serve_remote(int process, Service service, std::uint64_t initiator, std::vector<std::byte> arguments);

  /// Has the progress thread call `look`, which must not wait, every few milliseconds until it ends. Nothing
  /// when there is none. Any thread.
  void look_now_and_then(std::function<void()> look);

 private:
  void make_endpoint(int local_index);
  void change_ranks(int ranks);
  void look_at_crowd();
  void hear_of_crowd(ServiceCall& call);
  void start_progress_thread();
  void stop_progress_thread();
  void make_progress();
  void look_around();
  LocalEndpoint* endpoint_of_caller() noexcept;

  const launch::Layout layout_;
  const std::unique_ptr<Link> link_;
  const memory::SymmetricMap* const symmetric_;
  const int process_;
  const int first_rank_;
  const int places_;
  int made_;                         ///< ranks whose endpoints exist: those before it
  std::atomic<int> local_ranks_;     ///< those of them that have not been removed
  std::mutex crowd_mutex_;           ///< guards the two below, tunings_, and changes of cores_ and tuning_
  int ranks_of_last_;                ///< ranks of the last node process, the only one to which some are added
  std::uint64_t crowd_changes_ = 0;  ///< of ranks_of_last_: the latest that is known
  const std::string way_;
  const int usable_cpus_;  ///< of the process, not of ranks, which may be bound
  std::atomic<Cores> cores_;
  std::deque<Tuning> tunings_;  ///< all that there have been, each once: somebody may look at an old one
  std::atomic<const Tuning*> tuning_;
  Services services_;
  std::vector<threads::Pillow> pillows_;  ///< of neighbouring ranks, where there are many
  const ChannelTables channel_tables_;
  std::vector<std::unique_ptr<LocalEndpoint>>
      endpoints_;  ///< by local index; null: a spare rank that does not run
  std::unique_ptr<Remote> remote_;
  std::atomic<bool> stop_{false};
  Nap nap_;  // of the progress thread
  std::atomic<bool> has_looks_{false};
  std::mutex looks_mutex_;
  std::vector<std::function<void()>> looks_;  ///< guarded by looks_mutex_
  std::int64_t looked_around_ns_ = 0;         ///< of the progress thread
  std::thread progress_thread_;
};

inline void LocalEndpoint::expect_rank(int rank) const {
  expect(rank >= 0 && rank < node_.layout().ranks, "0 <= rank < ranks of the job");
}

}  // namespace taihu::message
