// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/setup/independent_set.h"

#include <algorithm>

namespace taihu::amg {
namespace {

// A well mixed number between `in` and `out`.
VertexState priority(GlobalIndex vertex, std::uint64_t round) {
  std::uint64_t h =
      (static_cast<std::uint64_t>(vertex) + 1) * 0x9e3779b97f4a7c15u ^ (round + 1) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 27) * 0x94d049bb133111ebu;
  return static_cast<VertexState>(h >> 33) + 1;
}

class Rounds {
 public:
  Rounds(const Context& context, DistributedMatrix& matrix, const StrengthGraph& graph,
         Array<VertexState>& state)
      : context_(context),
        matrix_(matrix),
        graph_(graph),
        state_(state),
        best_(context.storage, part_ends(graph.partition, 1, matrix.ghosts.size())),
        undecided_(context.storage, part_ends(graph.partition)),
        open_(context.storage, part_ends(graph.partition)),
        lists_(context.team.size()) {
    context.team.run(graph.partition, [&](LocalIndex begin, LocalIndex end, int thread) {
      LocalIndex count = 0;
      for (LocalIndex v = begin; v < end; ++v) {
        best_[v] = vertex_state::excluded;
        if (state[v] == vertex_state::excluded) continue;
        undecided_[begin + count] = open_[begin + count] = v;
        ++count;
      }
      lists_[thread] = {{undecided_.data() + begin, count}, {open_.data() + begin, count}};
    });
  }

  void run() {
    draw(0);
    for (std::uint64_t round = 1; undecided() > 0; ++round) {
      find_best();
      decide(round);
    }
  }

 private:
  struct List {
    LocalIndex* vertex = nullptr;
    LocalIndex length = 0;

    const LocalIndex* begin() const { return vertex; }
    const LocalIndex* end() const { return vertex + length; }
    // Keeps the vertices for which done(vertex) is false.
    template <class Done>
    void drop(const Done& done) {
      LocalIndex kept = 0;
      for (LocalIndex i = 0; i < length; ++i) {
        const LocalIndex v = vertex[i];
        vertex[kept] = v;
        kept += !done(v);
      }
      length = kept;
    }
  };
  // The vertices of one part.
  struct Lists {
    List undecided;
    List open;  // without a member of the set among their neighbours
  };

  void exchange(Array<VertexState>& values) {
    matrix_.halo.exchange(context_.communicator, values.data(), matrix_.local.rows);
  }

  std::int64_t undecided() {
    std::int64_t count = 0;
    for (const Lists& lists : lists_) count += lists.undecided.length;
    context_.communicator.sum({&count, 1});
    return count;
  }

  // Runs body(lists) on the thread of each part.
  template <class Body>
  void each_list(const Body& body) {
    context_.team.run(graph_.partition, [&](LocalIndex, LocalIndex, int thread) { body(lists_[thread]); });
  }

  void draw(std::uint64_t round) {
    each_list([&](Lists& lists) {
      for (const LocalIndex v : lists.undecided) state_[v] = priority(matrix_.first_row + v, round);
    });
    exchange(state_);
  }

  // best = lowest state among the neighbours; `out` once one of them is in the set.
  void find_best() {
    each_list([&](Lists& lists) {
      lists.open.drop([&](LocalIndex v) {
        VertexState best = vertex_state::excluded;
        for (Offset k = graph_.starts[v]; k < graph_.starts[v + 1]; ++k)
          best = std::min(best, state_[graph_.column[k]]);
        if (best == vertex_state::in || best >= vertex_state::out) best = vertex_state::out;
        best_[v] = best;
        return best == vertex_state::out;
      });
    });
    exchange(best_);
  }

  // Who joins, who is out, and the priorities of the others for the next round.
  void decide(std::uint64_t next_round) {
    each_list([&](Lists& lists) {
      lists.undecided.drop([&](LocalIndex v) {
        bool first = true;
        for (Offset k = graph_.starts[v]; k < graph_.starts[v + 1]; ++k) {
          const VertexState best = best_[graph_.column[k]];
          if (best == vertex_state::out) {
            state_[v] = vertex_state::out;
            return true;
          }
          first &= best >= state_[v];
        }
        state_[v] = first ? vertex_state::in : priority(matrix_.first_row + v, next_round);
        return first;
      });
    });
    exchange(state_);
  }

  const Context& context_;
  DistributedMatrix& matrix_;
  const StrengthGraph& graph_;
  Array<VertexState>& state_;
  Array<VertexState> best_;
  Array<LocalIndex> undecided_, open_;
  std::vector<Lists> lists_;
};

}  // namespace

void independent_set(const Context& context, DistributedMatrix& matrix, const StrengthGraph& graph,
                     Array<VertexState>& state) {
  Rounds(context, matrix, graph, state).run();
}

}  // namespace taihu::amg
