// SPDX-License-Identifier: Apache-2.0
// For tests: several node processes and all their ranks in one process, with one mutex for everything: the
// slow, obvious twin of message/. A send of more than eight bytes completes when its receive has taken the
// data, so that buffers that are reused too early are seen.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <list>
#include <mutex>
#include <stdexcept>

#include "taihu/message/endpoint.h"

namespace taihu::collective {

class FakeCluster;

struct FakeRequest {
  message::Status status;
  bool complete = false;
  int source = -1;
  message::Context context = 0;
  int tag = 0;
  const std::byte* data = nullptr;  // of a send
  std::byte* buffer = nullptr;      // of a receive
  std::size_t bytes = 0;
  std::vector<std::byte> eager;
  bool is_queued = false;    // a send that has no receive yet
  bool is_released = false;  // an eager send that the sender has done with before it was received
};

class FakeEndpoint : public message::Endpoint {
 public:
  FakeEndpoint(FakeCluster& cluster, message::Node& node, int rank)
      : cluster_(cluster), node_(node), rank_(rank) {}

  int rank() const noexcept override { return rank_; }
  message::Request* isend(int destination, message::Context context, int tag, const message::Data& data,
                          message::SendMode mode) override;
  message::Request* irecv(int source, message::Context context, int tag,
                          const message::Space& space) override;
  void send(int destination, message::Context context, int tag, const message::Data& data,
            message::SendMode mode) override {
    wait(isend(destination, context, tag, data, mode), nullptr);
  }
  void receive(int source, message::Context context, int tag, const message::Space& space,
               message::Status* status) override {
    wait(irecv(source, context, tag, space), status);
  }
  bool iprobe(int, message::Context, int, message::Status*) override { throw missing(); }
  message::Message* improbe(int, message::Context, int, message::Status*) override { throw missing(); }
  message::Request* imrecv(message::Message*, const message::Space&) override { throw missing(); }
  void cancel(message::Request*) override { throw missing(); }
  using Endpoint::send_at_once;
  bool send_at_once(int, message::Context, int, const message::Data&, message::Flow) override {
    return false;
  }
  void irecv_into(message::Request&, int, message::Context, int, const message::Space&) override {
    throw missing();
  }
  void await(message::Request&) override { throw missing(); }
  bool is_complete(message::Request*) override { throw missing(); }
  message::Status status_of(message::Request*) override { throw missing(); }
  bool is_idle(message::Context) override { throw missing(); }
  void set_background(message::Background*) noexcept override {}
  bool test(message::Request* request, message::Status* status) override;
  void wait(message::Request* request, message::Status* status) override {
    doorbell_.wait([&] { return test(request, status); });
  }
  message::Request* put(int, const void*, memory::SymmetricAddress, std::size_t,
                        const memory::SymmetricAddress*) override {
    throw missing();
  }
  message::Request* get(int, memory::SymmetricAddress, void*, std::size_t) override { throw missing(); }
  message::Request* put_blocks(int, const void*, memory::SymmetricAddress, const message::StridedShape&,
                               const memory::SymmetricAddress*) override {
    throw missing();
  }
  message::Request* get_blocks(int, memory::SymmetricAddress, void*, const message::StridedShape&) override {
    throw missing();
  }
  void progress() override {}
  threads::Doorbell& doorbell() noexcept override { return doorbell_; }
  void about_to_sleep() noexcept override {}
  message::Node& node() noexcept override { return node_; }

 private:
  friend class FakeCluster;

  static std::logic_error missing() { return std::logic_error("not in the double"); }

  static bool matches(const FakeRequest& receive, const FakeRequest& send) {
    return (receive.source == message::any_rank || receive.source == send.source) &&
           receive.context == send.context && (receive.tag == message::any_tag || receive.tag == send.tag);
  }
  static void transfer(FakeRequest& receive, FakeRequest& send);

  FakeCluster& cluster_;
  message::Node& node_;
  int rank_;
  threads::Doorbell doorbell_;
  std::list<FakeRequest*> posted_;
  std::list<FakeRequest*> arrived_;
};

class FakeNode : public message::Node {
 public:
  FakeNode(FakeCluster& cluster, const launch::Layout& layout, int process)
      : layout_(layout), process_(process) {
    for (int rank = layout.first_rank[static_cast<std::size_t>(process)];
         rank < layout.first_rank[static_cast<std::size_t>(process) + 1]; ++rank) {
      endpoints_.emplace_back(cluster, *this, rank);
    }
  }

  const launch::Layout& layout() const noexcept override { return layout_; }
  int process() const noexcept override { return process_; }
  int local_ranks() const noexcept override { return static_cast<int>(endpoints_.size()); }
  message::Endpoint& endpoint(int local_index) noexcept override { return fake(local_index); }
  FakeEndpoint& fake(int local_index) noexcept { return endpoints_[static_cast<std::size_t>(local_index)]; }
  void add_rank(int) override { throw std::logic_error("not in the double"); }
  bool remove_rank(int) override { throw std::logic_error("not in the double"); }
  void serve(message::Service, message::ServiceHandler) override {
    throw std::logic_error("not in the double");
  }
  std::vector<std::byte> call(int, message::Service, const void*, std::size_t) override {
    throw std::logic_error("not in the double");
  }
  void begin_call(int, message::Service, const void*, std::size_t, AnswerHandler) override {
    throw std::logic_error("not in the double");
  }
  void barrier() override { throw std::logic_error("not in the double"); }
  std::vector<std::string> allgather(const std::string&) override {
    throw std::logic_error("not in the double");
  }
  void finish() override {}
  [[noreturn]] void abort(int) noexcept override { std::terminate(); }

 private:
  launch::Layout layout_;
  int process_;
  std::deque<FakeEndpoint> endpoints_;
};

class FakeCluster {
 public:
  FakeCluster(int ranks, int processes, int scope_size = 0) {
    layout.ranks = ranks;
    layout.processes = processes;
    for (int p = 0, first = 0; p <= processes; ++p) {
      layout.first_rank.push_back(first);
      first += ranks / processes + (p < ranks % processes ? 1 : 0);
    }
    layout.node_of_process.resize(static_cast<std::size_t>(processes));
    const int size = scope_size > 0 ? scope_size : ranks;
    layout.sizes = {size, size, size};
    for (int p = 0; p < processes; ++p) nodes.emplace_back(*this, layout, p);
  }

  FakeEndpoint& endpoint(int rank) {
    const int process = layout.process_of(rank);
    return nodes[static_cast<std::size_t>(process)].fake(
        rank - layout.first_rank[static_cast<std::size_t>(process)]);
  }

  launch::Layout layout;
  std::deque<FakeNode> nodes;
  std::mutex mutex;
};

inline void FakeEndpoint::transfer(FakeRequest& receive, FakeRequest& send) {
  const std::size_t taken = std::min(receive.bytes, send.bytes);
  if (taken != 0) std::memcpy(receive.buffer, send.data, taken);
  receive.status = {send.source, send.tag, send.bytes,
                    send.bytes > receive.bytes ? message::Error::truncated : message::Error::none};
  receive.complete = true;
  send.complete = true;
}

inline message::Request* FakeEndpoint::isend(int destination, message::Context context, int tag,
                                             const message::Data& data, message::SendMode mode) {
  if (data.layout != nullptr || mode != message::SendMode::standard) throw missing();
  FakeEndpoint& target = cluster_.endpoint(destination);
  auto* send = new FakeRequest;
  {
    const std::scoped_lock lock(cluster_.mutex);
    send->source = rank_;
    send->context = context;
    send->tag = tag;
    send->data = static_cast<const std::byte*>(data.address);
    send->bytes = data.bytes;
    for (auto posted = target.posted_.begin(); posted != target.posted_.end(); ++posted) {
      if (!matches(**posted, *send)) continue;
      transfer(**posted, *send);
      target.posted_.erase(posted);
      break;
    }
    if (!send->complete) {
      if (data.bytes <= 8) {
        send->eager.assign(send->data, send->data + data.bytes);
        send->data = send->eager.data();
        send->complete = true;
      }
      send->is_queued = true;
      target.arrived_.push_back(send);
    }
  }
  target.doorbell_.ring();
  return reinterpret_cast<message::Request*>(send);
}

inline message::Request* FakeEndpoint::irecv(int source, message::Context context, int tag,
                                             const message::Space& space) {
  if (space.layout != nullptr) throw missing();
  auto* receive = new FakeRequest;
  receive->source = source;
  receive->context = context;
  receive->tag = tag;
  receive->buffer = static_cast<std::byte*>(space.address);
  receive->bytes = space.bytes;
  int sender = -1;
  {
    const std::scoped_lock lock(cluster_.mutex);
    for (auto arrived = arrived_.begin(); arrived != arrived_.end(); ++arrived) {
      FakeRequest* send = *arrived;
      if (!matches(*receive, *send)) continue;
      sender = send->source;
      arrived_.erase(arrived);
      transfer(*receive, *send);
      send->is_queued = false;
      if (send->is_released) delete send;
      break;
    }
    if (!receive->complete) posted_.push_back(receive);
  }
  if (sender >= 0) cluster_.endpoint(sender).doorbell_.ring();
  return reinterpret_cast<message::Request*>(receive);
}

inline bool FakeEndpoint::test(message::Request* handle, message::Status* status) {
  auto* request = reinterpret_cast<FakeRequest*>(handle);
  const std::scoped_lock lock(cluster_.mutex);
  if (!request->complete) return false;
  if (status != nullptr) *status = request->status;
  request->is_released = true;
  if (!request->is_queued) delete request;
  return true;
}

}  // namespace taihu::collective
