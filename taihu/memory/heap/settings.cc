// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/heap/settings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace taihu::memory::heap {

constinit Settings settings;

bool parse_bytes(const char* begin, const char* end, std::size_t& bytes) {
  std::size_t number = 0;
  const char* at = begin;
  for (; at < end && *at >= '0' && *at <= '9'; ++at) {
    if (__builtin_mul_overflow(number, std::size_t{10}, &number)) return false;
    if (__builtin_add_overflow(number, static_cast<std::size_t>(*at - '0'), &number)) return false;
  }
  if (at == begin || end - at > 1) return false;
  unsigned shift = 0;
  if (at < end) {
    const char units[] = "KMGT";
    const char* unit = strchr(units, *at);
    if (!unit || !*unit) return false;
    shift = 10 * static_cast<unsigned>(unit - units + 1);
  }
  if (number > (SIZE_MAX >> shift)) return false;
  bytes = number << shift;
  return true;
}

namespace {

// Readers of one variable: false when the value cannot be understood, and nothing has changed.

bool read_flag(const char* value, bool& flag) {
  if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0) return false;
  flag = *value == '1';
  return true;
}

bool read_decay(const char* value, Settings& result) {
  std::size_t milliseconds = Settings::never;
  if (strcmp(value, "never") != 0 &&
      (!parse_bytes(value, value + strlen(value), milliseconds) || milliseconds >= Settings::never))
    return false;
  result.decay_ms = static_cast<std::uint32_t>(milliseconds);
  result.decay_is_given = true;
  return true;
}

bool read_huge_pages(const char* value, Settings& result) {
  std::size_t from = strcmp(value, "always") == 0 ? 0 : SIZE_MAX;
  if (from != 0 && strcmp(value, "never") != 0 && !parse_bytes(value, value + strlen(value), from))
    return false;
  result.huge_pages_from_bytes = from;
  return true;
}

/// threads=N,central=BYTES,thread=BYTES in any order, each at most once useful.
bool read_profile(const char* value, Settings& result) {
  std::size_t threads = 0, central = 0, per_thread = 0;
  while (*value) {
    const char* end = strchrnul(value, ',');
    const auto is = [&](const char* key, std::size_t& number) {
      const std::size_t length = strlen(key);
      return strncmp(value, key, length) == 0 && parse_bytes(value + length, end, number);
    };
    const bool known =
        (is("threads=", threads) && threads <= 65536) || is("central=", central) || is("thread=", per_thread);
    if (!known) return false;
    value = *end ? end + 1 : end;
  }
  result.prepared_threads = static_cast<unsigned>(threads);
  result.central_bytes = central;
  result.per_thread_bytes = per_thread;
  return true;
}

struct Variable {
  const char* name;
  bool (*read)(const char* value, Settings& result);
  const char* accepted;
};

constexpr Variable variables[] = {
    {"TAIHU_HEAP_STATS",
     [](const char* value, Settings& result) { return read_flag(value, result.statistics); },
     "it must be 0 or 1"},
    {"TAIHU_HEAP_SECURE", [](const char* value, Settings& result) { return read_flag(value, result.secure); },
     "it must be 0 or 1"},
    {"TAIHU_HEAP_DECAY", read_decay, "it must be milliseconds or 'never'"},
    {"TAIHU_HEAP_HUGE_PAGES", read_huge_pages,
     "it must be 'always', 'never' or the size of the heap they begin at"},
    {"TAIHU_HEAP_PREALLOC", read_profile, "it must be like threads=8,central=256M,thread=16M"},
};

}  // namespace

void read_settings(const char* (*value_of)(const char* name), Settings& result,
                   void (*complain)(const Text& line)) {
  for (const Variable& variable : variables) {
    const char* value = value_of(variable.name);
    if (!value || !*value || variable.read(value, result)) continue;  // an empty value is none
    Text line;
    line.add("taihu heap: ").add(variable.name).add("=").add_shown(value, 200).add(" is ignored (");
    complain(line.add(variable.accepted).add(")\n"));
  }
}

void read_settings() {
  // Not for set-uid programs.
  const auto value_of = [](const char* name) -> const char* { return secure_getenv(name); };
  read_settings(value_of, settings, [](const Text& line) { line.write_to(STDERR_FILENO); });
}

}  // namespace taihu::memory::heap
