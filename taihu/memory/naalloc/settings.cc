// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/settings.h"

#include <charconv>
#include <string_view>

#include "taihu/base/error.h"
#include "taihu/base/units.h"

namespace taihu::memory {
namespace {

constexpr int most_threads = 65536;

bool read_pages(const std::string& value, PageKind& pages) {
  if (value == "small")
    pages = PageKind::small;
  else if (value == "transparent")
    pages = PageKind::transparent;
  else if (value == "huge")
    pages = PageKind::huge;
  else
    return false;
  return true;
}

bool read_threads(const std::string& value, int& threads) {
  int number = 0;
  const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (failure != std::errc{} || end != value.data() + value.size() || number < 1 || number > most_threads)
    return false;
  threads = number;
  return true;
}

void read_variable(const std::string& name, const std::string& value, EnvironmentSettings& result) {
  NaallocSettings& settings = result.settings;
  const auto wrong = [&](const char* accepted) {
    result.problems.push_back(name + "=" + value +
                              " is not understood and is ignored; accepted: " + accepted);
  };
  try {
    if (name == "NAALLOC_PAGES") {
      if (!read_pages(value, settings.pages)) wrong("small, transparent, huge");
    } else if (name == "NAALLOC_THREADS") {
      if (!read_threads(value, settings.threads)) wrong("a number from 1 to 65536");
    } else if (name == "NAALLOC_WINDOW") {
      settings.window_bytes = static_cast<std::size_t>(parse_bytes(value, name));
    } else if (name == "NAALLOC_POOL") {
      settings.pool_bytes = static_cast<std::size_t>(parse_bytes(value, name));
    } else if (name == "NAALLOC_LOG") {
      result.log = value;
    } else {
      result.problems.push_back(name +
                                " is not a variable of naalloc (NAALLOC_LOG, NAALLOC_PAGES, NAALLOC_POOL, "
                                "NAALLOC_THREADS, NAALLOC_WINDOW) and is ignored");
    }
  } catch (const Error&) {
    wrong("a size such as 64M");
  }
}

}  // namespace

EnvironmentSettings read_settings(char** environment) {
  EnvironmentSettings result;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    if (!entry.starts_with("NAALLOC_")) continue;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    read_variable(std::string(entry.substr(0, equals)), std::string(entry.substr(equals + 1)), result);
  }
  return result;
}

}  // namespace taihu::memory
