// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/plain_forms.h"

#include <string>
#include <utility>

#include "taihu/base/formatted.h"
#include "taihu/collective/choice.h"

namespace taihu::collective {

using schedule::Progress;

namespace {

std::string lengths_of(const schedule::PlainRange& range) {
  if (range.last != schedule::PlainRange::no_end)
    return formatted("%zu to %zu bytes", range.first, range.last);
  return range.first > 0 ? formatted("%zu bytes and more", range.first) : "any length";
}

/// The size that was set, where it is not the default.
std::string set_length(schedule::Collective collective) {
  const schedule::LongBytes set = long_bytes(), otherwise;
  const auto told = [](const char* variable, std::size_t length, std::size_t by_default) {
    return length == by_default ? std::string() : formatted("; %s is %zu", variable, length);
  };
  switch (collective) {
    case schedule::Collective::bcast:
      return told("TAIHU_LONG_BCAST_BYTES", set.bcast, otherwise.bcast);
    case schedule::Collective::allgather:
      return told("TAIHU_LONG_ALLGATHER_BYTES", set.allgather, otherwise.allgather);
    case schedule::Collective::allreduce:
      return told("TAIHU_LONG_ALLREDUCE_BYTES", set.allreduce, otherwise.allreduce);
    case schedule::Collective::reduce_scatter:
      break;
  }
  return "";
}

}  // namespace

PlainForms::PlainForms(int processes, int ranks, std::shared_ptr<ChoiceNotes> notes)
    : progress_(Progress::in_the_call), takers_(processes), ranks_(ranks), notes_(std::move(notes)) {}

PlainForms::PlainForms(int ranks, std::shared_ptr<ChoiceNotes> notes)
    : progress_(Progress::in_the_background), takers_(ranks), ranks_(ranks), notes_(std::move(notes)) {}

void PlainForms::make(schedule::Collective collective, const schedule::PlainRange& range,
                      Entry& entry) const {
  entry.form = schedule::plain_form(collective, range.form, takers_);
  const bool is_background = progress_ == Progress::in_the_background;
  const std::string where = is_background ? "in the background" : formatted("in %d node processes", takers_);
  notes_->note(formatted("%s of %d members %s, %s: %s (%s%s%s)\n", schedule::name_of(collective), ranks_,
                         where.c_str(), lengths_of(range).c_str(), entry.form.name.c_str(), range.reason,
                         set_length(collective).c_str(), is_background ? "" : "; no network is described"));
}

const schedule::CollectiveForm& PlainForms::form(schedule::Collective collective, std::size_t bytes) {
  const schedule::PlainRange range =
      schedule::plain_range(collective, takers_, bytes, long_bytes(), progress_);
  Entry& entry = entries_[static_cast<std::size_t>(collective)][static_cast<std::size_t>(range.form)];
  std::call_once(entry.made, [&] { make(collective, range, entry); });
  return entry.form;
}

}  // namespace taihu::collective
