// SPDX-License-Identifier: Apache-2.0
#include "taihu/scratchpad_model/picture.h"

#include <gtest/gtest.h>

namespace taihu::scratchpad_model {
namespace {

constexpr Ticks cycle = ticks_per_cycle;

std::size_t number_of(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t place = text.find(part); place != std::string::npos; place = text.find(part, place + 1))
    ++found;
  return found;
}

TEST(ScratchpadPicture, ShowsFlightsAndWhatLiesThere) {
  const std::vector<Transfer> transfers{{0, 100 * cycle, 0, 512, true},
                                        {100 * cycle, 200 * cycle, 512, 512, false},
                                        {500 * cycle, 600 * cycle, 256, 512, true}};
  const std::string svg = picture_of("a<b>", transfers, 1000 * cycle, 1024, 2.0);
  EXPECT_NE(svg.find("kernel a&lt;b&gt;<"), std::string::npos);
  EXPECT_EQ(number_of(svg, "<rect class=\"near\""), 3U);  // one is the legend's
  EXPECT_EQ(number_of(svg, "<rect class=\"get\""), 3U);
  EXPECT_EQ(number_of(svg, "<rect class=\"put\""), 2U);
  // What is put back was made there from the begin on.
  EXPECT_NE(svg.find("<title>made 512 bytes at byte 512, cycles 0 to 100</title>"), std::string::npos);
  EXPECT_NE(svg.find("<title>put 512 bytes at byte 512, cycles 100 to 200</title>"), std::string::npos);
  // What was fetched first lies there until the third transfer begins: 100 to 500 of 1000 cycles are 400
  // units.
  EXPECT_NE(svg.find("<rect class=\"near\" x=\"170.00\" y=\"214.00\" width=\"400.00\" height=\"150.00\">"),
            std::string::npos);
  EXPECT_NE(svg.find(">1000 (0.50 us)<"), std::string::npos);
  EXPECT_EQ(svg, picture_of("a<b>", transfers, 1000 * cycle, 1024, 2.0));
}

TEST(ScratchpadPicture, NothingIsAPictureToo) {
  const std::string svg = picture_of("none", {}, 0, 0, 1.45);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(number_of(svg, "<rect class=\"near\""), 1U);
}

TEST(ScratchpadPicture, TooManyTransfersAreSaid) {
  std::vector<Transfer> transfers(most_kept_transfers, Transfer{0, cycle, 0, 8, false});
  EXPECT_NE(picture_of("long", transfers, 1000 * cycle, 1024, 1).find("its first 4000 transfers"),
            std::string::npos);
}

TEST(ScratchpadPicture, TheBeginOfALongKernelIsShownLarger) {
  std::vector<Transfer> transfers;
  for (Ticks k = 0; k < 1000; ++k) transfers.push_back({k * cycle, (k + 1) * cycle, 0, 8, true});
  const std::string svg = picture_of("long", transfers, 1000 * cycle, 1024, 1);
  EXPECT_NE(svg.find("its first 60 transfers"), std::string::npos);
  EXPECT_NE(svg.find(">60 (0.06 us)<"), std::string::npos);
  EXPECT_NE(svg.find(">1000 (1.00 us)<"), std::string::npos);
  transfers.resize(20);
  EXPECT_EQ(picture_of("short", transfers, 20 * cycle, 1024, 1).find("transfers"), std::string::npos);
}

}  // namespace
}  // namespace taihu::scratchpad_model
