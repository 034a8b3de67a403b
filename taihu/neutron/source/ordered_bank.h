// SPDX-License-Identifier: Apache-2.0
// Records of what happened in histories, for files.
//
// Each thread lists what happens in its histories; after a generation the lists are put in the order of the
// histories and, inside one, of the events. So the first `most` records do not depend on ranks, threads and
// domains.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "taihu/parallel/communicator.h"
#include "taihu/parallel/messages.h"

namespace taihu::neutron {

/// Puts records in their order and forgets those behind the first `most`. Record: has the members `history`
/// and `number`, which is that of the event in the history.
template <typename Record>
void keep_first(std::vector<Record>& records, std::int64_t most) {
  const auto earlier = [](const Record& a, const Record& b) {
    return std::tie(a.history, a.number) < std::tie(b.history, b.number);
  };
  const auto count = std::min(static_cast<std::size_t>(most), records.size());
  const auto end = records.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(records.begin(), end, records.end(), earlier);
  records.resize(count);
}

/// The first `most` records of all lists and ranks, on the root; empty elsewhere. Empties the lists.
/// Collective.
template <typename Record>
std::vector<Record> gather_first(parallel::Communicator& ranks,
                                 const std::vector<std::vector<Record>*>& lists, std::int64_t most) {
  std::vector<Record> all;
  for (std::vector<Record>* list : lists) {
    all.insert(all.end(), list->begin(), list->end());
    list->clear();
  }
  keep_first(all, most);
  if (ranks.size() == 1) return all;
  std::vector<parallel::Bytes> out(ranks.size());
  parallel::append(out[0], all.data(), all.size());
  all.clear();
  for (const parallel::Bytes& in : parallel::exchange_all(ranks, std::move(out))) {
    const std::size_t before = all.size();
    all.resize(before + in.size() / sizeof(Record));
    parallel::Reader(in).read(all.data() + before, all.size() - before);
  }
  keep_first(all, most);
  return all;
}

/// The records that wait for the next file: on the root, with their number on all ranks.
template <typename Record>
class OrderedBank {
 public:
  /// `files` of `most` records each; a file that is full begins the next one.
  OrderedBank(std::int64_t most, int files) : most_(most), files_(files) {}

  bool wants() const noexcept { return taken_ < files_ && count_ < most_; }
  bool full() const noexcept { return count_ >= most_; }
  bool due(bool finished) const noexcept { return taken_ < files_ && (finished || full()); }
  int taken() const noexcept { return taken_; }  ///< files

  /// Collective.
  void collect(parallel::Communicator& ranks, const std::vector<std::vector<Record>*>& lists) {
    const std::vector<Record> more = gather_first(ranks, lists, most_ - count_);
    records_.insert(records_.end(), more.begin(), more.end());
    count_ = static_cast<std::int64_t>(records_.size());
    ranks.broadcast(&count_, sizeof count_);
  }

  /// Begins the next file. On all ranks.
  std::vector<Record> take() {
    ++taken_;
    count_ = 0;
    return std::exchange(records_, {});
  }

 private:
  std::int64_t most_, count_ = 0;
  int files_, taken_ = 0;
  std::vector<Record> records_;
};

}  // namespace taihu::neutron
