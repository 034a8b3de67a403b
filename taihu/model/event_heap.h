// SPDX-License-Identifier: Apache-2.0
// A heap of events by number, each with one time that may be changed: the ends of flows whose rates change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "taihu/base/contract.h"

namespace taihu::model {

/// Events of the same time come in no particular, but always the same order.
class EventHeap {
 public:
  bool empty() const noexcept { return heap_.empty(); }
  double next_time() const noexcept { return heap_.front().time; }
  std::uint32_t next() const noexcept { return heap_.front().event; }

  void set(std::uint32_t event, double time) {
    if (event >= places_.size()) places_.resize(event + 1, nowhere);
    std::size_t at = places_[event];
    if (at == nowhere) {
      at = heap_.size();
      heap_.push_back({time, event});
      places_[event] = at;
    }
    heap_[at].time = time;
    down(up(at));
  }
  void pop() {
    expect(!heap_.empty(), "there is an event");
    places_[heap_.front().event] = nowhere;
    const Item last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return;
    heap_.front() = last;
    places_[last.event] = 0;
    down(0);
  }

 private:
  struct Item {
    double time;
    std::uint32_t event;
  };
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  void exchange(std::size_t a, std::size_t b) {
    std::swap(heap_[a], heap_[b]);
    places_[heap_[a].event] = a;
    places_[heap_[b].event] = b;
  }
  std::size_t up(std::size_t at) {
    while (at > 0 && heap_[at].time < heap_[(at - 1) / 2].time) {
      exchange(at, (at - 1) / 2);
      at = (at - 1) / 2;
    }
    return at;
  }
  void down(std::size_t at) {
    while (true) {
      std::size_t least = at;
      for (std::size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap_.size(); ++child)
        if (heap_[child].time < heap_[least].time) least = child;
      if (least == at) return;
      exchange(at, least);
      at = least;
    }
  }

  std::vector<Item> heap_;
  std::vector<std::size_t> places_;
};

}  // namespace taihu::model
