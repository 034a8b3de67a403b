// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/file/mcpl_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taihu/base/error.h"
#include "taihu/base/random.h"
#include "taihu/neutron/test_models.h"

namespace taihu::neutron {
namespace {

template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A file as OpenMC writes it, with a comment; `single`: numbers of four bytes.
std::string file_of(const std::vector<std::array<double, 8>>& particles, bool single,
                    std::int32_t particle = 2112) {
  std::string bytes = "MCPL003L";
  append<std::uint64_t>(bytes, particles.size());
  append<std::uint32_t>(bytes, 1), append<std::uint32_t>(bytes, 0), append<std::uint32_t>(bytes, 0);
  append<std::uint32_t>(bytes, 0), append<std::uint32_t>(bytes, single), append<std::int32_t>(bytes, 0);
  append<std::uint32_t>(bytes, 8 * (single ? 4 : 8) + 4), append<std::uint32_t>(bytes, 0);
  for (const std::string text : {"OpenMC", "a comment"})
    append<std::uint32_t>(bytes, static_cast<std::uint32_t>(text.size())), bytes += text;
  for (const auto& numbers : particles) {
    for (const double number : numbers)
      single ? append(bytes, static_cast<float>(number)) : append(bytes, number);
    append(bytes, particle);
  }
  return bytes;
}

TEST(McplFile, DirectionsAreUnpacked) {
  const TemporaryFolder folder;
  // x y z, two of the direction with the energy in MeV, ms, weight
  folder.write("a.mcpl", file_of({{1, 2, 3, 0.6, 0, 2, 0.5, 1},          // z is left out
                                  {1, 2, 3, 0.6, 0, -2, 0.5, 1},         // and negative
                                  {0, 0, 0, 0.1, 1 / 0.2, -4, 0, 0.25},  // y
                                  {0, 0, 0, 1 / -0.3, 0.4, 1e-6, 0, 1}},
                                 false));  // x
  const std::vector<BankRecord> records = read_mcpl_file(folder.path("a.mcpl"));
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].r[2], 3);
  EXPECT_NEAR(records[0].u[2], 0.8, 1e-15);
  EXPECT_NEAR(records[1].u[2], -0.8, 1e-15);
  EXPECT_DOUBLE_EQ(records[0].energy, 2e6);
  EXPECT_DOUBLE_EQ(records[0].time, 5e-4);
  EXPECT_NEAR(records[2].u[1], -std::sqrt(1 - 0.01 - 0.04), 1e-15);
  EXPECT_NEAR(records[2].u[2], 0.2, 1e-15);
  EXPECT_EQ(records[2].weight, 0.25);
  EXPECT_NEAR(records[3].u[0], std::sqrt(1 - 0.09 - 0.16), 1e-15);
  EXPECT_NEAR(records[3].u[2], -0.3, 1e-15);
}

TEST(McplFile, WhatIsWrittenIsRead) {
  std::vector<BankRecord> written;
  const auto add = [&](double x, double y, double z) {
    const double size = std::sqrt(x * x + y * y + z * z), i = static_cast<double>(written.size());
    written.push_back({.r = {i, -i, 0.1 * i},
                       .u = {x / size, y / size, z / size},
                       .energy = 1e-3 + i * i,
                       .time = 1e-6 * i,
                       .weight = 0.5 + i,
                       .delayed_group = 0,
                       .surface = 0,
                       .particle = 0});
  };
  for (const double sign : {1.0, -1.0})
    for (const double z : {0.0, -0.0, 1e-200, 0.3, -0.3, 1.0})
      add(sign, 0, z), add(0, sign, z), add(sign, sign, z), add(0.1, -0.2, sign), add(-0.4, 0.2 * sign, z);
  const TemporaryFolder folder;
  write_mcpl_file(folder.path("a.mcpl"), written);
  const std::vector<BankRecord> read = read_mcpl_file(folder.path("a.mcpl"));
  ASSERT_EQ(read.size(), written.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(read[i].r[axis], written[i].r[axis]);
      EXPECT_NEAR(read[i].u[axis], written[i].u[axis], 5e-16) << i << ' ' << axis;
    }
    EXPECT_NEAR(read[i].energy, written[i].energy, 4e-16 * written[i].energy);
    EXPECT_NEAR(read[i].time, written[i].time, 4e-16 * written[i].time);
    EXPECT_EQ(read[i].weight, written[i].weight);
  }
}

TEST(McplFile, DamagedIsReadOrRefusedWithOneLine) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& bytes) -> std::string {
    folder.write("a.mcpl", bytes);
    try {
      read_mcpl_file(folder.path("a.mcpl"));
    } catch (const Error& error) {
      return std::string(error.what()).substr(folder.path("a.mcpl").size() + 2);
    }
    return "accepted";
  };
  const std::string good = file_of({{1, 2, 3, 0.6, 0, 2, 0.5, 1}, {0, 0, 0, 0.1, 5, 4, 0, 1}}, true);
  EXPECT_EQ(refusal(good), "accepted");
  EXPECT_EQ(refusal(""), "this is not a file in MCPL format");
  EXPECT_EQ(refusal("MCPL002L" + good.substr(8)),
            "only version 3 of MCPL with little-endian numbers is supported");
  EXPECT_EQ(refusal(good.substr(0, good.size() - 1)), "the file is cut off");
  EXPECT_EQ(refusal(file_of({{1, 2, 3, 0.6, 0, 2, 0.5, 1}}, true, 22)), "it has no neutrons");
  EXPECT_EQ(refusal(file_of({{1, 2, 3, 0.6, 0.9, 2, 0.5, 1}}, true)),
            "a neutron has an impossible place, direction, energy, time or weight");
  Random random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = good;
    for (int d = 0; d < 3; ++d) bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    if (i % 5 == 0) bytes.resize(random.below(bytes.size()));
    EXPECT_EQ(refusal(bytes).find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace taihu::neutron
