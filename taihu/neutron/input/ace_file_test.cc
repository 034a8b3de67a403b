// SPDX-License-Identifier: Apache-2.0
// ACE tables made by the tests: read as they are meant, damaged ones refused.
#include "taihu/neutron/input/ace_file.h"

#include <gtest/gtest.h>

#include "taihu/base/error.h"
#include "taihu/neutron/test_models.h"

namespace taihu::neutron {
namespace {

std::vector<std::size_t> all_of(const std::vector<double>& kTs) {
  std::vector<std::size_t> all(kTs.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

struct Table {
  std::string name;
  double awr = 1, kT_MeV = 2.53e-8;
  std::array<int, 16> iz{};
  std::array<int, 17> nxs{};
  std::array<int, 33> jxs{};
  std::vector<double> xss;

  int here() const { return static_cast<int>(xss.size()) + 1; }
  void put(const std::vector<double>& values) { xss.insert(xss.end(), values.begin(), values.end()); }

  std::string text(bool newer = false) const {
    std::string result =
        newer ? "2.0.0  " + name + " TEST\n" + std::to_string(awr) + " " + number(kT_MeV) +
                    " 2026-01-01 1\none comment\n"
              : name + " " + std::to_string(awr) + " " + number(kT_MeV) + " 01/01/26\ncomment\n";
    for (int i = 0; i < 16; ++i) result += std::to_string(iz[i]) + " 0." + (i % 4 == 3 ? "\n" : " ");
    std::array<int, 17> lengths = nxs;
    lengths[1] = static_cast<int>(xss.size());
    for (int i = 1; i <= 16; ++i) result += std::to_string(lengths[i]) + (i % 8 == 0 ? "\n" : " ");
    for (int i = 1; i <= 32; ++i) result += std::to_string(jxs[i]) + (i % 8 == 0 ? "\n" : " ");
    for (std::size_t i = 0; i < xss.size(); ++i) result += number(xss[i]) + (i % 4 == 3 ? "\n" : " ");
    return result + "\n";
  }
  static std::string number(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.11E", value);
    return buffer;
  }
};

/// Elastic 4 b with 32 equal ranges, capture 1 b, (n,2n) above 1 MeV with Kalbach's law, fission 2 b with a
/// Maxwell spectrum, one precursor. `protons`: also 0.5 b and 1 b of levels 0 and 1 of (n,p), above 1 MeV and
/// 1 eV.
Table fissile(bool protons = false) {
  Table t;
  t.name = "92235.80c", t.awr = 233;
  t.nxs[3] = 4, t.nxs[4] = protons ? 5 : 3, t.nxs[5] = 2, t.nxs[8] = 1;
  t.jxs[1] = t.here();
  t.put({1e-11, 1e-6, 1, 20, 4, 4, 5, 5, 1, 1, 1, 1, 4, 4, 4, 4, 0, 0, 0, 0});
  t.jxs[2] = t.here();
  t.put({-7, 2, 0, 2, 1e-11, 20, 2.4, 2.4});  // prompt: 7 numbers from the next place on; then the total
  t.put({2, 0, 2, 1e-11, 20, 2.5, 2.5});
  const auto put = [&](std::vector<double> values, const std::vector<double>& of_protons) {
    if (protons) values.insert(values.end(), of_protons.begin(), of_protons.end());
    t.put(values);
  };
  t.jxs[3] = t.here(), put({16, 18, 102}, {600, 601});
  t.jxs[4] = t.here(), put({-5, 200, 6}, {-1, -2});
  t.jxs[5] = t.here(), put({-2, 19, 0}, {0, 0});
  t.jxs[6] = t.here(), put({1, 5, 11}, {17, 21});
  t.jxs[7] = t.here();
  put({3, 2, 0, 1, 1, 4, 2, 2, 2, 2, 1, 4, 1, 1, 1, 1}, {3, 2, 0.5, 0.5, 2, 3, 1, 1, 1});
  t.jxs[8] = t.here(), t.put({1, -1, 0});
  t.jxs[9] = t.here(), t.put({1, 1, 4});
  for (int i = 0; i <= 32; ++i) t.xss.push_back(-1 + i / 16.0);
  t.jxs[10] = t.here(), t.put({1, 28});
  t.jxs[11] = t.here();
  // Law 44 with one incident energy twice; data begin at place 10 of the block.
  t.put({0, 44, 10, 0, 2, 1, 20, 1, 1});
  t.put({0, 2, 1, 20, 16, 16, 2, 2, 0.1, 0.3, 5, 5, 0, 1, 0.5, 0.5, 2, 2});
  t.put({0, 7, 37, 0, 2, 1e-11, 20, 1, 1});
  t.put({0, 2, 1e-11, 20, 1.3, 1.3, -30});
  t.jxs[24] = t.here(), t.put({2, 0, 2, 1e-11, 20, 0.1, 0.1});
  t.jxs[25] = t.here(), t.put({1e-9, 0, 2, 1e-11, 20, 1, 1});
  t.jxs[26] = t.here(), t.put({1});
  t.jxs[27] = t.here();
  t.put({0, 4, 10, 0, 2, 1e-11, 20, 1, 1});
  t.put({0, 2, 1e-11, 20, 16, 16, 1, 2, 0.2, 0.4, 5, 5, 0, 1});
  return t;
}

TEST(Ace, ReadsANuclide) {
  const TemporaryFolder folder;
  for (const bool newer : {false, true}) {
    folder.write("u.ace", fissile().text(newer));
    const std::unique_ptr<NuclideData> data = read_nuclide_ace(folder.path("u.ace"), "U235", all_of);
    ASSERT_EQ(data->temperatures.size(), 1u);
    const NuclideData::AtTemperature& at = data->temperatures[0];
    EXPECT_NEAR(at.kT, 0.0253, 1e-12);
    EXPECT_NEAR(at.energy[2], 1e6, 1e-6);
    EXPECT_EQ(at.elastic, (std::vector<double>{4, 4, 4, 4}));
    EXPECT_EQ(at.disappearance, (std::vector<double>{1, 1, 1, 1}));
    EXPECT_EQ(at.capture, (std::vector<double>{1, 1, 1, 1}));
    ASSERT_EQ(data->scattering.size(), 1u);
    ASSERT_EQ(data->fission.size(), 1u);
    EXPECT_EQ(at.scattering[0].first, 2u);
    EXPECT_EQ(at.fission[0].values, (std::vector<double>{2, 2, 2, 2}));
    EXPECT_EQ(data->scattering[0].products[0].yield(5e6), 2);
    EXPECT_TRUE(data->scattering[0].centre_of_mass);
    EXPECT_DOUBLE_EQ(data->nu(1), 2.5);
    EXPECT_DOUBLE_EQ(data->fission[0].products[0].yield(1), 2.4);
    ASSERT_EQ(data->delayed.size(), 1u);
    EXPECT_DOUBLE_EQ(data->delayed[0].yield(1), 0.1);
    EXPECT_NEAR(data->delayed[0].decay_rate, 0.1, 1e-12);
    Stream random(1, StreamUse::history, 0, 0);
    double prompt = 0, backwards = 0;
    for (int i = 0; i < 20000; ++i) {
      const double late = data->delayed[0].law->sample(1, random).energy;
      EXPECT_TRUE(late >= 2e5 && late <= 4e5);
      const double twice = data->scattering[0].products[0].law->sample(5e6, random).energy;
      EXPECT_TRUE(twice >= 1e5 && twice <= 3e5);
      prompt += data->fission[0].products[0].law->sample(1, random).energy / 20000;
      backwards += data->elastic_angle.sample(1, random) < 0 ? 1.0 / 20000 : 0;
    }
    EXPECT_NEAR(prompt, 1.5 * 1.3e6, 4e4);
    EXPECT_NEAR(backwards, 0.5, 0.02);
  }
}

TEST(Ace, HasSumsForTalliesWhereItListsTheirParts) {
  const TemporaryFolder folder;
  folder.write("u.ace", fissile(true).text());
  const std::array<int, 4> wanted{16, 103, 107, 601};
  const std::unique_ptr<NuclideData> data = read_nuclide_ace(folder.path("u.ace"), "U235", all_of, wanted);
  EXPECT_EQ(data->tallied, (std::vector<int>{16, 103, 601}));
  const std::vector<ReactionValues>& tallied = data->temperatures[0].tallied;
  EXPECT_EQ(tallied[1].first, 1u);
  EXPECT_EQ(tallied[1].values, (std::vector<double>{1, 1.5, 1.5}));
  EXPECT_EQ(tallied[2].values, (std::vector<double>{1, 1, 1}));
}

TEST(Ace, ReadsTemperaturesOfOneNuclideOnly) {
  const TemporaryFolder folder;
  Table hot = fissile();
  hot.name = "92235.81c", hot.kT_MeV = 5.17e-8;
  folder.write("u.ace", fissile().text() + hot.text());
  EXPECT_EQ(read_nuclide_ace(folder.path("u.ace"), "U235", all_of)->temperatures.size(), 2u);
  hot.name = "92238.80c";
  folder.write("u.ace", fissile().text() + hot.text());
  EXPECT_THROW(read_nuclide_ace(folder.path("u.ace"), "U235", all_of), Error);
}

Table thermal() {
  Table t;
  t.name = "h-x.40t", t.iz[0] = 1001;
  t.nxs[3] = 1, t.nxs[4] = 2, t.nxs[5] = 4, t.nxs[6] = -1, t.nxs[7] = 0;
  t.jxs[1] = t.here(), t.put({2, 1e-11, 4e-6, 30, 20});
  t.jxs[3] = t.here();
  for (int i = 0; i < 2; ++i) t.put({1e-8, -0.5, 0.5, 3e-8, -1, 1});
  t.jxs[4] = t.here(), t.put({2, 1e-9, 2e-9, 3e-9, 5e-9});
  return t;
}

TEST(Ace, ReadsAThermalTable) {
  const TemporaryFolder folder;
  folder.write("h.ace", thermal().text());
  const std::unique_ptr<ThermalTable> table = read_thermal_ace(folder.path("h.ace"), "c_H", all_of);
  EXPECT_EQ(table->nuclides, (std::vector<std::string>{"H1"}));
  EXPECT_NEAR(table->energy_max, 4, 1e-9);
  const ThermalTable::AtTemperature& at = table->temperatures[0];
  EXPECT_NEAR(at.inelastic(4), 20, 1e-9);
  EXPECT_NEAR(at.elastic.cross_section(0.01), 5e-3 / 0.01, 1e-9);
  EXPECT_EQ(at.elastic.cross_section(0.0005), 0);
  Stream random(1, StreamUse::history, 0, 0);
  for (int i = 0; i < 100; ++i) {
    const Outgoing out = at.law->sample(1, random);
    EXPECT_NEAR(std::fabs(out.mu), out.energy < 0.02 ? 0.5 : 1, 1e-12);
  }
}

TEST(Ace, NumbersThatRunIntoEachOtherOrAreNotFiniteAreRefused) {
  const TemporaryFolder folder;
  const std::string whole = fissile().text();
  const std::size_t at = whole.find("1.00000000000E-06");
  ASSERT_NE(at, std::string::npos);
  for (const char* number :
       {"1.00000000000-306", "1.000000000E+400 ", "nan              ", "-inf             "}) {
    std::string damaged = whole;
    damaged.replace(at, 17, number);
    folder.write("x.ace", damaged);
    try {
      read_nuclide_ace(folder.path("x.ace"), "U235", all_of);
      ADD_FAILURE() << number;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("a number is damaged"), std::string::npos) << error.what();
    }
  }
}

/// Tables with damaged numbers are read or refused with one line, never worse.
TEST(Ace, DamagedTablesAreReadOrRefused) {
  const TemporaryFolder folder;
  const std::string texts[] = {fissile().text(), thermal().text()};
  Stream random(3, StreamUse::history, 0, 0);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string damaged = texts[i % 2];
    for (int j = 0; j < 3; ++j)
      damaged[static_cast<std::size_t>(random.uniform() * static_cast<double>(damaged.size()))] =
          "0123456789-+E. x\n"[static_cast<std::size_t>(random.uniform() * 17)];
    if (i % 5 == 0) damaged.resize(damaged.size() / 2);
    folder.write("x.ace", damaged);
    try {
      if (i % 2 == 0)
        read_nuclide_ace(folder.path("x.ace"), "U235", all_of);
      else
        read_thermal_ace(folder.path("x.ace"), "c_H", all_of);
    } catch (const Error& error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  EXPECT_GT(refused, 80);
}

}  // namespace
}  // namespace taihu::neutron
