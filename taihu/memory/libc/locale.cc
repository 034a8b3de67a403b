// SPDX-License-Identifier: Apache-2.0
// setlocale for one rank: a locale object that the rank's threads use (threads that already run keep theirs).
#include <langinfo.h>
#include <locale.h>

#include <array>
#include <cstring>

#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {
namespace {

constexpr std::array<std::pair<int, const char*>, 12> categories = {
    {{LC_CTYPE, "LC_CTYPE"},
     {LC_NUMERIC, "LC_NUMERIC"},
     {LC_TIME, "LC_TIME"},
     {LC_COLLATE, "LC_COLLATE"},
     {LC_MONETARY, "LC_MONETARY"},
     {LC_MESSAGES, "LC_MESSAGES"},
     {LC_PAPER, "LC_PAPER"},
     {LC_NAME, "LC_NAME"},
     {LC_ADDRESS, "LC_ADDRESS"},
     {LC_TELEPHONE, "LC_TELEPHONE"},
     {LC_MEASUREMENT, "LC_MEASUREMENT"},
     {LC_IDENTIFICATION, "LC_IDENTIFICATION"}}};

const char* from_environment(const RankProcess& rank, const char* name) {
  const char* value = environment_value(rank, name);
  return value && *value != '\0' ? value : nullptr;
}

// Name that the user asked for in `request` (as given to setlocale) for one category.
std::string wanted_name(const RankProcess& rank, const char* request, const char* category) {
  if (*request == '\0') {
    for (const char* variable : {"LC_ALL", category, "LANG"})
      if (const char* value = from_environment(rank, variable)) return value;
    return "C";
  }
  const std::string key = std::string(category) + "=";
  const char* at = std::strstr(request, key.c_str());
  if (!at) return request;
  at += key.size();
  return std::string(at, std::strcspn(at, ";"));
}

std::string& name_of(LocaleState& locale, int category) {
  return locale.names[static_cast<std::size_t>(category)];
}

char* current_name(LocaleState& locale, int category) {
  for (const auto& [number, text] : categories)
    if (name_of(locale, number).empty()) name_of(locale, number) = "C";
  if (category != LC_ALL) return name_of(locale, category).data();
  bool same = true;
  std::string list;
  for (const auto& [number, text] : categories) {
    same = same && name_of(locale, number) == name_of(locale, LC_CTYPE);
    list += (list.empty() ? "" : ";") + std::string(text) + "=" + name_of(locale, number);
  }
  locale.all_names = same ? name_of(locale, LC_CTYPE) : list;
  return locale.all_names.data();
}

char* rank_setlocale(int category, const char* request) {
  RankProcess* rank = self();
  if (!rank) return std::setlocale(category, request);
  const std::lock_guard guard(rank->lock);
  LocaleState& state = rank->locale;
  const bool known = category == LC_ALL || (category >= 0 && category < 13);
  if (!known) return nullptr;
  if (!request) return current_name(state, category);
  locale_t changed = state.locale ? duplocale(state.locale) : newlocale(LC_ALL_MASK, "C", nullptr);
  auto names = state.names;
  for (const auto& [number, text] : categories) {
    if (category != LC_ALL && category != number) continue;
    const std::string name = wanted_name(*rank, request, text);
    locale_t next = newlocale(1 << number, name.c_str(), changed);
    if (!next) {
      freelocale(changed);
      return nullptr;
    }
    changed = next;
    names[static_cast<std::size_t>(number)] = name == "POSIX" ? "C" : name;
  }
  // The previous locale is kept: other threads of the rank may still be using it.
  state.names = names;
  state.locale = changed;
  uselocale(changed);
  return current_name(state, category);
}

// "" as a name means the environment of the rank.
locale_t rank_newlocale(int mask, const char* request, locale_t base) {
  RankProcess* rank = self();
  if (!rank || !request || *request != '\0') return ::newlocale(mask, request, base);
  const std::lock_guard guard(rank->lock);
  locale_t changed = base ? duplocale(base) : ::newlocale(LC_ALL_MASK, "C", nullptr);
  for (const auto& [number, text] : categories) {
    if (!changed || (mask & (1 << number)) == 0) continue;
    locale_t next = ::newlocale(1 << number, wanted_name(*rank, request, text).c_str(), changed);
    if (!next) freelocale(changed);
    changed = next;
  }
  if (changed && base) freelocale(base);
  return changed;
}

lconv* rank_localeconv() {
  RankProcess* rank = self();
  if (!rank) return std::localeconv();
  static std::mutex one_at_a_time;  // libc fills one structure for the process
  const std::lock_guard guard(one_at_a_time);
  rank->locale.conventions = *std::localeconv();
  return &rank->locale.conventions;
}

}  // namespace

std::span<const Replacement> locale_calls() {
  static const std::array calls = {
      replace("setlocale", &rank_setlocale), replace("newlocale", &rank_newlocale),
      replace("__newlocale", &rank_newlocale), replace("localeconv", &rank_localeconv)};
  return calls;
}

}  // namespace taihu::memory::libc
