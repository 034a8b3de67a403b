// SPDX-License-Identifier: Apache-2.0
// One rank, for programs without MPI.
#pragma once

#include <deque>
#include <utility>

#include "taihu/parallel/communicator.h"

namespace taihu::parallel {

class SoloCommunicator final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void sum(std::span<std::int64_t>) override {}
  void sum(std::span<ExactSum<128>>) override {}
  void maximum(std::span<double>) override {}
  std::vector<std::int64_t> all(std::int64_t value) override { return {value}; }
  void broadcast(void*, std::size_t) override {}
  void start(std::span<const Buffer>, std::span<const Buffer>) override {}
  void finish() override {}
  void post(int, Tag tag, Bytes data) override { mail_.emplace_back(tag, std::move(data)); }
  bool take(Tag tag, int, bool, Message& message) override {
    for (auto letter = mail_.begin(); letter != mail_.end(); ++letter) {
      if (letter->first != tag) continue;
      message = {0, std::move(letter->second)};
      mail_.erase(letter);
      return true;
    }
    return false;
  }

 private:
  std::vector<std::int64_t> exchange_counts(std::span<const std::int64_t> counts) override {
    return {counts.begin(), counts.end()};
  }
  void exchange_elements(const Outgoing& out, const Incoming& in, std::size_t element_bytes) override {
    copy(out.data, in, element_bytes);
  }
  void all_gather_bytes(const void* mine, const Incoming& in) override { copy(mine, in, 1); }
  static void copy(const void* from, const Incoming& in, std::size_t element_bytes) {
    if (in.counts[0] > 0) std::memcpy(in.data, from, static_cast<std::size_t>(in.counts[0]) * element_bytes);
  }

  std::deque<std::pair<Tag, Bytes>> mail_;
};

}  // namespace taihu::parallel
