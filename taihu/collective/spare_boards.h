// SPDX-License-Identifier: Apache-2.0
// Boards whose groups are gone, for later groups of the same members. A board has some hundred kB, which are
// cleared or come page by page: programs that make many communicators, use each a few times and free it would
// pay that each time. Steps only grow, so a later group goes on where the one before has ended.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "taihu/collective/board.h"

namespace taihu::collective {

/// One thread at a time.
class SpareBoards {
 public:
  /// Kept at most: `take` looks at each, while it may hold others up.
  static constexpr std::size_t most_boards = 64;

  /// Keeps boards with at most so many members together. What a board takes grows with its members.
  explicit SpareBoards(std::size_t most_members) : most_members_(most_members) {}

  /// One that members with these doorbells have left; null when there is none.
  std::unique_ptr<Board> take(const std::vector<threads::Doorbell*>& doorbells, bool crowded) noexcept {
    for (auto place = boards_.end(); place != boards_.begin();) {
      if (!(*--place)->is_of(doorbells, crowded)) continue;
      std::unique_ptr<Board> found = std::move(*place);
      boards_.erase(place);
      members_ -= doorbells.size();
      return found;
    }
    return nullptr;
  }

  /// Of a board that all its members have left. What is not kept goes to `gone`: one whose members have left
  /// at different steps, which nobody could take, and those that are too many, the oldest first. Throws
  /// std::bad_alloc; then nothing has changed.
  void keep(std::unique_ptr<Board>& board, std::list<std::unique_ptr<Board>>& gone) {
    if constexpr (contracts_checked) board->check_invariants();
    std::list<std::unique_ptr<Board>> one(1);
    one.front() = std::move(board);
    if (!one.front()->is_even()) return gone.splice(gone.end(), one);
    one.front()->forget_group();
    members_ += static_cast<std::size_t>(one.front()->members());
    boards_.splice(boards_.end(), one);
    while (members_ > most_members_ || boards_.size() > most_boards) {
      members_ -= static_cast<std::size_t>(boards_.front()->members());
      gone.splice(gone.end(), boards_, boards_.begin());
    }
  }

 private:
  const std::size_t most_members_;
  std::size_t members_ = 0;                   ///< of boards_
  std::list<std::unique_ptr<Board>> boards_;  ///< the oldest first
};

}  // namespace taihu::collective
