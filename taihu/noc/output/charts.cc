// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/output/charts.h"

#include <algorithm>
#include <cmath>

#include "taihu/base/formatted.h"

namespace taihu::noc {

using picture::black;
using picture::grey;
using picture::heat_colour;
using picture::series_colour;

namespace {

constexpr int left = 70, right = 20, top = 40, bottom = 60;

std::string number_text(double value) {
  return formatted(value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
}

/// 1, 2 or 5 times a power of ten, so that about `count` steps cover `range`.
double nice_step(double range, int count) {
  const double raw = range / count;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power) return factor * power;
  return 10 * power;
}

void legend(Picture& picture, const std::vector<std::string>& names) {
  int x = left;
  for (std::size_t number = 0; number < names.size(); ++number) {
    picture.box(x, picture.height() - 18, 10, 8, series_colour(number));
    picture.text(x + 14, picture.height() - 18, names[number]);
    x += 14 + Picture::text_width(names[number]) + 16;
  }
}

void frame(Picture& picture, const std::string& title, const std::string& y_label) {
  picture.text(left, 8, title, black, 2);
  picture.text(6, top - 12, y_label);
  picture.line(left, top, left, picture.height() - bottom, black);
  picture.line(left, picture.height() - bottom, picture.width() - right, picture.height() - bottom, black);
}

}  // namespace

Picture curves(const std::string& title, const std::string& x_label, const std::string& y_label,
               const std::vector<Series>& series, double most_y) {
  Picture picture(760, 480);
  frame(picture, title, y_label);
  double most_x = 0, highest = 0;
  for (const Series& each : series)
    for (const auto& [x, y] : each.points) {
      most_x = std::max(most_x, x);
      if (most_y <= 0 || y <= most_y) highest = std::max(highest, y);
    }
  if (most_x <= 0) most_x = 1;
  highest = most_y > 0 ? most_y : std::max(highest * 1.05, 1e-9);
  const int width = picture.width() - left - right, height = picture.height() - top - bottom;
  const auto place_x = [&](double x) { return left + x / most_x * width; };
  const auto place_y = [&](double y) { return top + height - std::min(y, highest) / highest * height; };
  const double step_x = nice_step(most_x, 8), step_y = nice_step(highest, 8);
  for (double x = 0; x <= most_x * 1.0001; x += step_x) {
    picture.line(place_x(x), top, place_x(x), top + height, grey);
    picture.text(static_cast<int>(place_x(x)) - 12, top + height + 6, number_text(x));
  }
  for (double y = 0; y <= highest * 1.0001; y += step_y) {
    picture.line(left, place_y(y), left + width, place_y(y), grey);
    picture.text(8, static_cast<int>(place_y(y)) - 3, number_text(y));
  }
  picture.text(left + width - Picture::text_width(x_label), top + height + 20, x_label);
  std::vector<std::string> names;
  for (std::size_t number = 0; number < series.size(); ++number) {
    names.push_back(series[number].name);
    const auto& points = series[number].points;
    for (std::size_t at = 0; at < points.size(); ++at) {
      const double x = place_x(points[at].first), y = place_y(points[at].second);
      picture.box(static_cast<int>(x) - 2, static_cast<int>(y) - 2, 5, 5, series_colour(number));
      if (at > 0 && points[at - 1].second < highest)
        picture.line(place_x(points[at - 1].first), place_y(points[at - 1].second), x, y,
                     series_colour(number), 2);
    }
  }
  legend(picture, names);
  return picture;
}

Picture bars(const std::string& title, const std::string& y_label, const std::vector<std::string>& series,
             const std::vector<BarGroup>& groups, bool logarithmic) {
  const int bar = 16, gap = 18;
  int group_width = static_cast<int>(series.size()) * bar + gap;
  for (const BarGroup& group : groups)
    group_width = std::max(group_width, Picture::text_width(group.name) + gap / 2);
  Picture picture(std::max(500, left + right + group_width * static_cast<int>(groups.size())), 420);
  frame(picture, title, y_label);
  double highest = 0, lowest = 1e300;
  for (const BarGroup& group : groups)
    for (const double value : group.values)
      if (std::isfinite(value) && value > 0)
        highest = std::max(highest, value), lowest = std::min(lowest, value);
  if (highest <= 0) highest = lowest = 1;
  const double floor = logarithmic ? std::pow(10, std::floor(std::log10(lowest))) / 2 : 0;
  const int height = picture.height() - top - bottom;
  const auto tall = [&](double value) {
    const double share =
        logarithmic ? std::log(value / floor) / std::log(highest * 4 / floor) : value / (highest * 1.25);
    return static_cast<int>(std::max(0.0, share) * height);
  };
  const int base = top + height;
  std::vector<double> marks;
  if (logarithmic)
    for (double value = std::pow(10, std::floor(std::log10(lowest))); value <= highest * 4; value *= 10)
      marks.push_back(value);
  else
    for (double value = nice_step(highest, 6); value <= highest * 1.25; value += nice_step(highest, 6))
      marks.push_back(value);
  for (const double mark : marks) {
    picture.line(left, base - tall(mark), picture.width() - right, base - tall(mark), grey);
    picture.text(8, base - tall(mark) - 3, number_text(mark));
  }
  const int inner = static_cast<int>(series.size()) * bar;
  int x = left + (group_width - inner) / 2;
  for (const BarGroup& group : groups) {
    for (std::size_t number = 0; number < group.values.size(); ++number, x += bar) {
      const double value = group.values[number];
      if (!std::isfinite(value) || value <= 0) continue;
      picture.box(x, base - tall(value), bar - 2, tall(value), series_colour(number));
      const std::string text = number_text(value);
      for (std::size_t at = 0; at < text.size(); ++at)  // upright, one character under the other
        picture.text(x + 4, base - tall(value) - 9 * static_cast<int>(text.size() - at), text.substr(at, 1));
    }
    x += inner - static_cast<int>(group.values.size()) * bar;
    picture.text(x - inner / 2 - Picture::text_width(group.name) / 2, base + 8, group.name);
    x += group_width - inner;
  }
  legend(picture, series);
  return picture;
}

std::string link_table(const Network& network) {
  static const char* const names[] = {"east", "south", "west", "north", "local"};
  std::string text = "router,port,neighbour,flits,share\n";
  const Mesh& mesh = network.config().mesh;
  for (int router = 0; router < mesh.nodes(); ++router) {
    for (int port = 0; port < output_ports; ++port) {
      const int neighbour = port == local ? router : mesh.neighbour(router, port);
      if (neighbour < 0) continue;
      const double cycles = static_cast<double>(std::max<Cycle>(1, network.now()));
      const std::string share =
          formatted("%.6f", static_cast<double>(network.flits_over(router, port)) / cycles);
      text += std::to_string(router) + "," + names[port] + "," + std::to_string(neighbour) + "," +
              std::to_string(network.flits_over(router, port)) + "," + share + "\n";
    }
  }
  return text;
}

Picture heat_map(const Network& network, const std::string& title) {
  const Mesh& mesh = network.config().mesh;
  const int cell = std::clamp(720 / std::max(mesh.width(), mesh.height()), 8, 60);
  Picture picture(std::max(360, cell * mesh.width() + 40), cell * mesh.height() + 100);
  picture.text(10, 8, title, black, 2);
  const double cycles = static_cast<double>(std::max<Cycle>(1, network.now()));
  double highest = 1e-9;
  for (int router = 0; router < mesh.nodes(); ++router)
    for (int port = 0; port < output_ports; ++port)
      highest = std::max(highest, static_cast<double>(network.flits_over(router, port)) / cycles);
  const auto colour = [&](int router, int port) {
    return heat_colour(static_cast<double>(network.flits_over(router, port)) / cycles / highest);
  };
  const int inner = cell / 3, link = cell - inner, half = std::max(1, inner / 2 - 1);
  for (int router = 0; router < mesh.nodes(); ++router) {
    const int x = 20 + mesh.x(router) * cell, y = 40 + mesh.y(router) * cell;
    picture.box(x, y, inner, inner, colour(router, local));
    picture.line(x, y, x + inner, y, black);
    picture.line(x, y + inner, x + inner, y + inner, black);
    picture.line(x, y, x, y + inner, black);
    picture.line(x + inner, y, x + inner, y + inner, black);
    if (mesh.neighbour(router, east) > router) {  // the way there above, the way back below
      picture.box(x + inner + 1, y, link - 1, half, colour(router, east));
      picture.box(x + inner + 1, y + half + 1, link - 1, half, colour(mesh.neighbour(router, east), west));
    }
    if (mesh.neighbour(router, south) > router) {
      picture.box(x, y + inner + 1, half, link - 1, colour(router, south));
      picture.box(x + half + 1, y + inner + 1, half, link - 1, colour(mesh.neighbour(router, south), north));
    }
  }
  const int scale_y = picture.height() - 40;
  for (int x = 0; x < 200; ++x) picture.box(20 + x, scale_y, 1, 10, heat_colour(x / 200.0));
  picture.text(20, scale_y + 14, "0");
  picture.text(190, scale_y + 14, number_text(highest) + " flits/cycle");
  return picture;
}

}  // namespace taihu::noc
