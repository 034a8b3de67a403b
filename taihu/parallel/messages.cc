// SPDX-License-Identifier: Apache-2.0
// The first piece of a message begins with the length of the whole.
#include "taihu/parallel/messages.h"

#include <algorithm>

namespace taihu::parallel {
namespace {

constexpr std::size_t piece_bytes = std::size_t{64} << 20;

}  // namespace

void send_to(Communicator& ranks, int to, Bytes bytes) {
  const std::uint64_t total = bytes.size();
  std::size_t sent = 0;
  do {
    const std::size_t count = std::min(piece_bytes, bytes.size() - sent);
    Bytes piece;
    piece.reserve(count + sizeof total);
    if (sent == 0) append(piece, total);
    append(piece, bytes.data() + sent, count);
    ranks.post(to, Tag::pieces, std::move(piece));
    sent += count;
  } while (sent < bytes.size());
}

Bytes receive_from(Communicator& ranks, int from) {
  Message piece;
  ranks.take(Tag::pieces, from, true, piece);
  Reader reader(piece.data);
  const auto total = reader.read<std::uint64_t>();
  Bytes bytes(piece.data.begin() + sizeof total, piece.data.end());
  while (bytes.size() < total) {
    ranks.take(Tag::pieces, from, true, piece);
    append(bytes, piece.data.data(), piece.data.size());
  }
  return bytes;
}

std::vector<Bytes> exchange_all(Communicator& ranks, std::vector<Bytes> out) {
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

}  // namespace taihu::parallel
