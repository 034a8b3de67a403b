// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/setup/coarse_points.h"

#include <algorithm>
#include <atomic>

#include "taihu/amg/matrix/bytes.h"
#include "taihu/amg/setup/independent_set.h"

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

// The rows that one rank has of a block: their graph inside the block, and which have no strong entry leaving
// it.
struct Piece {
  LocalIndex begin = 0, end = 0;  // own rows
  std::vector<LocalIndex> length, edge;
  std::vector<unsigned char> inside;
};

Piece make_piece(const CompleteRows& rows, GlobalIndex block) {
  const GlobalIndex first = block * first_pass_rows, last = first + first_pass_rows;
  Piece piece;
  piece.begin = static_cast<LocalIndex>(std::max<GlobalIndex>(first - rows.first(), 0));
  piece.end = static_cast<LocalIndex>(std::min<GlobalIndex>(last - rows.first(), rows.own()));
  const RowsView& view = rows.view();
  for (LocalIndex i = piece.begin; i < piece.end; ++i) {
    const std::size_t before = piece.edge.size();
    bool inside = true;
    for (Offset k = view.begin[i]; k < view.end[i]; ++k) {
      if (!rows.strong(k)) continue;
      const GlobalIndex j = rows.global(view.column[k]);
      if (j < first || j >= last) {
        inside = false;
        continue;
      }
      piece.edge.push_back(static_cast<LocalIndex>(j - first) * 4 + rows.depends(k) + 2 * rows.influences(k));
    }
    piece.length.push_back(static_cast<LocalIndex>(piece.edge.size() - before));
    piece.inside.push_back(inside);
  }
  return piece;
}

Communicator::Bytes piece_bytes(const Piece& piece) {
  std::vector<LocalIndex> words{static_cast<LocalIndex>(piece.length.size())};
  words.insert(words.end(), piece.length.begin(), piece.length.end());
  words.insert(words.end(), piece.edge.begin(), piece.edge.end());
  return to_bytes(words);
}

void append(Piece& piece, const Communicator::Bytes& bytes) {
  const auto words = from_bytes<LocalIndex>(bytes);
  if (words.empty()) return;
  const auto lengths_end = words.begin() + 1 + words[0];
  piece.length.insert(piece.length.end(), words.begin() + 1, lengths_end);
  piece.edge.insert(piece.edge.end(), lengths_end, words.end());
}

class FirstPasses {
 public:
  FirstPasses(const Context& context, const CompleteRows& rows, const Distribution& distribution,
              Array<PointState>& state)
      : context_(context), rows_(rows), distribution_(distribution), state_(state) {}

  void run() {
    Communicator& communicator = context_.communicator;
    const GlobalIndex first = rows_.first(), last = first + rows_.own();
    GlobalIndex block = first / first_pass_rows, block_end = (last + first_pass_rows - 1) / first_pass_rows;
    if (rows_.own() == 0) block_end = block;
    std::vector<Communicator::Bytes> to_rank(communicator.size()), back(communicator.size());
    Piece foreign, shared;
    const bool sends = block < block_end && block * first_pass_rows < first;
    if (sends) {
      foreign = make_piece(rows_, block);
      to_rank[distribution_.owner(block * first_pass_rows)] = piece_bytes(foreign);
      ++block;
    }
    const auto pieces = communicator.all_to_all(to_rank);
    const bool gathers = block < block_end && block_end * first_pass_rows > last;
    if (gathers) --block_end;
    run_own(block, block_end);
    if (gathers) gather(block_end, pieces, back);
    const auto answers = communicator.all_to_all(back);
    if (!sends) return;
    put(foreign, from_bytes<unsigned char>(answers[distribution_.owner((block - 1) * first_pass_rows)]));
  }

 private:
  // Whole blocks of this rank, a thread taking one after the other.
  void run_own(GlobalIndex begin, GlobalIndex end) {
    std::atomic<GlobalIndex> next{begin};
    context_.team.run([&](int) {
      for (GlobalIndex block = next++; block < end; block = next++) {
        const Piece piece = make_piece(rows_, block);
        put(piece, first_pass(piece.length, piece.edge));
      }
    });
  }

  // The last block, which begins here; others may have its end.
  void gather(GlobalIndex block, const std::vector<Communicator::Bytes>& pieces,
              std::vector<Communicator::Bytes>& back) {
    Piece whole = make_piece(rows_, block);
    std::size_t before = whole.length.size();
    std::vector<std::size_t> count;
    for (const auto& bytes : pieces) {
      append(whole, bytes);
      count.push_back(whole.length.size() - before);
      before = whole.length.size();
    }
    const std::vector<unsigned char> coarse = first_pass(whole.length, whole.edge);
    put(whole, coarse);
    std::size_t at = whole.inside.size();
    for (std::size_t rank = 0; rank < count.size(); ++rank) {
      back[rank] =
          to_bytes(std::vector<unsigned char>(coarse.begin() + at, coarse.begin() + at + count[rank]));
      at += count[rank];
    }
  }

  void put(const Piece& piece, const std::vector<unsigned char>& coarse) {
    for (LocalIndex i = piece.begin; i < piece.end; ++i)
      if (coarse[i - piece.begin] != 0 && piece.inside[i - piece.begin] != 0) state_[i] = coarse_point;
  }

  const Context& context_;
  const CompleteRows& rows_;
  const Distribution& distribution_;
  Array<PointState>& state_;
};

}  // namespace

Array<PointState> coarse_points(const Context& context, CompleteRows& rows, const Distribution& distribution,
                                Coarsening coarsening) {
  Array<PointState> state(context.storage, rows.column_parts());
  context.team.run(rows.partition(), [&](LocalIndex begin, LocalIndex end, int) {
    std::fill(state.data() + begin, state.data() + end, fine_point);
  });
  if (coarsening == Coarsening::hmis) FirstPasses(context, rows, distribution, state).run();
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
