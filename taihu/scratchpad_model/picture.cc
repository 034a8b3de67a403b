// SPDX-License-Identifier: Apache-2.0
#include "taihu/scratchpad_model/picture.h"

#include <algorithm>

#include "taihu/base/formatted.h"

namespace taihu::scratchpad_model {
namespace {

constexpr double width = 1000, height = 420, left = 70, top = 46;

std::string escaped(const std::string& name) {
  std::string result;
  for (const char letter : name) {
    if (letter == '&')
      result += "&amp;";
    else if (letter == '<')
      result += "&lt;";
    else if (letter == '>')
      result += "&gt;";
    else
      result += letter;
  }
  return result;
}

/// From cycles and bytes to the picture's units.
struct Axes {
  double cycles;
  double bytes;
  double x(double cycle) const { return left + width * cycle / cycles; }
  double y(double byte) const { return top + height - height * byte / bytes; }
};

std::string rectangle(const Axes& axes, double from, double to, std::uint64_t offset, std::uint64_t bytes,
                      const char* kind, const std::string& title) {
  const double x = axes.x(from), y = axes.y(static_cast<double>(offset + bytes));
  return formatted(
      "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>%s</title></rect>\n",
      kind, x, y, std::max(axes.x(to) - x, 0.3), axes.y(static_cast<double>(offset)) - y, title.c_str());
}

double cycles_of(Ticks ticks) {
  return static_cast<double>(ticks) / static_cast<double>(ticks_per_cycle);
}

/// When other bytes take the place of what transfer `number` brought.
double end_of(const std::vector<Transfer>& transfers, std::size_t number, double end) {
  const Transfer& mine = transfers[number];
  for (std::size_t k = number + 1; k < transfers.size(); ++k) {
    const Transfer& other = transfers[k];
    if (other.is_get && other.offset < mine.offset + mine.bytes && mine.offset < other.offset + other.bytes)
      return std::max(cycles_of(other.begin), cycles_of(mine.end));
  }
  return end;
}

std::string axes_of(const Axes& axes, double clock_ghz) {
  std::string svg =
      formatted("<rect class=\"frame\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/>\n", left, top,
                width, height);
  for (int part = 0; part <= 4; ++part) {
    const double bytes = axes.bytes * part / 4, cycles = axes.cycles * part / 4;
    svg += formatted("<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%.0f</text>\n", left - 6,
                     axes.y(bytes) + 4, bytes);
    svg += formatted("<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%.0f (%.2f us)</text>\n",
                     axes.x(cycles), top + height + 16, cycles, cycles / clock_ghz * 1e-3);
  }
  svg += formatted("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">simulated cycles</text>\n",
                   left + width / 2, top + height + 34);
  svg += formatted(
      "<text x=\"14\" y=\"%.0f\" transform=\"rotate(-90 14 %.0f)\" text-anchor=\"middle\">byte of the "
      "scratchpad</text>\n",
      top + height / 2, top + height / 2);
  return svg;
}

std::string legend() {
  std::string svg;
  const std::pair<const char*, const char*> kinds[] = {
      {"near", "fetched, lies there"}, {"get", "being fetched"}, {"put", "being put back"}};
  double x = left + width - 430;
  for (const auto& [kind, name] : kinds) {
    svg += formatted(
        "<rect class=\"%s\" x=\"%.0f\" y=\"26\" width=\"14\" height=\"12\"/><text x=\"%.0f\" "
        "y=\"36\">%s</text>\n",
        kind, x, x + 19, name);
    x += 150;
  }
  return svg;
}

}  // namespace

std::string picture_of(const std::string& kernel, const std::vector<Transfer>& transfers, Ticks end,
                       std::uint64_t capacity_bytes, double clock_ghz) {
  const bool is_cut = transfers.size() >= most_kept_transfers;
  const double last = is_cut ? cycles_of(transfers.back().end) : std::max(cycles_of(end), 1.0);
  const Axes axes{last, static_cast<double>(std::max<std::uint64_t>(capacity_bytes, 1))};
  std::string svg = formatted(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n"
      "<style>.frame{fill:none;stroke:#444}.near{fill:#a8cbe8}.get{fill:#1f6fb4}.put{fill:#d9722a}</style>\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      left + width + 60, top + height + 46);
  svg += "<text x=\"70\" y=\"18\" font-size=\"14\">Scratchpad of accelerator thread 0 in kernel " +
         escaped(kernel) + (is_cut ? ", its first " + std::to_string(transfers.size()) + " transfers" : "") +
         "</text>\n";
  const auto title = [](const Transfer& one, const char* what) {
    return formatted("%s %llu bytes at byte %llu, cycles %.0f to %.0f", what,
                     static_cast<unsigned long long>(one.bytes), static_cast<unsigned long long>(one.offset),
                     cycles_of(one.begin), cycles_of(one.end));
  };
  for (std::size_t k = 0; k < transfers.size(); ++k)
    if (transfers[k].is_get)
      svg += rectangle(axes, cycles_of(transfers[k].end), end_of(transfers, k, last), transfers[k].offset,
                       transfers[k].bytes, "near", title(transfers[k], "fetched"));
  for (const Transfer& one : transfers)
    svg += rectangle(axes, cycles_of(one.begin), cycles_of(one.end), one.offset, one.bytes,
                     one.is_get ? "get" : "put", title(one, one.is_get ? "get" : "put"));
  return svg + axes_of(axes, clock_ghz) + legend() + "</svg>\n";
}

}  // namespace taihu::scratchpad_model
