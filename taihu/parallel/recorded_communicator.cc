// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallel/recorded_communicator.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "taihu/base/error.h"
#include "taihu/base/output_file.h"
#include "taihu/parallel/shared_error.h"

namespace taihu::parallel {
namespace {

constexpr std::size_t trace_piece_bytes = std::size_t{1} << 20;

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

/// To the root, piece by piece; the root takes those of one rank after the other.
void RecordedCommunicator::give_text() {
  for (std::size_t at = 0; at < text_.size(); at += trace_piece_bytes) {
    const Buffer piece{0, text_.data() + at, std::min(trace_piece_bytes, text_.size() - at)};
    inner_.start({&piece, 1}, {});
    inner_.finish();
  }
}

/// `out` may be null: what the others give is taken and thrown away. So it is after a failure, which is
/// thrown at the end.
void RecordedCommunicator::take_texts(std::span<const std::int64_t> lengths, std::FILE* out) {
  int error = 0;
  const auto write = [&](const std::string& text) {
    if (out != nullptr && error == 0 && std::fwrite(text.data(), 1, text.size(), out) != text.size())
      error = errno;
  };
  write("taihu trace 1\nranks " + std::to_string(size()) + '\n');
  std::string piece;
  for (int from = 0; from < size(); ++from) {
    write("rank " + std::to_string(from) + '\n');
    if (from == rank()) write(text_);
    const auto length =
        from == rank() ? 0 : static_cast<std::size_t>(lengths[static_cast<std::size_t>(from)]);
    for (std::size_t at = 0; at < length; at += trace_piece_bytes) {
      piece.resize(std::min(trace_piece_bytes, length - at));
      const Buffer buffer{from, piece.data(), piece.size()};
      inner_.start({}, {&buffer, 1});
      inner_.finish();
      write(piece);
    }
  }
  if (error != 0) throw system_error("cannot write the trace", error);
}

void RecordedCommunicator::write_trace(const std::string& file) {
  const std::vector<std::int64_t> lengths = inner_.all(static_cast<std::int64_t>(text_.size()));
  together(inner_, true, [&] {
    if (!is_root()) return give_text();
    bool is_taken = false;
    try {
      write_file(file, [&](std::FILE* out) {
        is_taken = true;
        take_texts(lengths, out);
      });
    } catch (...) {
      if (!is_taken) take_texts(lengths, nullptr);
      throw;
    }
  });
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
