// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/setup/coarse_points.h"

namespace taihu::amg {
namespace {

constexpr LocalIndex no_row = -1;

// Rows by their weight in lists, first in first out; the highest non-empty list is known.
class Buckets {
 public:
  Buckets(LocalIndex rows, LocalIndex largest)
      : head_(largest + 1, no_row), tail_(largest + 1, no_row), next_(rows), before_(rows) {}

  void put(LocalIndex row, LocalIndex weight) {
    next_[row] = no_row;
    before_[row] = tail_[weight];
    (tail_[weight] == no_row ? head_[weight] : next_[tail_[weight]]) = row;
    tail_[weight] = row;
    top_ = std::max(top_, weight);
  }
  void remove(LocalIndex row, LocalIndex weight) {
    (before_[row] == no_row ? head_[weight] : next_[before_[row]]) = next_[row];
    (next_[row] == no_row ? tail_[weight] : before_[next_[row]]) = before_[row];
  }
  /// The first row of the highest list with a positive weight, or no_row.
  LocalIndex highest() {
    while (top_ > 0 && head_[top_] == no_row) --top_;
    return top_ > 0 ? head_[top_] : no_row;
  }

 private:
  std::vector<LocalIndex> head_, tail_, next_, before_;
  LocalIndex top_ = 0;
};

constexpr LocalIndex depends_bit = 1, influences_bit = 2;

}  // namespace

std::vector<unsigned char> first_pass(const std::vector<LocalIndex>& length,
                                      const std::vector<LocalIndex>& edge) {
  const auto rows = static_cast<LocalIndex>(length.size());
  std::vector<Offset> begin(rows + 1);
  std::vector<LocalIndex> weight(rows);
  LocalIndex most = 0;
  for (LocalIndex i = 0; i < rows; ++i) {
    begin[i + 1] = begin[i] + length[i];
    for (Offset k = begin[i]; k < begin[i + 1]; ++k) weight[i] += (edge[k] & influences_bit) != 0;
    most = std::max(most, length[i]);
  }
  // A weight grows by one for each fine row that depends on the row.
  Buckets buckets(rows, 2 * most + 1);
  enum : unsigned char { fine, coarse, undecided };
  std::vector<unsigned char> state(rows, undecided);
  for (LocalIndex i = 0; i < rows; ++i) {
    if (weight[i] == 0)
      state[i] = fine;
    else
      buckets.put(i, weight[i]);
  }
  const auto change = [&](LocalIndex row, LocalIndex by) {
    buckets.remove(row, weight[row]);
    buckets.put(row, weight[row] += by);
  };
  const auto each = [&](LocalIndex row, LocalIndex bit, const auto& use) {
    for (Offset k = begin[row]; k < begin[row + 1]; ++k)
      if ((edge[k] & bit) != 0 && state[edge[k] >> 2] == undecided) use(edge[k] >> 2);
  };
  for (LocalIndex i = buckets.highest(); i != no_row; i = buckets.highest()) {
    buckets.remove(i, weight[i]);
    state[i] = coarse;
    each(i, influences_bit, [&](LocalIndex j) {
      buckets.remove(j, weight[j]);
      state[j] = fine;
      each(j, depends_bit, [&](LocalIndex k) { change(k, 1); });
    });
    each(i, depends_bit, [&](LocalIndex j) { change(j, -1); });
  }
  for (unsigned char& s : state) s = s == coarse;
  return state;
}

}  // namespace taihu::amg
