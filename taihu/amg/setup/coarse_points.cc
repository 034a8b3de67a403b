// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/setup/coarse_points.h"

#include <algorithm>
#include <atomic>

#include "taihu/amg/setup/independent_set.h"
#include "taihu/amg/setup/row_blocks.h"

namespace taihu::amg {
namespace {

constexpr int hash_bits = 40;

// Weight first, then a well mixed number of the global index.
PointState priority(GlobalIndex point, LocalIndex weight) {
  std::uint64_t h = (static_cast<std::uint64_t>(point) + 1) * 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 27) * 0x94d049bb133111ebu;
  return static_cast<PointState>(weight) << hash_bits | h >> (64 - hash_bits);
}

PointState read(const PointState& state) {
  return std::atomic_ref(const_cast<PointState&>(state)).load(std::memory_order_relaxed);
}

// The rounds of PMIS.
class Rounds {
 public:
  Rounds(const Context& context, CompleteRows& rows, Array<PointState>& state)
      : context_(context), rows_(rows), state_(state), lists_(context.team.size()) {}

  // Rows that influence others compete, the others are fine points.
  void start() {
    context_.team.run(rows_.partition(), [&](LocalIndex begin, LocalIndex end, int thread) {
      for (LocalIndex i = begin; i < end; ++i) {
        const PointState first = state_[i];
        if (first != coarse_point) state_[i] = first_state(i);
        if (state_[i] != fine_point && state_[i] != coarse_point) lists_[thread].undecided.push_back(i);
      }
    });
    rows_.exchange(context_, state_);
    set_dependents_fine();
  }

  void run() {
    while (undecided() > 0) {
      choose();
      set_dependents_fine();
    }
  }

 private:
  struct List {
    std::vector<LocalIndex> undecided;
    std::vector<unsigned char> joins;
  };

  PointState first_state(LocalIndex i) const {
    const RowsView& view = rows_.view();
    LocalIndex weight = 0;
    for (Offset k = view.begin[i]; k < view.end[i]; ++k) weight += rows_.influences(k);
    return weight == 0 ? fine_point : priority(rows_.global(i), weight);
  }

  std::int64_t undecided() {
    std::int64_t count = 0;
    for (const List& list : lists_) count += static_cast<std::int64_t>(list.undecided.size());
    context_.communicator.sum({&count, 1});
    return count;
  }

  bool highest(LocalIndex i) const {
    const RowsView& view = rows_.view();
    for (Offset k = view.begin[i]; k < view.end[i]; ++k) {
      const PointState other = state_[view.column[k]];
      if (other > state_[i] && other != coarse_point && rows_.strong(k)) return false;
    }
    return true;
  }

  void choose() {
    context_.team.run(rows_.partition(), [&](LocalIndex, LocalIndex, int thread) {
      List& list = lists_[thread];
      list.joins.resize(list.undecided.size());
      for (std::size_t n = 0; n < list.undecided.size(); ++n) list.joins[n] = highest(list.undecided[n]);
    });
    context_.team.run(rows_.partition(), [&](LocalIndex, LocalIndex, int thread) {
      List& list = lists_[thread];
      std::size_t kept = 0;
      for (std::size_t n = 0; n < list.undecided.size(); ++n) {
        const LocalIndex i = list.undecided[n];
        list.undecided[kept] = i;
        kept += !list.joins[n];
        if (list.joins[n]) state_[i] = coarse_point;
      }
      list.undecided.resize(kept);
    });
    rows_.exchange(context_, state_);
  }

  // Undecided rows that depend on a coarse point are fine ones. States change while neighbours read them, but
  // only from undecided to fine, which makes no difference to the question asked.
  void set_dependents_fine() {
    const RowsView& view = rows_.view();
    context_.team.run(rows_.partition(), [&](LocalIndex, LocalIndex, int thread) {
      std::erase_if(lists_[thread].undecided, [&](LocalIndex i) {
        for (Offset k = view.begin[i]; k < view.end[i]; ++k) {
          if (!rows_.depends(k) || read(state_[view.column[k]]) != coarse_point) continue;
          std::atomic_ref(state_[i]).store(fine_point, std::memory_order_relaxed);
          return true;
        }
        return false;
      });
    });
    rows_.exchange(context_, state_);
  }

  const Context& context_;
  CompleteRows& rows_;
  Array<PointState>& state_;
  std::vector<List> lists_;
};

// The first pass of Ruge and Stueben in blocks. Its coarse points without strong entries to other blocks
// stay.
class FirstPasses {
 public:
  FirstPasses(const CompleteRows& rows, Array<PointState>& state) : rows_(rows), state_(state) {}

  void whole(LocalIndex begin, LocalIndex end) {
    put(begin, end, run(rows(begin, end, rows_.first() + begin)).data());
  }

  BlockRows rows(LocalIndex begin, LocalIndex end, GlobalIndex first) const {
    const RowsView& view = rows_.view();
    BlockRows rows;
    for (LocalIndex i = begin; i < end; ++i) {
      const std::size_t before = rows.edge.size();
      for (Offset k = view.begin[i]; k < view.end[i]; ++k) {
        const GlobalIndex j = rows_.global(view.column[k]) - first;
        if (rows_.strong(k) && j >= 0 && j < first_pass_rows)
          rows.edge.push_back(static_cast<LocalIndex>(j) * 4 + rows_.depends(k) + 2 * rows_.influences(k));
      }
      rows.head.push_back(static_cast<LocalIndex>(rows.edge.size() - before));
    }
    return rows;
  }

  static std::vector<unsigned char> run(const BlockRows& rows) { return first_pass(rows.head, rows.edge); }

  void put(LocalIndex begin, LocalIndex end, const unsigned char* coarse) {
    for (LocalIndex i = begin; i < end; ++i)
      if (coarse[i - begin] != 0 && inside(i)) state_[i] = coarse_point;
  }

 private:
  // Whether no strong entry of the row leaves its block.
  bool inside(LocalIndex i) const {
    const RowsView& view = rows_.view();
    const GlobalIndex block = rows_.global(i) / first_pass_rows;
    for (Offset k = view.begin[i]; k < view.end[i]; ++k)
      if (rows_.strong(k) && rows_.global(view.column[k]) / first_pass_rows != block) return false;
    return true;
  }

  const CompleteRows& rows_;
  Array<PointState>& state_;
};

}  // namespace

Array<PointState> coarse_points(const Context& context, CompleteRows& rows, const Distribution& distribution,
                                Coarsening coarsening) {
  Array<PointState> state(context.storage, rows.column_parts());
  context.team.run(rows.partition(), [&](LocalIndex begin, LocalIndex end, int) {
    std::fill(state.data() + begin, state.data() + end, fine_point);
  });
  if (coarsening == Coarsening::hmis) {
    FirstPasses passes(rows, state);
    RowBlocks(context, distribution, {first_pass_rows}, passes).run();
  }
  Rounds rounds(context, rows, state);
  rounds.start();
  rounds.run();
  return state;
}

Array<PointState> aggressive_coarse_points(const Context& context, DistributedMatrix& matrix,
                                           CompleteRows& rows) {
  const Csr<double>& local = matrix.local;
  const RowsView& view = rows.view();
  StrengthGraph graph;
  graph.rows = local.rows;
  graph.partition = local.partition;
  graph.starts = Array<Offset>(context.storage, part_ends(local.partition, 1, 1));
  const auto kept = [&](LocalIndex i, Offset k) {
    return local.column[k] == i || rows.strong(k - local.starts[i] + view.begin[i]);
  };
  context.team.run(local.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) {
      graph.starts[i + 1] = 0;
      for (Offset k = local.starts[i]; k < local.starts[i + 1]; ++k) graph.starts[i + 1] += kept(i, k);
    }
  });
  graph.starts[0] = 0;
  for (LocalIndex i = 0; i < local.rows; ++i) graph.starts[i + 1] += graph.starts[i];
  graph.column = Array<LocalIndex>(context.storage, part_ends(local.partition, graph.starts));
  Array<VertexState> member(context.storage, part_ends(local.partition, 1, matrix.ghosts.size()));
  context.team.run(local.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) {
      Offset out = graph.starts[i];
      for (Offset k = local.starts[i]; k < local.starts[i + 1]; ++k)
        if (kept(i, k)) graph.column[out++] = local.column[k];
      member[i] = out - graph.starts[i] > 1 ? vertex_state::out : vertex_state::excluded;
    }
  });
  matrix.halo.exchange(context.communicator, member.data(), local.rows);
  independent_set(context, matrix, graph, member);
  Array<PointState> state(context.storage, rows.column_parts());
  context.team.run(rows.partition(), [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i)
      state[i] = member[i] == vertex_state::in ? coarse_point : fine_point;
  });
  rows.exchange(context, state);
  return state;
}

}  // namespace taihu::amg
