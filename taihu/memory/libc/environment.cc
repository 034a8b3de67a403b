// SPDX-License-Identifier: Apache-2.0
// getenv and its relatives on the rank's own environment. A program may also change `environ` itself. So each
// call reads the table again, as libc does.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {

const char* environment_value(const RankProcess& rank, const char* name) noexcept {
  const std::size_t length = std::strlen(name);
  for (char** entry = rank.environment(); entry && *entry; ++entry)
    if (std::strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
  return nullptr;
}

namespace {

bool is_name(const char* name) {
  return name && *name && !std::strchr(name, '=');
}

// The entry "name=..." in the table, or null.
char** find_entry(RankProcess& rank, const char* name, std::size_t length) {
  char** entry = rank.environment();
  if (!entry) return nullptr;
  for (; *entry; ++entry)
    if (std::strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return entry;
  return nullptr;
}

char* rank_getenv(const char* name) {
  RankProcess* rank = self();
  if (!rank) return std::getenv(name);
  const std::lock_guard guard(rank->lock);
  const std::size_t length = std::strlen(name);
  char** entry = length > 0 ? find_entry(*rank, name, length) : nullptr;
  return entry ? *entry + length + 1 : nullptr;
}

// Puts `text` into the table; the table is copied into our own first when the program has set another one.
void put(RankProcess& rank, char* text, std::size_t name_length) {
  if (char** entry = find_entry(rank, text, name_length)) {
    *entry = text;
    return;
  }
  auto& table = rank.environment_table;
  std::vector<char*> entries;
  for (char** entry = rank.environment(); entry && *entry; ++entry) entries.push_back(*entry);
  entries.push_back(text);
  entries.push_back(nullptr);
  table.swap(entries);
  rank.environment() = table.data();
}

int rank_setenv(const char* name, const char* value, int overwrite) {
  RankProcess* rank = self();
  if (!rank) return ::setenv(name, value, overwrite);
  if (!is_name(name)) {
    errno = EINVAL;
    return -1;
  }
  const std::lock_guard guard(rank->lock);
  const std::size_t length = std::strlen(name), bytes = length + std::strlen(value) + 2;
  if (!overwrite && find_entry(*rank, name, length)) return 0;
  auto text = std::make_unique<char[]>(bytes);
  std::snprintf(text.get(), bytes, "%s=%s", name, value);
  put(*rank, text.get(), length);
  rank->environment_strings.push_back(std::move(text));
  return 0;
}

int rank_unsetenv(const char* name) {
  RankProcess* rank = self();
  if (!rank) return ::unsetenv(name);
  if (!is_name(name)) {
    errno = EINVAL;
    return -1;
  }
  const std::lock_guard guard(rank->lock);
  const std::size_t length = std::strlen(name);
  while (char** entry = find_entry(*rank, name, length))
    for (; (entry[0] = entry[1]) != nullptr; ++entry) {
    }
  return 0;
}

int rank_putenv(char* text) {
  RankProcess* rank = self();
  if (!rank) return ::putenv(text);
  const char* equals = std::strchr(text, '=');
  if (!equals) return rank_unsetenv(text);
  const std::lock_guard guard(rank->lock);
  put(*rank, text, static_cast<std::size_t>(equals - text));
  return 0;
}

int rank_clearenv() {
  RankProcess* rank = self();
  if (!rank) return ::clearenv();
  const std::lock_guard guard(rank->lock);
  rank->environment() = nullptr;
  return 0;
}

}  // namespace

std::span<const Replacement> environment_calls() {
  static const std::array calls = {
      replace("getenv", &rank_getenv),          replace("secure_getenv", &rank_getenv),
      replace("__secure_getenv", &rank_getenv), replace("setenv", &rank_setenv),
      replace("unsetenv", &rank_unsetenv),      replace("putenv", &rank_putenv),
      replace("clearenv", &rank_clearenv)};
  return calls;
}

}  // namespace taihu::memory::libc
