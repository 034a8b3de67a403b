// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallel/recorded_communicator.h"

#include <algorithm>
#include <cstring>

namespace taihu::parallel {
namespace {

void add_peer(std::string& list, int peer, std::size_t bytes) {
  if (!list.empty()) list += ',';
  list += std::to_string(peer) + ':' + std::to_string(bytes);
}

std::string line_of(const std::string& sends, const std::string& receives) {
  return "exchange " + (sends.empty() ? "-" : sends) + ' ' + (receives.empty() ? "-" : receives) + '\n';
}

}  // namespace

void RecordedCommunicator::note(const char* call, std::size_t bytes) {
  if (records_) text_ += std::string(call) + ' ' + std::to_string(bytes) + '\n';
}

std::string RecordedCommunicator::trace_of_all() {
  Bytes mine(text_.size());
  std::memcpy(mine.data(), text_.data(), text_.size());
  std::string all = "taihu trace 1\nranks " + std::to_string(size()) + '\n';
  int rank = 0;
  for (const Bytes& bytes : inner_.all_gather(mine)) {
    all += "rank " + std::to_string(rank++) + '\n';
    all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return all;
}

void RecordedCommunicator::sum(std::span<std::int64_t> values) {
  note("allreduce", values.size_bytes());
  inner_.sum(values);
}

void RecordedCommunicator::sum(std::span<ExactSum<128>> values) {
  note("allreduce", values.size_bytes());
  inner_.sum(values);
}

void RecordedCommunicator::maximum(std::span<double> values) {
  note("allreduce", values.size_bytes());
  inner_.maximum(values);
}

std::vector<std::int64_t> RecordedCommunicator::all(std::int64_t value) {
  note("allgather", sizeof value);
  return inner_.all(value);
}

void RecordedCommunicator::broadcast(void* data, std::size_t bytes) {
  note("bcast", bytes);
  inner_.broadcast(data, bytes);
}

void RecordedCommunicator::start(std::span<const Buffer> sends, std::span<const Buffer> receives) {
  if (records_) {
    std::string to, from;
    for (const Buffer& buffer : sends) add_peer(to, buffer.peer, buffer.bytes);
    for (const Buffer& buffer : receives) add_peer(from, buffer.peer, buffer.bytes);
    text_ += line_of(to, from);
  }
  inner_.start(sends, receives);
}

std::vector<std::int64_t> RecordedCommunicator::exchange_counts(std::span<const std::int64_t> counts) {
  note("alltoall", sizeof(std::int64_t));
  const std::vector<std::int64_t> ones(counts.size(), 1);
  return inner_.exchange<std::int64_t>(counts, ones);
}

void RecordedCommunicator::exchange_elements(const Outgoing& out, const Incoming& in,
                                             std::size_t element_bytes) {
  std::string to, from;
  std::vector<std::int64_t> bytes;
  for (int peer = 0; peer < size(); ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    bytes.push_back(out.counts[at] * static_cast<std::int64_t>(element_bytes));
    const auto incoming = static_cast<std::size_t>(in.counts[at]) * element_bytes;
    if (peer != rank() && bytes.back() > 0) add_peer(to, peer, static_cast<std::size_t>(bytes.back()));
    if (peer != rank() && incoming > 0) add_peer(from, peer, incoming);
  }
  if (records_) text_ += line_of(to, from);
  const std::span<const std::byte> elements(static_cast<const std::byte*>(out.data),
                                            total(out.counts) * element_bytes);
  const std::vector<std::byte> result = inner_.exchange<std::byte>(elements, bytes);
  if (!result.empty()) std::memcpy(in.data, result.data(), result.size());
}

void RecordedCommunicator::all_gather_bytes(const void* mine, const Incoming& in) {
  Bytes bytes(static_cast<std::size_t>(in.counts[static_cast<std::size_t>(rank())]));
  note("allgather", bytes.size());
  if (!bytes.empty()) std::memcpy(bytes.data(), mine, bytes.size());
  auto* to = static_cast<std::byte*>(in.data);
  for (const Bytes& one : inner_.all_gather(bytes)) {
    to = std::copy_n(reinterpret_cast<const std::byte*>(one.data()), one.size(), to);
  }
}

}  // namespace taihu::parallel
