// SPDX-License-Identifier: Apache-2.0
#include "taihu/picture/picture.h"

#include <gtest/gtest.h>
#include <png.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "taihu/base/error.h"

namespace taihu::picture {
namespace {

struct Read {
  int width = 0, height = 0;
  std::vector<Colour> dots;  ///< rows from top to bottom
};

/// What libpng reads in a file.
Read read_png(const std::string& path) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) throw std::runtime_error(image.message);
  image.format = PNG_FORMAT_RGB;
  Read read{static_cast<int>(image.width), static_cast<int>(image.height), {}};
  read.dots.resize(std::size_t{image.width} * image.height);
  if (png_image_finish_read(&image, nullptr, read.dots.data(), 0, nullptr) == 0)
    throw std::runtime_error(image.message);
  return read;
}

bool same(Colour a, Colour b) {
  return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

TEST(Picture, IsReadAsItWasDrawn) {
  const std::string path = testing::TempDir() + "picture_test." + std::to_string(getpid()) + ".png";
  Picture picture(5, 3);
  picture.dot(0, 0, {1, 2, 3});
  picture.dot(4, 2, {255, 0, 128});
  picture.dot(5, 0, black);  // outside
  picture.dot(0, -1, black);
  picture.save_png(path);
  const Read read = read_png(path);
  std::remove(path.c_str());
  ASSERT_EQ(read.width, 5);
  ASSERT_EQ(read.height, 3);
  for (int i = 0; i < 15; ++i)
    EXPECT_TRUE(same(read.dots[i], i == 0    ? Colour{1, 2, 3}
                                   : i == 14 ? Colour{255, 0, 128}
                                             : white))
        << "dot " << i;
}

TEST(Picture, TextIsDrawnInsideOnly) {
  const std::string path = testing::TempDir() + "picture_text." + std::to_string(getpid()) + ".png";
  Picture picture(8, 8);
  picture.text(0, 0, "I");
  picture.text(6, 6, "W");  // most of it is outside
  picture.save_png(path);
  const Read read = read_png(path);
  std::remove(path.c_str());
  EXPECT_TRUE(same(read.dots[2], black));      // the stem of the I
  EXPECT_TRUE(same(read.dots[8 + 0], white));  // left of it
  EXPECT_TRUE(same(read.dots[6 * 8 + 6], black));
}

TEST(Picture, ThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(Picture(1, 1).save_png("/nowhere/at/all.png"), Error);
}

}  // namespace
}  // namespace taihu::picture
