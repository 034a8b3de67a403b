// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/plain_forms.h"

#include <string>
#include <utility>

#include "taihu/base/formatted.h"
#include "taihu/collective/choice.h"

namespace taihu::collective {

namespace {

std::string lengths_of(const schedule::PlainRange& range) {
  if (range.last != schedule::PlainRange::no_end)
    return formatted("%zu to %zu bytes", range.first, range.last);
  return range.first > 0 ? formatted("%zu bytes and more", range.first) : "any length";
}

}  // namespace

PlainForms::PlainForms(int processes, int ranks, std::shared_ptr<ChoiceNotes> notes)
    : processes_(processes), ranks_(ranks), notes_(std::move(notes)) {}

void PlainForms::make(schedule::Collective collective, const schedule::PlainRange& range,
                      Entry& entry) const {
  entry.form = schedule::plain_form(collective, range.form, processes_);
  notes_->note(formatted("%s of %d members in %d node processes, %s: %s (%s; no network is described)\n",
                         schedule::name_of(collective), ranks_, processes_, lengths_of(range).c_str(),
                         entry.form.name.c_str(), range.reason));
}

const schedule::CollectiveForm& PlainForms::form(schedule::Collective collective, std::size_t bytes) {
  const schedule::PlainRange range =
      schedule::plain_range(collective, processes_, bytes, among_leaders::long_bytes());
  Entry& entry = entries_[static_cast<std::size_t>(collective)][static_cast<std::size_t>(range.form)];
  std::call_once(entry.made, [&] { make(collective, range, entry); });
  return entry.form;
}

}  // namespace taihu::collective
