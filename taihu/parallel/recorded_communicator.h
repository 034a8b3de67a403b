// SPDX-License-Identifier: Apache-2.0
// A communicator that writes down what its rank sends and waits for, and leaves the work to another one.
// `network-model --trace` replays what it wrote.
//
// The text of a rank has a line for each call:
//   exchange SENDS RECEIVES   messages under way together: rank:bytes,rank:bytes or - for none
//   allreduce BYTES, allgather BYTES, bcast BYTES, alltoall BYTES   of all ranks; of this one's block, or of
//                                                                   the whole buffer
// Messages of post() and take() are not written down.
#pragma once

#include <cstdio>
#include <span>
#include <string>

#include "taihu/parallel/communicator.h"

namespace taihu::parallel {

class RecordedCommunicator final : public Communicator {
 public:
  /// Does not own `inner`. Nothing is written down yet.
  explicit RecordedCommunicator(Communicator& inner) : inner_(inner) {}

  void record(bool on) { records_ = on; }
  /// Writes what all ranks have written down into a file, "taihu trace 1" above it. The root gets it rank by
  /// rank in pieces of 1 MiB at most, the others get nothing. Collective; the call itself is not recorded.
  /// Throws SharedError when the file cannot be written.
  void write_trace(const std::string& file);

  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  void sum(std::span<std::int64_t> values) override;
  void sum(std::span<ExactSum<128>> values) override;
  void maximum(std::span<double> values) override;
  std::vector<std::int64_t> all(std::int64_t value) override;
  void broadcast(void* data, std::size_t bytes) override;
  void start(std::span<const Buffer> sends, std::span<const Buffer> receives) override;
  void finish() override { inner_.finish(); }
  void post(int to, Tag tag, Bytes data) override { inner_.post(to, tag, std::move(data)); }
  bool take(Tag tag, int from, bool wait, Message& message) override {
    return inner_.take(tag, from, wait, message);
  }

 private:
  std::vector<std::int64_t> exchange_counts(std::span<const std::int64_t> counts) override;
  void exchange_elements(const Outgoing& out, const Incoming& in, std::size_t element_bytes) override;
  void all_gather_bytes(const void* mine, const Incoming& in) override;
  void note(const char* call, std::size_t bytes);
  void give_text();
  void take_texts(std::span<const std::int64_t> lengths, std::FILE* out);

  Communicator& inner_;
  bool records_ = false;
  std::string text_;
};

}  // namespace taihu::parallel
