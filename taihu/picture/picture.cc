// SPDX-License-Identifier: Apache-2.0
#include "taihu/picture/picture.h"

#include <png.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

#include "taihu/base/error.h"
#include "taihu/base/output_file.h"

namespace taihu::picture {

namespace {

/// Seven rows of five dots, the leftmost one is the highest bit.
struct Glyph {
  char character;
  std::uint8_t rows[7];
};

constexpr Glyph glyphs[] = {
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 6, 8, 16, 31}},    {'3', {30, 1, 1, 14, 1, 1, 30}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}}, {'9', {14, 17, 17, 15, 1, 2, 12}},
    {'A', {14, 17, 17, 31, 17, 17, 17}}, {'B', {30, 17, 17, 30, 17, 17, 30}},
    {'C', {14, 17, 16, 16, 16, 17, 14}}, {'D', {30, 17, 17, 17, 17, 17, 30}},
    {'E', {31, 16, 16, 30, 16, 16, 31}}, {'F', {31, 16, 16, 30, 16, 16, 16}},
    {'G', {14, 17, 16, 23, 17, 17, 15}}, {'H', {17, 17, 17, 31, 17, 17, 17}},
    {'I', {14, 4, 4, 4, 4, 4, 14}},      {'J', {1, 1, 1, 1, 17, 17, 14}},
    {'K', {17, 18, 20, 24, 20, 18, 17}}, {'L', {16, 16, 16, 16, 16, 16, 31}},
    {'M', {17, 27, 21, 21, 17, 17, 17}}, {'N', {17, 25, 21, 19, 17, 17, 17}},
    {'O', {14, 17, 17, 17, 17, 17, 14}}, {'P', {30, 17, 17, 30, 16, 16, 16}},
    {'Q', {14, 17, 17, 17, 21, 18, 13}}, {'R', {30, 17, 17, 30, 20, 18, 17}},
    {'S', {15, 16, 16, 14, 1, 1, 30}},   {'T', {31, 4, 4, 4, 4, 4, 4}},
    {'U', {17, 17, 17, 17, 17, 17, 14}}, {'V', {17, 17, 17, 17, 17, 10, 4}},
    {'W', {17, 17, 17, 21, 21, 27, 17}}, {'X', {17, 10, 4, 4, 4, 10, 17}},
    {'Y', {17, 17, 10, 4, 4, 4, 4}},     {'Z', {31, 1, 2, 4, 8, 16, 31}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},      {',', {0, 0, 0, 0, 4, 4, 8}},
    {':', {0, 12, 12, 0, 12, 12, 0}},    {'-', {0, 0, 0, 14, 0, 0, 0}},
    {'+', {0, 4, 4, 31, 4, 4, 0}},       {'/', {1, 1, 2, 4, 8, 16, 16}},
    {'%', {25, 25, 2, 4, 8, 19, 19}},    {'(', {2, 4, 8, 8, 8, 4, 2}},
    {')', {8, 4, 2, 2, 2, 4, 8}},        {'=', {0, 0, 31, 0, 31, 0, 0}},
    {'_', {0, 0, 0, 0, 0, 0, 31}},       {'<', {2, 4, 8, 16, 8, 4, 2}},
};

const Glyph* glyph_of(char character) {
  const char upper = static_cast<char>(std::toupper(static_cast<unsigned char>(character)));
  for (const Glyph& glyph : glyphs)
    if (glyph.character == upper) return &glyph;
  return nullptr;
}

std::uint8_t mix(double from, double to, double share) {
  return static_cast<std::uint8_t>(std::lround(from + (to - from) * share));
}

}  // namespace

Colour series_colour(std::size_t number) noexcept {
  constexpr Colour colours[] = {{31, 119, 180},  {214, 39, 40}, {44, 160, 44},  {255, 127, 14},
                                {148, 103, 189}, {140, 86, 75}, {23, 190, 207}, {90, 90, 90}};
  return colours[number % 8];
}

Colour heat_colour(double share) noexcept {
  constexpr double stops[4][3] = {{245, 245, 245}, {255, 210, 60}, {225, 50, 30}, {90, 0, 20}};
  const double place = std::clamp(share, 0.0, 1.0) * 3;
  const int stop = std::min(2, static_cast<int>(place));
  const double part = place - stop;
  return {mix(stops[stop][0], stops[stop + 1][0], part), mix(stops[stop][1], stops[stop + 1][1], part),
          mix(stops[stop][2], stops[stop + 1][2], part)};
}

Picture::Picture(int width, int height)
    : width_(width),
      height_(height),
      dots_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), white) {}

void Picture::dot(int x, int y, Colour colour) noexcept {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  dots_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)] =
      colour;
}

void Picture::box(int x, int y, int width, int height, Colour colour) noexcept {
  for (int row = y; row < y + height; ++row)
    for (int column = x; column < x + width; ++column) dot(column, row, colour);
}

void Picture::line(double x0, double y0, double x1, double y1, Colour colour, int thickness) noexcept {
  const int steps = static_cast<int>(std::max(std::abs(x1 - x0), std::abs(y1 - y0))) + 1;
  for (int step = 0; step <= steps; ++step) {
    const double share = static_cast<double>(step) / steps;
    const int x = static_cast<int>(std::lround(x0 + (x1 - x0) * share));
    const int y = static_cast<int>(std::lround(y0 + (y1 - y0) * share));
    box(x - thickness / 2, y - thickness / 2, thickness, thickness, colour);
  }
}

void Picture::text(int x, int y, std::string_view text, Colour colour, int scale) noexcept {
  for (const char character : text) {
    if (const Glyph* glyph = glyph_of(character))
      for (int row = 0; row < 7; ++row)
        for (int column = 0; column < 5; ++column)
          if ((glyph->rows[row] >> (4 - column) & 1) != 0)
            box(x + column * scale, y + row * scale, scale, scale, colour);
    x += 6 * scale;
  }
}

void Picture::save_png(const std::string& path) const {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_);
  image.height = static_cast<png_uint_32>(height_);
  image.format = PNG_FORMAT_RGB;
  static_assert(sizeof(Colour) == 3);
  write_file(path, [&](std::FILE* file) {
    const bool drawn = png_image_write_to_stdio(&image, file, 0, dots_.data(), width_ * 3, nullptr) != 0;
    check_input(drawn || std::ferror(file) != 0, "cannot write " + path + " (" + image.message + ")");
  });
}

}  // namespace taihu::picture
