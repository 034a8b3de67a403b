// SPDX-License-Identifier: Apache-2.0
// Models and libraries with random damage are read or refused with one line, whatever it is.
#include <gtest/gtest.h>

#include <hdf5.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "taihu/base/error.h"
#include "taihu/base/random.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/neutron/file/hdf5_handle.h"
#include "taihu/neutron/input/nuclide_hdf5.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/neutron/test_library.h"
#include "taihu/neutron/test_models.h"

namespace taihu::neutron {
namespace {

constexpr int mutated_models = plain_or_sanitized(6000, 600),
              mutated_libraries = plain_or_sanitized(2000, 200),
              mutated_nuclides = plain_or_sanitized(2000, 200);

/// Up to four places of a text are replaced, taken out, doubled, or get a number that is hard to take.
std::string damaged(std::string text, Random& random) {
  const char* const numbers[] = {"-1", "0",      "1e308",      "nan", "99999999999",
                                 "",   "1e-320", "2147483647", "0.5", "-inf"};
  for (std::uint64_t i = random.below(4) + 1; i > 0 && !text.empty(); --i) {
    const std::size_t at = random.below(text.size()), length = random.below(12) + 1;
    switch (random.below(5)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(random.below(text.size()), text.substr(at, length));
        break;
      default: {
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit == std::string::npos) break;
        const std::size_t end = std::min(text.find_first_not_of("0123456789.e+-", digit), text.size());
        text.replace(digit, end - digit, numbers[random.below(std::size(numbers))]);
      }
    }
  }
  return text;
}

/// Reads with one reader: what it throws has to be an Error of one line.
template <typename Read>
void expect_one_line(const std::string& input, const Read& read, int& refused) {
  try {
    read();
  } catch (const Error& error) {
    ++refused;
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << input;
    EXPECT_FALSE(std::string(error.what()).empty()) << input;
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what() << "\n" << input;
  }
}

const std::string all_settings =
    settings_text() +
    "<cutoff><weight>0.1</weight></cutoff><survival_biasing>true</survival_biasing><trigger><active>true</"
    "active>"
    "<max_batches>9</max_batches></trigger><keff_trigger><type>std_dev</type><threshold>0.1</threshold>"
    "</keff_trigger><source strength=\"2\"><space type=\"cloud\"><coords>0 0 0 1 1 1</coords></space>"
    "<energy type=\"watt\" parameters=\"0.988e6 2.249e-6\"/></source>";
const std::string all_tallies =
    "<mesh id=\"1\"><dimension>6 5 2</dimension><lower_left>-3 -3 -3</lower_left><upper_right>3 3 "
    "3</upper_right>"
    "</mesh><mesh id=\"2\" type=\"cylindrical\"><r_grid>0 1 2</r_grid><phi_grid>0 3 6</phi_grid><z_grid>0 "
    "1</z_grid>"
    "</mesh><filter id=\"1\" type=\"mesh\"><bins>1</bins></filter><filter id=\"2\" "
    "type=\"energy\"><bins>1e-5 1 2e7"
    "</bins></filter><filter id=\"3\" type=\"cell\"><bins>1 2</bins></filter><filter id=\"4\" "
    "type=\"mesh\"><bins>2"
    "</bins></filter><tally id=\"1\"><filters>1 2</filters><scores>flux fission</scores></tally><tally "
    "id=\"2\">"
    "<filters>3</filters><scores>total</scores><estimator>analog</estimator></tally><tally "
    "id=\"3\"><filters>4"
    "</filters><scores>absorption</scores></tally>";

TEST(MutatedModels, AreReadOrRefusedWithOneLine) {
  const TemporaryFolder folder;
  folder.write("library.json", library_text());
  const char* const geometries[] = {"rectangular", "hexagonal", "rotated", "boolean"};
  Random random(11);
  int refused = 0;
  for (int i = 0; i < mutated_models; ++i) {
    const std::string text =
        damaged(model_text(geometry_text(geometries[i % 4]), all_settings, all_tallies), random);
    folder.write("model.xml", text);
    expect_one_line(text, [&] { read_model(folder.path()); }, refused);
  }
  EXPECT_GT(refused, mutated_models / 4);
  EXPECT_LT(refused, mutated_models);
}

TEST(MutatedModels, TextLibraries) {
  const TemporaryFolder folder;
  folder.write("model.xml", model_text(geometry_text("rectangular"), settings_text()));
  Random random(12);
  int refused = 0;
  for (int i = 0; i < mutated_libraries; ++i) {
    const std::string text = damaged(library_text(), random);
    folder.write("library.json", text);
    expect_one_line(text, [&] { read_model(folder.path()); }, refused);
  }
  EXPECT_GT(refused, mutated_libraries / 4);
  EXPECT_LT(refused, mutated_libraries);
}

/// Where the numbers of a file's data sets lie, in bytes. What describes them is left alone: libhdf5 itself
/// fails on some damage there.
std::vector<std::pair<std::size_t, std::size_t>> numbers_of_file(const std::string& path) {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  const Hdf5File file(path, Hdf5File::Mode::read);
  H5Ovisit_by_name2(
      file.id(), "/", H5_INDEX_NAME, H5_ITER_INC,
      [](hid_t root, const char* name, const H5O_info_t* info, void* found) -> herr_t {
        if (info->type != H5O_TYPE_DATASET) return 0;
        const Hdf5Handle set = dataset_handle(H5Dopen2(root, name, H5P_DEFAULT));
        const haddr_t place = H5Dget_offset(*set);
        const hsize_t bytes = H5Dget_storage_size(*set);
        if (place != HADDR_UNDEF && bytes >= 8)
          static_cast<decltype(places)*>(found)->emplace_back(place, bytes);
        return 0;
      },
      &places, H5O_INFO_BASIC, H5P_DEFAULT);
  return places;
}

TEST(MutatedModels, NuclidesInHdf5) {
  const TemporaryFolder folder;
  TestNuclide nuclide;
  nuclide.name = "X235", nuclide.delayed = 0.1, nuclide.unresolved = true;
  nuclide.elastic = nuclide.fission = [](double) { return 2; };
  const std::string path = folder.path("X235.h5");
  write_test_nuclide(path, nuclide);
  const std::vector<std::pair<std::size_t, std::size_t>> places = numbers_of_file(path);
  ASSERT_GT(places.size(), 10u);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const double values[] = {-1, 0, 1e308, std::nan(""), HUGE_VAL, 1e-320, 0.5, 3};
  Random random(13);
  int refused = 0;
  for (int i = 0; i < mutated_nuclides; ++i) {
    std::string text = bytes;
    for (std::uint64_t change = random.below(4) + 1; change > 0; --change) {
      const auto& [place, length] = places[random.below(places.size())];
      const std::size_t at = place + random.below(length / 8) * 8;
      ASSERT_LE(at + 8, text.size());
      if (change % 2 == 0)
        std::memcpy(text.data() + at, &values[random.below(std::size(values))], 8);
      else
        text[at + random.below(8)] = static_cast<char>(random.below(256));
    }
    folder.write("X235.h5", text);
    const auto first = [](const auto&) { return std::vector<std::size_t>{0}; };
    expect_one_line(
        "nuclide " + std::to_string(i), [&] { read_nuclide_hdf5(path, "X235", first, {}); }, refused);
  }
  EXPECT_GT(refused, mutated_nuclides / 20);
  EXPECT_LT(refused, mutated_nuclides);
}

}  // namespace
}  // namespace taihu::neutron
