// SPDX-License-Identifier: Apache-2.0
// Every format: a file made here is read whole and by ranks; every cut and many damaged copies of it are
// either read or refused in one line that begins with the name of the file.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <random>

#include "taihu/amg/input/read.h"
#include "taihu/amg/matrix/matrices_for_tests.h"
#include "taihu/amg/parallel/context_for_tests.h"
#include "taihu/base/error.h"
#include "taihu/base/sanitized_for_tests.h"

namespace taihu::amg {
namespace {

// The matrix of all files here:  2 -1  .
//                               -1  2  .
//                                .  .  1.5
const std::vector<int> lengths{2, 2, 1}, columns{0, 1, 0, 1, 2};
const std::vector<double> values{2, -1, -1, 2, 1.5};
using Entries = std::map<std::pair<GlobalIndex, GlobalIndex>, double>;
const Entries expected{{{0, 0}, 2}, {{0, 1}, -1}, {{1, 0}, -1}, {{1, 1}, 2}, {{2, 2}, 1.5}};

template <class T>
std::string big(T value) {
  std::string bytes(sizeof(T), 0);
  std::memcpy(bytes.data(), &value, sizeof(T));
  if (std::endian::native == std::endian::little) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

template <class T>
std::string little(T value) {
  std::string bytes = big(value);
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

class Files {
 public:
  explicit Files(std::string suffix = "")
      : path_(testing::TempDir() + "formats_" + std::to_string(::getpid())), suffix_(std::move(suffix)) {}
  ~Files() {
    for (const std::string& path : written_) std::remove(path.c_str());
  }
  void write(const std::string& content, const std::string& suffix = "") {
    const std::string path = path_ + (suffix.empty() ? suffix_ : suffix);
    std::remove(path.c_str());  // overwritten files may wait for the disk
    std::ofstream(path, std::ios::binary) << content;
    written_.insert(path);
  }
  std::string path() const { return path_ + suffix_; }
  const std::string& stem() const { return path_; }

 private:
  std::string path_, suffix_;
  std::set<std::string> written_;
};

PlainMatrix read(const std::string& path, int ranks = 1) {
  PlainMatrix whole;
  std::mutex mutex;
  on_ranks(ranks, 1, [&](const Context& context) {
    const PlainMatrix own = plain(read_matrix(context, path));
    const std::lock_guard lock(mutex);
    whole.rows = own.rows;
    whole.columns = own.columns;
    whole.entries.insert(own.entries.begin(), own.entries.end());
  });
  return whole;
}

// What is wrong, without the path; "none".
std::string complaint(const std::function<void()>& call, const std::string& path) {
  try {
    call();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(path), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text.substr(text.find(path) + path.size());
  }
  return "none";
}

std::string matrix_complaint(const std::string& content, const std::string& suffix = "") {
  Files files(suffix);
  files.write(content);
  return complaint([&] { read(files.path()); }, files.stem());
}

// Cuts and damages.
void survives(const std::string& content, const std::string& suffix = "") {
  for (std::size_t length = 0; length < content.size(); ++length)
    EXPECT_NE(matrix_complaint(content.substr(0, length), suffix), "none") << length;
  std::mt19937 random(1);
  for (int round = 0; round < plain_or_sanitized(1500, 300); ++round) {
    std::string damaged = content;
    for (int change = 0; change < 1 + round % 3; ++change)
      damaged[random() % damaged.size()] = static_cast<char>(round % 2 == 0 ? random() : random() % 2 * 255);
    matrix_complaint(damaged, suffix);
  }
}

template <class Index>
std::string petsc_matrix(Index rows = 3, Index mark = 1211216) {
  std::string text = big<Index>(mark) + big<Index>(rows) + big<Index>(3) + big<Index>(5);
  for (const int length : lengths) text += big<Index>(length);
  for (const int column : columns) text += big<Index>(column);
  for (const double value : values) text += big(value);
  return text;
}

std::string petsc_vector(int count = 3) {
  std::string text = big<std::int32_t>(1211214) + big<std::int32_t>(count);
  for (int i = 0; i < count; ++i) text += big(i + 0.5);
  return text;
}

TEST(Petsc, ReadsMatricesOfBothIndexSizesOnAnyRanks) {
  for (const int ranks : {1, 2}) {
    Files files;
    files.write(petsc_matrix<std::int32_t>());
    EXPECT_EQ(read(files.path(), ranks).entries, expected);
    files.write(petsc_matrix<std::int64_t>());
    EXPECT_EQ(read(files.path(), ranks).entries, expected);
    EXPECT_EQ(read(files.path(), ranks).rows, 3);
  }
}

TEST(Petsc, ReadsVectorsAloneAndBehindAMatrix) {
  Files files;
  files.write(petsc_vector());
  EXPECT_EQ(read_vector(files.path(), spread(3, 1), 0), (std::vector<double>{0.5, 1.5, 2.5}));
  files.write(petsc_matrix<std::int32_t>() + petsc_vector());
  EXPECT_EQ(read(files.path()).entries, expected);
  EXPECT_EQ(read_vector(files.path(), spread(3, 3), 1), (std::vector<double>{1.5}));
  EXPECT_THROW(read_vector(files.path(), spread(4, 1), 0), Error);
  files.write(petsc_vector() + petsc_vector());
  EXPECT_EQ(read_vector(files.path(), spread(3, 3), 1), (std::vector<double>{1.5}));
  files.write(petsc_vector() + big(0.5));
  EXPECT_EQ(complaint([&] { read_vector(files.path(), spread(3, 1), 0); }, files.stem()),
            ": byte 32: behind the vector is neither the end nor a vector (complex values?)");
  files.write(petsc_matrix<std::int32_t>());
  EXPECT_THROW(read_vector(files.path(), spread(3, 1), 0), Error);
}

TEST(Petsc, FaultsAreNamedWithTheirPlace) {
  EXPECT_EQ(matrix_complaint(petsc_vector()), ": byte 0: this is not a matrix of PETSc (1211216)");
  std::string text = petsc_matrix<std::int32_t>();
  EXPECT_EQ(matrix_complaint(text.substr(0, text.size() - 1)),
            ": byte 87: the file ends before the end of the values");
  EXPECT_EQ(matrix_complaint(text + "abcd"),
            ": byte 88: behind the matrix is neither the end nor a vector (complex values?)");
  text.replace(28, 4, big<std::int32_t>(3));
  EXPECT_EQ(matrix_complaint(text), ": byte 28: column 3 is not between 0 and 2");
  text.replace(16, 4, big<std::int32_t>(6));
  EXPECT_EQ(matrix_complaint(text), ": byte 16: row 0 (from 0) has the length 6, but 5 entries are left");
  text.replace(12, 4, big<std::int32_t>(-1));
  EXPECT_EQ(matrix_complaint(text), ": byte 12: the matrix is dense; multigrid needs a sparse one");
  EXPECT_EQ(matrix_complaint(petsc_matrix<std::int64_t>(std::int64_t{1} << 60)),
            ": byte 136: the file ends before the end of the lengths of the rows");
}

TEST(Petsc, NoCutAndNoDamageDoesHarm) {
  survives(petsc_matrix<std::int32_t>());
  survives(petsc_matrix<std::int64_t>());
}

const std::string ij_part0 = "0 1 0 1\n0 0 2\n0 1 -1\n1 0 -1.0e0\n1 1 2\n", ij_part1 = "2 2 2 2\n2 2 1.5\n";

std::string ij_binary(std::uint64_t index_bytes = 4) {
  std::string text;
  for (const std::uint64_t word :
       std::initializer_list<std::uint64_t>{1, index_bytes, 8, 3, 3, 5, 5, 0, 2, 0, 2})
    text += little(word);
  const auto index = [&](int value) {
    return index_bytes == 4 ? little<std::uint32_t>(value) : little<std::uint64_t>(value);
  };
  for (int row = 0; row < 3; ++row)
    for (int k = 0; k < lengths[row]; ++k) text += index(row);
  for (const int column : columns) text += index(column);
  for (const double value : values) text += little(value);
  return text;
}

TEST(HypreIj, ReadsThePartsOfAllRanksByAnyOfTheirNames) {
  Files files;
  files.write(ij_part0, ".00000");
  files.write(ij_part1, ".00001");
  for (const int ranks : {1, 3}) {
    EXPECT_EQ(read(files.stem(), ranks).entries, expected);
    EXPECT_EQ(read(files.stem() + ".00000", ranks).entries, expected);
  }
}

TEST(HypreIj, VectorsHaveEachRowOnce) {
  Files files;
  const auto complaint_of = [&](const std::string& first, const std::string& second) {
    files.write(first, ".00000");
    files.write(second, ".00001");
    return complaint([&] { read_vector(files.stem(), spread(4, 1), 0); }, files.stem());
  };
  const std::string last = "3 3\n3 7\n";
  EXPECT_EQ(complaint_of("0 2\n0 1\n2 0.25\n1 0\n", last), "none");
  EXPECT_EQ(read_vector(files.stem(), spread(4, 1), 0), (std::vector<double>{1, 0, 0.25, 7}));
  EXPECT_THROW(read_vector(files.stem(), spread(3, 1), 0), Error);
  EXPECT_EQ(complaint_of("0 2\n0 1\n2 0.25\n", last), ".00000:4:1: row 1 is missing");
  EXPECT_EQ(complaint_of("0 2\n0 1\n1 2\n0 3\n2 1\n", last), ".00000:4:1: row 0 is there twice");
  EXPECT_EQ(complaint_of("0 2\n0 1\n1 2\n3 3\n", last), ".00000:4:1: row 3 is not between 0 and 2");
  EXPECT_EQ(complaint_of("0 1\n0 1\n1 2\n", last),
            ".00001:1:1: the rows begin with 3, but those of the parts before it end with 1");
  EXPECT_EQ(complaint_of("0 2\n0 1\n1 2\n2 3\n", "2 3\n2 1\n3 1\n"),
            ".00001:1:1: the rows begin with 2, but those of the parts before it end with 2");
  EXPECT_EQ(complaint_of("0 2\n0 1\n1 2e308\n2 1\n", last),
            ".00000:3:3: value 2e308 is too large for double precision");
  EXPECT_EQ(complaint_of("0 1099511627775\n0 1\n", last),
            ".00000:1:3: there are fewer lines than the 1099511627776 rows announced");
}

TEST(HypreIj, IndicesMayBeginAtOneAndFilesMayBeBinary) {
  Files files;
  files.write("1 3 1 3\n1 1 2\n1 2 -1\n2 1 -1\n2 2 2\n3 3 1.5\n", ".00000");
  EXPECT_EQ(read(files.stem()).entries, expected);
  Files binary;
  binary.write("", ".none");
  for (const std::uint64_t bytes : {4, 8}) {
    std::remove((binary.stem() + ".00000").c_str());
    binary.write(ij_binary(bytes), ".00000.bin");
    EXPECT_EQ(read(binary.stem() + ".00000.bin").entries, expected);
  }
}

TEST(HypreIj, FaultsAreNamedWithTheirPlace) {
  EXPECT_EQ(matrix_complaint("0 1 0\n", ".00000"), ".00000:1:6: the last column is missing");
  EXPECT_EQ(matrix_complaint("0 0 0 0\n0 0 1e309\n", ".00000"),
            ".00000:2:5: value 1e309 is too large for double precision");
  EXPECT_EQ(matrix_complaint("0 0 0 0\n0 0 x\n", ".00000"), ".00000:2:5: 'x' is not a number (value)");
  EXPECT_EQ(matrix_complaint("0 0 0 0\n0 5 1\n", ".00000"),
            ".00000: the entry in row 0, column 5 is outside of the ranges in the first lines");
  EXPECT_EQ(matrix_complaint("0 1099511627775 0 1099511627775\n0 0 1\n", ".00000").substr(0, 30),
            ".00000: a matrix of 1099511627");
  EXPECT_EQ(matrix_complaint(ij_binary() + "x", ".00000.bin"),
            ".00000.bin: byte 168: there is more than the entries of the header");
}

TEST(HypreIj, NoDamageDoesHarm) {
  survives(ij_binary(), ".00000.bin");
  std::mt19937 random(1);
  for (int round = 0; round < plain_or_sanitized(1000, 300); ++round) {
    std::string text = ij_part0;
    for (int change = 0; change < 2; ++change) text[random() % text.size()] = static_cast<char>(random());
    matrix_complaint(text, ".00000");
  }
}

std::string npy(const std::string& type, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + little<std::uint16_t>(118) + header + data;
}

template <class T, class Numbers>
std::string elements(const Numbers& numbers) {
  std::string text;
  for (const auto number : numbers) text += little(static_cast<T>(number));
  return text;
}

// A zip archive of the members, deflated where asked for.
std::string archive(const std::vector<std::pair<std::string, std::string>>& members, bool deflated) {
  std::string file, directory;
  for (const auto& [name, content] : members) {
    std::string stored = content;
    if (deflated) {
      stored.resize(content.size() + 1000);
      z_stream stream{};
      deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
      stream.avail_in = static_cast<uInt>(content.size());
      stream.next_out = reinterpret_cast<Bytef*>(stored.data());
      stream.avail_out = static_cast<uInt>(stored.size());
      deflate(&stream, Z_FINISH);
      stored.resize(stream.total_out);
      deflateEnd(&stream);
    }
    const auto sum = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
    const std::string common = little<std::uint16_t>(20) + little<std::uint16_t>(0) +
                               little<std::uint16_t>(deflated ? 8 : 0) + little<std::uint32_t>(0) +
                               little(sum) + little(static_cast<std::uint32_t>(stored.size())) +
                               little(static_cast<std::uint32_t>(content.size())) +
                               little(static_cast<std::uint16_t>(name.size())) + little<std::uint16_t>(0);
    directory += "PK\x01\x02" + little<std::uint16_t>(20) + common + std::string(10, 0) +
                 little(static_cast<std::uint32_t>(file.size())) + name;
    file += "PK\x03\x04" + common + name + stored;
  }
  const auto count = static_cast<std::uint16_t>(members.size());
  return file + directory + "PK\x05\x06" + std::string(4, 0) + little(count) + little(count) +
         little(static_cast<std::uint32_t>(directory.size())) +
         little(static_cast<std::uint32_t>(file.size())) + std::string(2, 0);
}

std::string npz(bool deflated, const std::string& format = "csr", const std::string& type = "<f8",
                const std::vector<int>& used_columns = columns,
                const std::vector<int>& starts = {0, 2, 4, 5}) {
  return archive({{"indices.npy", npy("<i4", "5,", elements<std::int32_t>(used_columns))},
                  {"indptr.npy", npy("<i8", "4,", elements<std::int64_t>(starts))},
                  {"format.npy", npy("|S3", "", format)},
                  {"shape.npy", npy("<i8", "2,", elements<std::int64_t>(std::vector<int>{3, 3}))},
                  {"data.npy", npy(type, "5,", elements<double>(values))}},
                 deflated);
}

TEST(Npz, ReadsStoredAndDeflatedMatrices) {
  for (const bool deflated : {false, true}) {
    Files files;
    files.write(npz(deflated));
    for (const int ranks : {1, 2}) EXPECT_EQ(read(files.path(), ranks).entries, expected);
  }
}

TEST(Npz, FaultsAreNamed) {
  EXPECT_NE(matrix_complaint(npz(true, "csc")).find("in the format 'csc'; save it as CSR"),
            std::string::npos);
  EXPECT_NE(matrix_complaint(npz(true, "csr", "<c16")).find("(data.npy): byte 10: elements of type '<c16'"),
            std::string::npos);
  EXPECT_NE(
      matrix_complaint(npz(true, "csr", "<f8", {0, 1, 0, 1, 3})).find("(indices.npy): byte 144: column 3"),
      std::string::npos);
  EXPECT_NE(
      matrix_complaint(npz(true, "csr", "<f8", columns, {0, 4, 2, 5})).find("(indptr.npy): byte 144: row 1"),
      std::string::npos);
  EXPECT_NE(matrix_complaint(npz(true, "csr", "<f8", columns, {1, 2, 4, 5})).find("begin with 1, not with 0"),
            std::string::npos);
  std::string damaged = npz(false);
  damaged[damaged.find("data.npy") + 150] ^= 1;
  EXPECT_NE(matrix_complaint(damaged).find("the checksum of the member data.npy is wrong"),
            std::string::npos);
  EXPECT_NE(matrix_complaint(archive({{"a.npy", ""}}, false)).find("the archive has no member shape.npy"),
            std::string::npos);
}

TEST(Npz, NoCutAndNoDamageDoesHarm) {
  survives(npz(false));
  survives(npz(true));
}

TEST(Npy, ReadsRightHandSidesOfEveryNumberType) {
  Files files;
  const std::vector<double> numbers{1, 2, 3};
  const auto check = [&](const std::string& content) {
    files.write(content);
    EXPECT_EQ(read_vector(files.path(), spread(3, 1), 0), numbers);
  };
  check(npy("<f8", "3,", elements<double>(numbers)));
  check(npy("<f4", "3, 1", elements<float>(numbers)));
  check(npy("<i2", "3,", elements<std::int16_t>(numbers)));
  check(npy("|u1", "3,", elements<std::uint8_t>(numbers)));
  check(npy(">f8", "3,", big(1.0) + big(2.0) + big(3.0)));
  files.write(npy("<u8", "2,", little(std::uint64_t{1} << 63) + little(~std::uint64_t{0})));
  EXPECT_EQ(read_vector(files.path(), spread(2, 1), 0), (std::vector<double>{0x1p63, 0x1p64}));
  const auto refused = [&](const std::string& content) {
    files.write(content);
    return complaint([&] { read_vector(files.path(), spread(3, 1), 0); }, files.stem());
  };
  EXPECT_EQ(refused(npy("<f8", "3,", "")), ": byte 128: the file ends before the end of the array");
  EXPECT_EQ(refused(npy("<f8", "3,", elements<double>(numbers)) + "x"),
            ": byte 152: there is more than the elements of the array's shape");
  EXPECT_EQ(refused(npy("<f8", "3, 2", elements<double>(std::vector<double>(6)))),
            ": byte 10: the array has neither one dimension nor one column");
  EXPECT_EQ(refused(npy("<f8", "2,", big(1.0) + big(2.0))), ": the right-hand side has 2 rows, the matrix 3");
  EXPECT_EQ(refused(npy("<c8", "3,", elements<double>(numbers))),
            ": byte 10: elements of type '<c8' are not read; convert them to float64");
  const std::string whole = npy("<f8", "3,", elements<double>(numbers));
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::string text = whole;
    text[random() % 128] = static_cast<char>(random());
    refused(text);
  }
}

TEST(Read, TheContentDecidesWhateverTheNameIs) {
  for (const char* suffix : {"mat.bin", ".bin", ".00000", ".00000.bin", ".mtx"}) {
    Files files(suffix);
    files.write(petsc_matrix<std::int32_t>() + petsc_vector());
    EXPECT_EQ(read(files.path()).entries, expected) << suffix;
    EXPECT_EQ(read_vector(files.path(), spread(3, 3), 1), (std::vector<double>{1.5})) << suffix;
    files.write(npz(false));
    EXPECT_EQ(read(files.path()).entries, expected) << suffix;
    files.write("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 4\n");
    EXPECT_EQ(read(files.path()).rows, 1) << suffix;
  }
  EXPECT_NE(matrix_complaint("hello", "mat.bin").find("the file is neither"), std::string::npos);
}

TEST(Read, UnknownFilesAreRefusedWithWhatIsKnown) {
  EXPECT_EQ(matrix_complaint("hello"),
            ":1:1: the file is neither Matrix Market, PETSc binary, .npz, .npy nor NAME.00000 of hypre");
  EXPECT_EQ(matrix_complaint(""),
            ":1:1: the file is neither Matrix Market, PETSc binary, .npz, .npy nor NAME.00000 of hypre");
  EXPECT_NE(matrix_complaint(npy("<f8", "3,", "")).find("is dense"), std::string::npos);
  on_ranks(1, 1, [](const Context& context) {
    EXPECT_EQ(complaint([&] { read_matrix(context, "/nonexistent/a"); }, "/nonexistent/a"),
              " (No such file or directory)");
  });
}

}  // namespace
}  // namespace taihu::amg
