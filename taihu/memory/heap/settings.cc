// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/heap/settings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "taihu/memory/heap/text.h"

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

void complain(const char* name, const char* value, const char* expected) {
  Text line;
  line.add("taihu heap: ").add(name).add("=").add(value).add(" is ignored (").add(expected).add(")\n");
  line.write_to(STDERR_FILENO);
}

void read_statistics(const char* value) {
  if (strcmp(value, "1") == 0)
    settings.statistics = true;
  else if (strcmp(value, "0") != 0 && *value)
    complain("TAIHU_HEAP_STATS", value, "it must be 0 or 1");
}

void read_decay(const char* value) {
  std::size_t milliseconds = 0;
  if (strcmp(value, "never") == 0)
    settings.decay_ms = Settings::never;
  else if (parse_bytes(value, value + strlen(value), milliseconds) && milliseconds < Settings::never)
    settings.decay_ms = static_cast<std::uint32_t>(milliseconds);
  else
    complain("TAIHU_HEAP_DECAY", value, "it must be milliseconds or 'never'");
}

void read_huge_pages(const char* value) {
  if (strcmp(value, "always") == 0)
    settings.huge_pages_from_bytes = 0;
  else if (strcmp(value, "never") == 0)
    settings.huge_pages_from_bytes = SIZE_MAX;
  else if (!parse_bytes(value, value + strlen(value), settings.huge_pages_from_bytes))
    complain("TAIHU_HEAP_HUGE_PAGES", value,
             "it must be 'always', 'never' or the size of the heap they begin at");
}

/// threads=N,central=BYTES,thread=BYTES in any order, each at most once useful.
bool parse_profile(const char* value, Settings& found) {
  while (*value) {
    const char* end = strchrnul(value, ',');
    std::size_t number = 0;
    const auto is = [&](const char* key) {
      const std::size_t length = strlen(key);
      return strncmp(value, key, length) == 0 && parse_bytes(value + length, end, number);
    };
    if (is("threads=") && number <= 65536)
      found.prepared_threads = static_cast<unsigned>(number);
    else if (is("central="))
      found.central_bytes = number;
    else if (is("thread="))
      found.per_thread_bytes = number;
    else
      return false;
    value = *end ? end + 1 : end;
  }
  return true;
}

void read_profile(const char* value) {
  Settings found;
  if (!parse_profile(value, found)) {
    complain("TAIHU_HEAP_PREALLOC", value, "it must be like threads=8,central=256M,thread=16M");
    return;
  }
  settings.prepared_threads = found.prepared_threads;
  settings.central_bytes = found.central_bytes;
  settings.per_thread_bytes = found.per_thread_bytes;
}

}  // namespace

void read_settings() {
  if (const char* value = getenv("TAIHU_HEAP_STATS")) read_statistics(value);
  if (const char* value = getenv("TAIHU_HEAP_DECAY")) read_decay(value);
  if (const char* value = getenv("TAIHU_HEAP_HUGE_PAGES")) read_huge_pages(value);
  if (const char* value = getenv("TAIHU_HEAP_PREALLOC")) read_profile(value);
}

}  // namespace taihu::memory::heap
