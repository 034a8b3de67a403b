// SPDX-License-Identifier: Apache-2.0
// Boards whose groups are gone, for later groups of the same members. A board has some hundred kB, which are
// cleared or come page by page: programs that make many communicators, use each a few times and free it would
// pay that each time. Steps only grow, so a later group goes on where the one before has ended.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "taihu/collective/board.h"

namespace taihu::collective {

/// One thread at a time.
class SpareBoards {
 public:
  /// Keeps boards with at most so many members together.
  explicit SpareBoards(std::size_t most_members) : most_members_(most_members) {}

  /// One that members with these doorbells have left; null when there is none.
  std::unique_ptr<Board> take(const std::vector<threads::Doorbell*>& doorbells, bool crowded) noexcept {
    for (std::size_t k = boards_.size(); k-- > 0;) {
      if (!boards_[k]->is_of(doorbells, crowded)) continue;
      std::unique_ptr<Board> found = std::move(boards_[k]);
      boards_.erase(boards_.begin() + static_cast<std::ptrdiff_t>(k));
      members_ -= doorbells.size();
      return found;
    }
    return nullptr;
  }

  /// Of a board that all its members have left; those that are too many go to `gone`, the oldest first.
  void keep(std::unique_ptr<Board> board, std::vector<std::unique_ptr<Board>>& gone) {
    board->forget_programs();
    members_ += static_cast<std::size_t>(board->members());
    boards_.push_back(std::move(board));
    while (members_ > most_members_) {
      members_ -= static_cast<std::size_t>(boards_.front()->members());
      gone.push_back(std::move(boards_.front()));
      boards_.erase(boards_.begin());
    }
  }

 private:
  const std::size_t most_members_;
  std::size_t members_ = 0;                     ///< of boards_
  std::vector<std::unique_ptr<Board>> boards_;  ///< the oldest first
};

}  // namespace taihu::collective
