// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/collectives/operation.h"

#include <cstring>

namespace taihu::noc {

namespace {
constexpr const char* names[] = {"reduce", "broadcast", "allreduce", "gather", "barrier"};

Bytes reduce_in_order(const Operation& operation) {
  Bytes result = operation.data.front();
  for (std::size_t member = 1; member < operation.data.size(); ++member) {
    for (std::size_t place = 0; place + 8 <= operation.bytes; place += 8) {
      std::uint64_t left, right;
      std::memcpy(&left, result.data() + place, 8);
      std::memcpy(&right, operation.data[member].data() + place, 8);
      left = combine(operation.arithmetic, left, right);
      std::memcpy(result.data() + place, &left, 8);
    }
  }
  return result;
}
}  // namespace

std::optional<Collective> collective_named(std::string_view name) noexcept {
  for (int number = 0; number < 5; ++number)
    if (name == names[number]) return static_cast<Collective>(number);
  return std::nullopt;
}

const char* to_text(Collective collective) noexcept {
  return names[static_cast<int>(collective)];
}

std::vector<Bytes> reference_results(const Operation& operation, int members) {
  std::vector<Bytes> results(static_cast<std::size_t>(members));
  const auto root = static_cast<std::size_t>(operation.root);
  switch (operation.collective) {
    case Collective::reduce:
      results[root] = reduce_in_order(operation);
      break;
    case Collective::allreduce:
      results.assign(results.size(), reduce_in_order(operation));
      break;
    case Collective::broadcast:
      results.assign(results.size(), operation.data[root]);
      break;
    case Collective::gather:
      for (const Bytes& piece : operation.data)
        results[root].insert(results[root].end(), piece.begin(), piece.end());
      break;
    case Collective::barrier:
      break;
  }
  return results;
}

}  // namespace taihu::noc
