// SPDX-License-Identifier: Apache-2.0
// A long message travels in pieces; the first one begins with the length of the whole.
#include "taihu/neutron/parallel/messages.h"

#include <algorithm>

namespace taihu::neutron {
namespace {

constexpr std::size_t piece_bytes = std::size_t{64} << 20;

}  // namespace

void send_to(Ranks& ranks, int to, Bytes bytes) {
  const std::uint64_t total = bytes.size();
  std::size_t sent = 0;
  do {
    const std::size_t count = std::min(piece_bytes, bytes.size() - sent);
    Bytes piece;
    piece.reserve(count + sizeof total);
    if (sent == 0) append(piece, total);
    append(piece, bytes.data() + sent, count);
    ranks.post(to, MessageKind::exchange, std::move(piece));
    sent += count;
  } while (sent < bytes.size());
}

Bytes receive_from(Ranks& ranks, int from) {
  Message piece;
  ranks.take(MessageKind::exchange, from, true, piece);
  Reader reader(piece.data);
  const auto total = reader.read<std::uint64_t>();
  Bytes bytes(piece.data.begin() + sizeof total, piece.data.end());
  while (bytes.size() < total) {
    ranks.take(MessageKind::exchange, from, true, piece);
    append(bytes, piece.data.data(), piece.data.size());
  }
  return bytes;
}

std::vector<Bytes> exchange_all(Ranks& ranks, std::vector<Bytes> out) {
  const int size = ranks.size(), rank = ranks.rank();
  std::vector<Bytes> in(size);
  in[rank] = std::move(out[rank]);
  for (int step = 1; step < size; ++step) {
    const int to = (rank + step) % size;
    send_to(ranks, to, std::move(out[to]));
  }
  for (int step = 1; step < size; ++step) {
    const int from = (rank - step + size) % size;
    in[from] = receive_from(ranks, from);
  }
  return in;
}

void throw_together(Ranks& ranks, const std::string& problem, bool wrong_use) {
  if (ranks.size() == 1) {
    if (!problem.empty()) throw SharedError(problem, wrong_use);
    return;
  }
  constexpr std::int64_t fine = 0, failure = 1, usage = 2;
  const std::vector<std::int64_t> found = ranks.all(problem.empty() ? fine : wrong_use ? usage : failure);
  const auto first =
      std::find_if(found.begin(), found.end(), [](std::int64_t state) { return state != fine; });
  if (first == found.end()) return;
  const int which = static_cast<int>(first - found.begin());
  if (ranks.rank() == which) {
    Bytes text;
    append(text, problem.data(), problem.size());
    for (int rank = 0; rank < ranks.size(); ++rank)
      if (rank != which) send_to(ranks, rank, text);
    throw SharedError(problem, wrong_use);
  }
  const Bytes text = receive_from(ranks, which);
  throw SharedError(std::string(reinterpret_cast<const char*>(text.data()), text.size()), *first == usage);
}

}  // namespace taihu::neutron
