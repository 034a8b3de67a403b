// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallel/communicator.h"

#include <numeric>

namespace taihu::parallel {
namespace {

std::vector<Bytes> split(const Bytes& all, std::span<const std::int64_t> counts) {
  std::vector<Bytes> parts;
  auto begin = all.begin();
  for (const std::int64_t count : counts) {
    parts.emplace_back(begin, begin + count);
    begin += count;
  }
  return parts;
}

}  // namespace

std::size_t Communicator::total(std::span<const std::int64_t> counts) {
  return static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
}

std::vector<Bytes> Communicator::all_gather(const Bytes& mine) {
  const std::vector<std::int64_t> counts = all(static_cast<std::int64_t>(mine.size()));
  Bytes everything(total(counts));
  all_gather_bytes(mine.data(), {everything.data(), counts});
  return split(everything, counts);
}

std::vector<Bytes> Communicator::all_to_all(const std::vector<Bytes>& to_rank) {
  std::vector<std::int64_t> counts;
  for (const Bytes& bytes : to_rank) counts.push_back(static_cast<std::int64_t>(bytes.size()));
  Bytes outgoing;
  outgoing.reserve(total(counts));
  for (const Bytes& bytes : to_rank) outgoing.insert(outgoing.end(), bytes.begin(), bytes.end());
  const std::vector<std::int64_t> incoming = exchange_counts(counts);
  Bytes everything(total(incoming));
  exchange_elements({outgoing.data(), counts}, {everything.data(), incoming}, 1);
  return split(everything, incoming);
}

}  // namespace taihu::parallel
