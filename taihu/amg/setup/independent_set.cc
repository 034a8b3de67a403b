// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/setup/independent_set.h"

#include "taihu/amg/setup/row_blocks.h"

namespace taihu::amg {
namespace {

// Rows of a block; a matrix of a grid has several of its lines or planes in one, so borders matter little.
constexpr LocalIndex block_rows = 65536;

// Bits: what is known of a vertex before its turn.
enum : unsigned char { free_vertex = 0, near_vertex = 1, excluded_vertex = 2 };

class Greedy {
 public:
  Greedy(const Context& context, DistributedMatrix& matrix, const StrengthGraph& graph,
         Array<VertexState>& state)
      : context_(context),
        matrix_(matrix),
        graph_(graph),
        state_(state),
        mark_(context.storage, part_ends(graph.partition)) {}

  void run() {
    each_row([&](LocalIndex v) {
      mark_[v] = state_[v] == vertex_state::excluded ? excluded_vertex : free_vertex;
      if (mark_[v] == free_vertex) state_[v] = vertex_state::out;
    });
    for (const GlobalIndex offset : {0, 1}) {
      if (offset == 1) mark_near();
      RowBlocks(context_, matrix_.row_distribution, {block_rows, 2, offset}, *this).run();
      matrix_.halo.exchange(context_.communicator, state_.data(), graph_.rows);
    }
  }

  void whole(LocalIndex begin, LocalIndex end) {
    decide(
        begin, end, mark_.data(),
        [&](LocalIndex v, const auto& use) {
          for (Offset k = graph_.starts[v]; k < graph_.starts[v + 1]; ++k)
            if (graph_.column[k] >= begin && graph_.column[k] < end) use(graph_.column[k]);
        },
        [&](LocalIndex v) { state_[v] = vertex_state::in; });
  }

  // The head of a row is four times the number of its edges and its mark.
  BlockRows rows(LocalIndex begin, LocalIndex end, GlobalIndex first) const {
    BlockRows rows;
    for (LocalIndex v = begin; v < end; ++v) {
      const std::size_t before = rows.edge.size();
      for (Offset k = graph_.starts[v]; k < graph_.starts[v + 1]; ++k) {
        const GlobalIndex j = matrix_.global_column(graph_.column[k]) - first;
        if (j >= 0 && j < block_rows) rows.edge.push_back(static_cast<LocalIndex>(j));
      }
      rows.head.push_back(static_cast<LocalIndex>(rows.edge.size() - before) * 4 + mark_[v]);
    }
    return rows;
  }

  static std::vector<unsigned char> run(const BlockRows& rows) {
    const auto count = static_cast<LocalIndex>(rows.head.size());
    std::vector<unsigned char> mark, decided(count);
    std::vector<Offset> begin{0};
    for (const LocalIndex head : rows.head) {
      mark.push_back(static_cast<unsigned char>(head % 4));
      begin.push_back(begin.back() + head / 4);
    }
    decide(
        0, count, mark.data(),
        [&](LocalIndex v, const auto& use) {
          for (Offset k = begin[v]; k < begin[v + 1]; ++k) use(rows.edge[k]);
        },
        [&](LocalIndex v) { decided[v] = 1; });
    return decided;
  }

  void put(LocalIndex begin, LocalIndex end, const unsigned char* decided) {
    for (LocalIndex v = begin; v < end; ++v)
      if (decided[v - begin] != 0) state_[v] = vertex_state::in;
  }

 private:
  template <class Body>
  void each_row(const Body& body) const {
    context_.team.run(graph_.partition, [&](LocalIndex begin, LocalIndex end, int) {
      for (LocalIndex v = begin; v < end; ++v) body(v);
    });
  }

  // Takes each vertex that is free when its turn comes; neighbours(v, use) are those inside the block.
  template <class Neighbours, class Take>
  static void decide(LocalIndex begin, LocalIndex end, unsigned char* mark, const Neighbours& neighbours,
                     const Take& take) {
    for (LocalIndex v = begin; v < end; ++v) {
      if (mark[v] != free_vertex) continue;
      take(v);
      neighbours(v, [&](LocalIndex j) {
        if ((mark[j] & excluded_vertex) != 0) return;
        mark[j] |= near_vertex;
        neighbours(j, [&](LocalIndex l) { mark[l] |= near_vertex; });
      });
    }
  }

  // Marks what is within two steps of the set so far.
  void mark_near() {
    Array<unsigned char> beside(context_.storage, part_ends(graph_.partition, 1, matrix_.ghosts.size()));
    each_row([&](LocalIndex v) {
      unsigned char any = 0;
      if ((mark_[v] & excluded_vertex) == 0)
        for (Offset k = graph_.starts[v]; k < graph_.starts[v + 1]; ++k)
          any |= state_[graph_.column[k]] == vertex_state::in;
      beside[v] = any;
    });
    matrix_.halo.exchange(context_.communicator, beside.data(), graph_.rows);
    each_row([&](LocalIndex v) {
      unsigned char any = 0;
      for (Offset k = graph_.starts[v]; k < graph_.starts[v + 1]; ++k) any |= beside[graph_.column[k]];
      if (any != 0) mark_[v] |= near_vertex;
    });
  }

  const Context& context_;
  DistributedMatrix& matrix_;
  const StrengthGraph& graph_;
  Array<VertexState>& state_;
  Array<unsigned char> mark_;
};

}  // namespace

void independent_set(const Context& context, DistributedMatrix& matrix, const StrengthGraph& graph,
                     Array<VertexState>& state) {
  Greedy(context, matrix, graph, state).run();
}

}  // namespace taihu::amg
