// SPDX-License-Identifier: Apache-2.0
#include "taihu/scratchpad_model/picture.h"

#include <algorithm>
#include <optional>

#include "taihu/base/formatted.h"

namespace taihu::scratchpad_model {
namespace {

constexpr double width = 1000, height = 300, left = 70, top = 64, gap = 90;
/// Of the upper panel: in all of a long kernel single transfers are too narrow to be seen.
constexpr std::size_t few_transfers = 60;

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
  double cycles;  ///< from the begin of the kernel
  double bytes;
  double top;
  double x(double cycle) const { return left + width * std::min(cycle, cycles) / cycles; }
  double y(double byte) const { return top + height - height * byte / bytes; }
};

std::string rectangle(const Axes& axes, double from, double to, std::uint64_t offset, std::uint64_t bytes,
                      const char* kind, const std::string& title) {
  if (from >= axes.cycles && from > 0) return "";
  const double x = axes.x(from), y = axes.y(static_cast<double>(offset + bytes));
  return formatted(
      "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>%s</title></rect>\n",
      kind, x, y, std::max(axes.x(to) - x, 0.3), axes.y(static_cast<double>(offset)) - y, title.c_str());
}

double cycles_of(Ticks ticks) {
  return static_cast<double>(ticks) / static_cast<double>(ticks_per_cycle);
}

bool is_same_place(const Transfer& one, const Transfer& other) {
  return other.offset < one.offset + one.bytes && one.offset < other.offset + other.bytes;
}

/// When other bytes take the place of what transfer `number` brought.
double end_of(const std::vector<Transfer>& transfers, std::size_t number, double end) {
  const Transfer& mine = transfers[number];
  for (std::size_t k = number + 1; k < transfers.size(); ++k)
    if (transfers[k].is_get && is_same_place(mine, transfers[k]))
      return std::max(cycles_of(transfers[k].begin), cycles_of(mine.end));
  return end;
}

/// Since when the kernel makes what transfer `number` puts back; none: it was fetched before.
std::optional<double> begin_of(const std::vector<Transfer>& transfers, std::size_t number) {
  for (std::size_t k = number; k-- > 0;) {
    if (!is_same_place(transfers[number], transfers[k])) continue;
    if (transfers[k].is_get) return std::nullopt;
    return cycles_of(transfers[k].end);
  }
  return 0;
}

std::string axes_of(const Axes& axes, double clock_ghz) {
  std::string svg =
      formatted("<rect class=\"frame\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/>\n", left,
                axes.top, width, height);
  for (int part = 0; part <= 4; ++part) {
    const double bytes = axes.bytes * part / 4, cycles = axes.cycles * part / 4;
    svg += formatted("<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%.0f</text>\n", left - 6,
                     axes.y(bytes) + 4, bytes);
    svg += formatted("<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%.0f (%.2f us)</text>\n",
                     axes.x(cycles), axes.top + height + 16, cycles, cycles / clock_ghz * 1e-3);
  }
  svg += formatted("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">simulated cycles</text>\n",
                   left + width / 2, axes.top + height + 34);
  svg += formatted(
      "<text x=\"14\" y=\"%.0f\" transform=\"rotate(-90 14 %.0f)\" text-anchor=\"middle\">byte of the "
      "scratchpad</text>\n",
      axes.top + height / 2, axes.top + height / 2);
  return svg;
}

std::string legend() {
  std::string svg;
  const std::pair<const char*, const char*> kinds[] = {{"near", "fetched, lies there"},
                                                       {"get", "being fetched"},
                                                       {"made", "being made here"},
                                                       {"put", "being put back"}};
  double x = left + width - 560;
  for (const auto& [kind, name] : kinds) {
    svg += formatted(
        "<rect class=\"%s\" x=\"%.0f\" y=\"26\" width=\"14\" height=\"12\"/><text x=\"%.0f\" "
        "y=\"36\">%s</text>\n",
        kind, x, x + 19, name);
    x += 140;
  }
  return svg;
}

/// The first `count` transfers, in the time that `axes` has.
std::string panel(const Axes& axes, const std::vector<Transfer>& transfers, std::size_t count,
                  double clock_ghz, const std::string& heading) {
  std::string svg = formatted("<text x=\"%.0f\" y=\"%.0f\">%s</text>\n", left, axes.top - 8, heading.c_str());
  const auto title = [](const Transfer& one, const char* what, double from, double to) {
    return formatted("%s %llu bytes at byte %llu, cycles %.0f to %.0f", what,
                     static_cast<unsigned long long>(one.bytes), static_cast<unsigned long long>(one.offset),
                     from, to);
  };
  for (std::size_t k = 0; k < count; ++k) {
    const Transfer& one = transfers[k];
    const double begin = cycles_of(one.begin), end = cycles_of(one.end);
    if (one.is_get) {
      svg += rectangle(axes, end, end_of(transfers, k, axes.cycles), one.offset, one.bytes, "near",
                       title(one, "fetched", begin, end));
    } else if (const std::optional<double> made = begin_of(transfers, k)) {
      svg += rectangle(axes, *made, begin, one.offset, one.bytes, "made", title(one, "made", *made, begin));
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Transfer& one = transfers[k];
    const double begin = cycles_of(one.begin), end = cycles_of(one.end);
    const char* kind = one.is_get ? "get" : "put";
    svg += rectangle(axes, begin, end, one.offset, one.bytes, kind, title(one, kind, begin, end));
  }
  return svg + axes_of(axes, clock_ghz);
}

}  // namespace

std::string picture_of(const std::string& kernel, const std::vector<Transfer>& transfers, Ticks end,
                       std::uint64_t capacity_bytes, double clock_ghz) {
  const bool is_cut = transfers.size() >= most_kept_transfers;
  const double last = is_cut ? cycles_of(transfers.back().end) : std::max(cycles_of(end), 1.0);
  const auto bytes = static_cast<double>(std::max<std::uint64_t>(capacity_bytes, 1));
  const bool is_long = transfers.size() > 2 * few_transfers;
  const double all_top = is_long ? top + height + gap : top;
  std::string svg = formatted(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
      "font-size=\"11\">\n"
      "<style>.frame{fill:none;stroke:#444}.near{fill:#a8cbe8}.get{fill:#1f6fb4}.made{fill:#f6d9bf}"
      ".put{fill:#d9722a}</style>\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      left + width + 100, all_top + height + 46);
  svg += "<text x=\"70\" y=\"18\" font-size=\"14\">Scratchpad of accelerator thread 0 in kernel " +
         escaped(kernel) + "</text>\n" + legend();
  if (is_long) {
    const double until = std::max(cycles_of(transfers[few_transfers].begin), 1.0);
    svg += panel({until, bytes, top}, transfers, 2 * few_transfers, clock_ghz,
                 "its first " + std::to_string(few_transfers) + " transfers");
  }
  svg += panel({last, bytes, all_top}, transfers, transfers.size(), clock_ghz,
               is_cut ? "its first " + std::to_string(transfers.size()) + " transfers" : "all of it");
  return svg + "</svg>\n";
}

}  // namespace taihu::scratchpad_model
