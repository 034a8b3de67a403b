// SPDX-License-Identifier: Apache-2.0
// Passes that go through rows one after the other, each row seeing what was decided before, in blocks of
// consecutive global rows: blocks run at the same time and do not see each other, so the result depends on
// neither threads nor ranks. A block that several ranks share is done by the one with its first row.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "taihu/amg/matrix/distribution.h"
#include "taihu/amg/parallel/context.h"
#include "taihu/parallel/bytes.h"

namespace taihu::amg {

/// Rows of a block for a pass on another rank: `head` has one word per row, `edge` what belongs to them.
struct BlockRows {
  std::vector<LocalIndex> head, edge;
};

/// Which blocks a run does.
struct BlockChoice {
  GlobalIndex rows;                  ///< of a block
  GlobalIndex step = 1, offset = 0;  ///< blocks with number % step == offset
};

/// The blocks of this rank, for a Pass with
///     void whole(LocalIndex begin, LocalIndex end): does the own rows of a block without rows of other
///     ranks,
///         on any thread;
///     BlockRows rows(LocalIndex begin, LocalIndex end, GlobalIndex first): own rows of the block that begins
///         at the global row `first`;
///     std::vector<unsigned char> run(const BlockRows&): what is decided for each row of a block;
///     void put(LocalIndex begin, LocalIndex end, const unsigned char*): takes that for own rows.
template <class Pass>
class RowBlocks {
 public:
  RowBlocks(const Context& context, const Distribution& distribution, const BlockChoice& choice, Pass& pass)
      : context_(context),
        distribution_(distribution),
        choice_(choice),
        pass_(pass),
        first_(distribution.begin(context.communicator.rank())),
        last_(distribution.end(context.communicator.rank())) {}

  /// Collective.
  void run() {
    parallel::Communicator& communicator = context_.communicator;
    const GlobalIndex size = choice_.rows;
    GlobalIndex block = first_ / size, block_end = first_ < last_ ? (last_ + size - 1) / size : block;
    std::vector<parallel::Bytes> to_rank(communicator.size()), back(communicator.size());
    const GlobalIndex foreign = block < block_end && block * size < first_ ? block++ : -1;
    const bool sends = foreign >= 0 && chosen(foreign);
    if (sends) to_rank[distribution_.owner(foreign * size)] = to_words(rows_of(foreign));
    const auto pieces = communicator.all_to_all(to_rank);
    const bool shares = block < block_end && block_end * size > last_;
    if (shares) --block_end;
    run_whole(block, block_end);
    if (shares && chosen(block_end)) gather(block_end, pieces, back);
    const auto answers = communicator.all_to_all(back);
    if (!sends) return;
    const auto answer = parallel::from_bytes<unsigned char>(answers[distribution_.owner(foreign * size)]);
    pass_.put(begin_of(foreign), end_of(foreign), answer.data());
  }

 private:
  bool chosen(GlobalIndex block) const { return block % choice_.step == choice_.offset; }
  LocalIndex begin_of(GlobalIndex block) const {
    return static_cast<LocalIndex>(std::max<GlobalIndex>(block * choice_.rows - first_, 0));
  }
  LocalIndex end_of(GlobalIndex block) const {
    return static_cast<LocalIndex>(std::min((block + 1) * choice_.rows, last_) - first_);
  }
  BlockRows rows_of(GlobalIndex block) {
    return pass_.rows(begin_of(block), end_of(block), block * choice_.rows);
  }

  // A thread takes one block after the other.
  void run_whole(GlobalIndex begin, GlobalIndex end) {
    std::atomic<GlobalIndex> next{begin};
    context_.team.run([&](int) {
      for (GlobalIndex block = next++; block < end; block = next++)
        if (chosen(block)) pass_.whole(begin_of(block), end_of(block));
    });
  }

  // The last block, which begins here; others may have its end.
  void gather(GlobalIndex block, const std::vector<parallel::Bytes>& pieces,
              std::vector<parallel::Bytes>& back) {
    BlockRows all = rows_of(block);
    std::size_t at = all.head.size();
    std::vector<std::size_t> ends;
    for (const auto& bytes : pieces) {
      append(all, bytes);
      ends.push_back(all.head.size());
    }
    const std::vector<unsigned char> decided = pass_.run(all);
    pass_.put(begin_of(block), end_of(block), decided.data());
    for (std::size_t rank = 0; rank < ends.size(); at = ends[rank++])
      back[rank] =
          parallel::to_bytes(std::vector<unsigned char>(decided.begin() + at, decided.begin() + ends[rank]));
  }

  static parallel::Bytes to_words(const BlockRows& rows) {
    std::vector<LocalIndex> words{static_cast<LocalIndex>(rows.head.size())};
    words.insert(words.end(), rows.head.begin(), rows.head.end());
    words.insert(words.end(), rows.edge.begin(), rows.edge.end());
    return parallel::to_bytes(words);
  }
  static void append(BlockRows& rows, const parallel::Bytes& bytes) {
    const auto words = parallel::from_bytes<LocalIndex>(bytes);
    if (words.empty()) return;
    const auto head_end = words.begin() + 1 + words[0];
    rows.head.insert(rows.head.end(), words.begin() + 1, head_end);
    rows.edge.insert(rows.edge.end(), head_end, words.end());
  }

  const Context& context_;
  const Distribution& distribution_;
  BlockChoice choice_;
  Pass& pass_;
  GlobalIndex first_, last_;  // own rows
};

}  // namespace taihu::amg
