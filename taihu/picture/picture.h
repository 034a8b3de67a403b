// SPDX-License-Identifier: Apache-2.0
// A small raster picture with lines, boxes and text in a 5 x 7 font (capital letters), written as PNG.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taihu::picture {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
};
inline constexpr Colour black{0, 0, 0}, white{255, 255, 255}, grey{200, 200, 200};
/// Distinct colours for series, repeating after eight.
Colour series_colour(std::size_t number) noexcept;
/// From white over yellow and red to dark red as `share` goes from 0 to 1.
Colour heat_colour(double share) noexcept;

class Picture {
 public:
  Picture(int width, int height);
  int width() const noexcept { return width_; }
  int height() const noexcept { return height_; }

  void dot(int x, int y, Colour colour) noexcept;
  void box(int x, int y, int width, int height, Colour colour) noexcept;
  void line(double x0, double y0, double x1, double y1, Colour colour, int thickness = 1) noexcept;
  /// Text with its upper left corner at (x, y); `scale` pixels per dot of the font.
  void text(int x, int y, std::string_view text, Colour colour = black, int scale = 1) noexcept;
  static int text_width(std::string_view text, int scale = 1) noexcept {
    return static_cast<int>(text.size()) * 6 * scale;
  }

  /// Throws Error.
  void save_png(const std::string& path) const;

 private:
  int width_, height_;
  std::vector<Colour> dots_;
};

}  // namespace taihu::picture
