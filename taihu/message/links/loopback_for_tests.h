// SPDX-License-Identifier: Apache-2.0
// A link between node processes that all live in the test program, so that what happens between them is
// tested without an MPI library and under the sanitizers. Matches like MPI: in order per pair and tag. On
// request it counts as links of one machine do (Link::tally), but now and then it cannot.
#pragma once

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <vector>

#include "taihu/message/links/tagged_link.h"

namespace taihu::message {

/// Short sends are buffered, long ones complete when a receive has taken them, as in real libraries.
class LoopbackHub {
 public:
  explicit LoopbackHub(int processes, int tag_limit = 32767, bool shares_memory = false)
      : tag_limit(tag_limit),
        shares_memory(shares_memory),
        sends_(static_cast<std::size_t>(processes)),
        receives_(sends_.size()),
        counted_(sends_.size()),
        texts_(sends_.size()) {}

  struct Request : LinkRequest {
    bool done = false;
    LinkStatus status;
    void* buffer = nullptr;  // receive
    std::size_t capacity = 0;
    const void* data = nullptr;  // long send
  };

  const int tag_limit;
  const bool shares_memory;

  /// What all links have taken in sends so far.
  std::size_t carried_bytes() {
    std::lock_guard hold(lock_);
    return carried_bytes_;
  }

 private:
  friend class LoopbackLink;
  static constexpr std::size_t buffered_bytes = 4096;

  struct Send {
    int source;
    int tag;
    std::size_t bytes;
    std::vector<std::byte> buffered;
    Request* request;  // null when buffered
  };

  struct Counted {
    int process;
    Tally tally;
  };

  void deliver(const Send& send, Request* receive) {
    if (send.bytes > receive->capacity) std::abort();
    const void* data = send.request != nullptr ? send.request->data : send.buffered.data();
    if (send.bytes != 0) std::memcpy(receive->buffer, data, send.bytes);
    receive->status = {send.source, send.tag, send.bytes};
    receive->done = true;
    if (send.request != nullptr) send.request->done = true;
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<std::list<Send>> sends_;         // by destination
  std::vector<std::list<Request*>> receives_;  // by owner; status holds what is wanted
  std::vector<std::vector<Counted>> counted_;  // by reader
  std::vector<std::string> texts_;
  std::size_t carried_bytes_ = 0;
  int waiting_ = 0;
  int generation_ = 0;
};

class LoopbackLink final : public TaggedLink {
 public:
  LoopbackLink(LoopbackHub& hub, int process) : hub_(hub), process_(process) {}
  ~LoopbackLink() override { close_envelopes(); }

  int process() const override { return process_; }
  int processes() const override { return static_cast<int>(hub_.sends_.size()); }
  std::string library() const override { return "loopback"; }
  int tag_limit() const override { return hub_.tag_limit; }
  std::size_t unasked_bytes(int /*process*/) const override { return LoopbackHub::buffered_bytes; }

  LinkRequest* send(int process, int tag, const void* data, std::size_t bytes) override {
    std::lock_guard hold(hub_.lock_);
    hub_.carried_bytes_ += bytes;
    LoopbackHub::Send send{process_, tag, bytes, {}, nullptr};
    if (bytes <= LoopbackHub::buffered_bytes) {
      const auto* first = static_cast<const std::byte*>(data);
      if (bytes != 0) send.buffered.assign(first, first + bytes);
    } else {
      send.request = new LoopbackHub::Request;
      send.request->data = data;
    }
    LoopbackHub::Request* const request = send.request;
    auto& receives = hub_.receives_[static_cast<std::size_t>(process)];
    for (auto it = receives.begin(); it != receives.end(); ++it) {
      const LinkStatus& wanted = (*it)->status;
      if (wanted.tag != tag || (wanted.process != any_process && wanted.process != process_)) continue;
      LoopbackHub::Request* receive = *it;
      receives.erase(it);
      hub_.deliver(send, receive);
      return request;
    }
    hub_.sends_[static_cast<std::size_t>(process)].push_back(std::move(send));
    return request;
  }

  LinkRequest* receive(int process_or_any, int tag, void* buffer, std::size_t capacity) override {
    std::lock_guard hold(hub_.lock_);
    auto* request = new LoopbackHub::Request;
    request->buffer = buffer;
    request->capacity = capacity;
    request->status = {process_or_any, tag, 0};
    auto& sends = hub_.sends_[static_cast<std::size_t>(process_)];
    for (auto it = sends.begin(); it != sends.end(); ++it) {
      if (it->tag != tag || (process_or_any != any_process && it->source != process_or_any)) continue;
      hub_.deliver(*it, request);
      sends.erase(it);
      return request;
    }
    hub_.receives_[static_cast<std::size_t>(process_)].push_back(request);
    return request;
  }

  bool test(LinkRequest* link_request, LinkStatus* status) override {
    std::lock_guard hold(hub_.lock_);
    auto* request = static_cast<LoopbackHub::Request*>(link_request);
    if (!request->done) return false;
    if (status != nullptr) *status = request->status;
    delete request;
    return true;
  }

  void cancel(LinkRequest* link_request) override {
    std::lock_guard hold(hub_.lock_);
    auto* request = static_cast<LoopbackHub::Request*>(link_request);
    hub_.receives_[static_cast<std::size_t>(process_)].remove(request);
    for (auto& sends : hub_.sends_) {
      sends.remove_if([&](const LoopbackHub::Send& send) { return send.request == request; });
    }
    delete request;
  }

  bool shares_memory_with(int /*process*/) const override { return hub_.shares_memory; }

  bool tally(int process, const Tally& tally) override {
    constexpr int counts_of_refusal = 8;
    if (!hub_.shares_memory || ++tallies_ % counts_of_refusal == 0) return false;
    const std::lock_guard hold(hub_.lock_);
    hub_.counted_[static_cast<std::size_t>(process)].push_back({process_, tally});
    return true;
  }

  bool read(EnvelopeReader& reader, int most) override {
    CountsFirst counts_first(*this, reader);
    const bool has_told = counts_first.tell();
    return TaggedLink::read(counts_first, most) || has_told;
  }

  std::vector<std::string> allgather(const std::string& mine) override {
    {
      std::lock_guard hold(hub_.lock_);
      hub_.texts_[static_cast<std::size_t>(process_)] = mine;
    }
    barrier();
    const std::vector<std::string> all = hub_.texts_;
    barrier();
    return all;
  }

  void barrier() override {
    std::unique_lock hold(hub_.lock_);
    const int mine = hub_.generation_;
    if (++hub_.waiting_ == processes()) {
      hub_.waiting_ = 0;
      ++hub_.generation_;
      hub_.changed_.notify_all();
    }
    hub_.changed_.wait(hold, [&] { return hub_.generation_ != mine; });
  }

  [[noreturn]] void abort(int exit_code) override { std::_Exit(exit_code); }

 private:
  /// Tells what was counted before an envelope was sent before that.
  class CountsFirst final : public EnvelopeReader {
   public:
    CountsFirst(LoopbackLink& link, EnvelopeReader& reader) : link_(link), reader_(reader) {}
    bool tell() {
      std::vector<LoopbackHub::Counted> counted;
      {
        const std::lock_guard hold(link_.hub_.lock_);
        counted.swap(link_.hub_.counted_[static_cast<std::size_t>(link_.process_)]);
      }
      for (const auto& one : counted) reader_.counted(one.process, one.tally, 1);
      return !counted.empty();
    }
    void envelope(int process, const std::byte* head, const std::byte* payload, std::size_t bytes) override {
      tell();
      reader_.envelope(process, head, payload, bytes);
    }
    bool wants_more() override { return reader_.wants_more(); }

   private:
    LoopbackLink& link_;
    EnvelopeReader& reader_;
  };

  LoopbackHub& hub_;
  const int process_;
  int tallies_ = 0;
};

}  // namespace taihu::message
