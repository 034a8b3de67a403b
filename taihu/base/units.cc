// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/units.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>

#include "taihu/base/error.h"

namespace taihu {
namespace {

/// Power of two that a suffix (K, KB, KiB, ... in any case) stands for, or -1.
int shift_of_suffix(std::string_view suffix) {
  if (suffix.empty()) return 0;
  int shift = -1;
  switch (std::tolower(static_cast<unsigned char>(suffix[0]))) {
    case 'b':
      return suffix.size() == 1 ? 0 : -1;
    case 'k':
      shift = 10;
      break;
    case 'm':
      shift = 20;
      break;
    case 'g':
      shift = 30;
      break;
    case 't':
      shift = 40;
      break;
    default:
      return -1;
  }
  const std::string_view rest = suffix.substr(1);
  return rest.empty() || rest == "B" || rest == "b" || rest == "iB" || rest == "ib" ? shift : -1;
}

}  // namespace

std::int64_t parse_bytes(std::string_view text, std::string_view what) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const int shift = shift_of_suffix(text.substr(static_cast<std::size_t>(end - text.data())));
  if (problem != std::errc{} || shift < 0 || value < 0 || value > (INT64_MAX >> shift)) {
    throw Error(std::string(what) + ": '" + std::string(text) +
                "' is not a size (write for example 64K, 2M or 4096)");
  }
  return value << shift;
}

std::string format_bytes(std::int64_t bytes) {
  static constexpr std::array names{"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < names.size()) {
    value /= 1024;
    ++unit;
  }
  std::array<char, 32> text;
  const bool whole = value == static_cast<double>(static_cast<std::int64_t>(value));
  std::snprintf(text.data(), text.size(), whole ? "%.0f %s" : "%.1f %s", value, names[unit]);
  return text.data();
}

}  // namespace taihu
