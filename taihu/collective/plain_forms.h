// SPDX-License-Identifier: Apache-2.0
// Forms of collectives of a group: among the leaders of its node processes where no network is described, and
// of all members in the background.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include "taihu/collective/choice_notes.h"
#include "taihu/schedule/plain_choice.h"

namespace taihu::collective {

/// Of one group. Any thread. Operations of reductions are commutative.
class PlainForms {
 public:
  /// Among leaders. `ranks`: all members, for what is told to `notes`.
  PlainForms(int processes, int ranks, std::shared_ptr<ChoiceNotes> notes);
  /// Of all members in the background.
  PlainForms(int ranks, std::shared_ptr<ChoiceNotes> notes);

  /// For `bytes` in all of a bcast or allreduce, of the blocks of a node process, or of a member in the
  /// background, of the others. The first call with a form makes and tells it.
  const schedule::CollectiveForm& form(schedule::Collective collective, std::size_t bytes);

 private:
  struct Entry {
    std::once_flag made;
    schedule::CollectiveForm form;
  };

  void make(schedule::Collective collective, const schedule::PlainRange& range, Entry& entry) const;

  schedule::Progress progress_;
  int takers_;  ///< node processes, or in the background members
  int ranks_;
  std::shared_ptr<ChoiceNotes> notes_;
  std::array<std::array<Entry, schedule::plain_forms>, schedule::collectives> entries_;
};

}  // namespace taihu::collective
