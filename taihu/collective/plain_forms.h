// SPDX-License-Identifier: Apache-2.0
// Forms of collectives among the leaders of a group's node processes where no network is described.
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
  /// `ranks`: all members, for what is told to `notes`.
  PlainForms(int processes, int ranks, std::shared_ptr<ChoiceNotes> notes);

  /// For `bytes` in all of a bcast or allreduce, of a node process's blocks of the others. The first call
  /// with a form makes and tells it.
  const schedule::CollectiveForm& form(schedule::Collective collective, std::size_t bytes);

 private:
  struct Entry {
    std::once_flag made;
    schedule::CollectiveForm form;
  };

  void make(schedule::Collective collective, const schedule::PlainRange& range, Entry& entry) const;

  int processes_;
  int ranks_;
  std::shared_ptr<ChoiceNotes> notes_;
  std::array<std::array<Entry, schedule::plain_forms>, schedule::collectives> entries_;
};

}  // namespace taihu::collective
