// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/input/matrix_market.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "taihu/amg/matrix/matrices_for_tests.h"
#include "taihu/amg/parallel/context_for_tests.h"
#include "taihu/base/error.h"

namespace taihu::amg {
namespace {

class File {
 public:
  explicit File(const std::string& text)
      : path_(testing::TempDir() + "matrix_" + std::to_string(::getpid()) + ".mtx") {
    std::ofstream(path_) << text;
  }
  ~File() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

const std::string head = "%%MatrixMarket matrix coordinate ";

PlainMatrix read_text(const std::string& text, int ranks = 1) {
  const File file(text);
  PlainMatrix whole;
  std::mutex mutex;
  on_ranks(ranks, 1, [&](const Context& context) {
    const PlainMatrix own = plain(read_matrix_market(context, file.path()));
    const std::lock_guard lock(mutex);
    whole.rows = own.rows;
    whole.columns = own.columns;
    whole.entries.insert(own.entries.begin(), own.entries.end());
  });
  return whole;
}

// The complaint about a file, without its path.
std::string complaint(const std::string& text) {
  try {
    read_text(text);
  } catch (const Error& error) {
    const std::string message = error.what();
    return message.substr(message.find(".mtx") + 4);
  }
  return "none";
}

using Entries = std::map<std::pair<GlobalIndex, GlobalIndex>, double>;

TEST(MatrixMarket, ReadsAllKinds) {
  EXPECT_EQ(read_text(head + "real general\n% a comment\n\n2 3 2\n1 3 1.5e0\n 2\t1 -2 \n").entries,
            (Entries{{{0, 2}, 1.5}, {{1, 0}, -2}}));
  EXPECT_EQ(read_text(head + "integer symmetric\r\n2 2 2\r\n1 1 +4\r\n2 1 3\r\n").entries,
            (Entries{{{0, 0}, 4}, {{0, 1}, 3}, {{1, 0}, 3}}));
  EXPECT_EQ(read_text(head + "real skew-symmetric\n2 2 1\n2 1 3\n").entries,
            (Entries{{{0, 1}, -3}, {{1, 0}, 3}}));
  EXPECT_EQ(read_text(head + "pattern general\n2 2 1\n2 2").entries, (Entries{{{1, 1}, 1}}));
  EXPECT_EQ(read_text("%%matrixmarket MATRIX Coordinate Real General\n1 1 2\n1 1 1\n1 1 2\n").entries,
            (Entries{{{0, 0}, 3}}));
  EXPECT_EQ(read_text(head + "real general\n0 0 0\n").rows, 0);
}

TEST(MatrixMarket, EachRankKeepsItsRows) {
  std::string text = head + "real general\n600 600 600\n";
  for (int i = 600; i > 0; --i)
    text += std::to_string(i) + " " + std::to_string(601 - i) + " " + std::to_string(i) + "\n";
  const PlainMatrix whole = read_text(text, 3);
  EXPECT_EQ(whole.entries.size(), 600u);
  EXPECT_EQ(whole.entries.at({599, 0}), 600);
}

TEST(MatrixMarket, FaultsAreNamedWithTheirPlace) {
  EXPECT_EQ(complaint(""),
            ":1:1: the file does not begin with %%MatrixMarket, so it is not a Matrix Market file");
  EXPECT_EQ(complaint("%%MatrixMarket vector coordinate real general\n"),
            ":1:16: only objects of the kind 'matrix' are known");
  EXPECT_EQ(complaint(head + "complex general\n1 1 0\n"),
            ":1:34: complex matrices are not supported; solve the equivalent real system of twice the size");
  EXPECT_EQ(complaint(head + "real odd\n"),
            ":1:39: the symmetry is not general, symmetric or skew-symmetric");
  EXPECT_EQ(complaint(head + "real general\n2 2\n"), ":2:4: the number of entries is missing");
  EXPECT_EQ(complaint(head + "real general\n2 2 2\n1 1 1\n"), ":4:1: the file ends after 1 of 2 entries");
  EXPECT_EQ(complaint(head + "real general\n2 2 1\n3 1 1\n"), ":3:1: row 3 is not between 1 and 2");
  EXPECT_EQ(complaint(head + "real general\n2 2 1\n1 0 1\n"), ":3:3: column 0 is not between 1 and 2");
  EXPECT_EQ(complaint(head + "real general\n2 2 1\n1 1\n"), ":3:4: value is missing");
  EXPECT_EQ(complaint(head + "real general\n2 2 1\n1 1 1.5x\n"), ":3:5: '1.5x' is not a number (value)");
  EXPECT_EQ(complaint(head + "real general\n2 2 1\n1 1 nan\n"), ":3:5: value is not a finite number");
  for (const char* large : {"1e309", "-1e309", "1e99999999999999999999", "+2e308"})
    EXPECT_EQ(complaint(head + "real general\n2 2 1\n1 1 " + large + "\n"),
              std::string(":3:5: value ") + large + " is too large for double precision");
  EXPECT_EQ(complaint(head + "real general\n2 2 1\n1 1 1e309x\n"), ":3:5: '1e309x' is not a number (value)");
  EXPECT_EQ(complaint(head + "real general\n2 2 1\n1.0 1 1\n"), ":3:1: '1.0' is not a whole number (row)");
  EXPECT_EQ(complaint(head + "real general\n2 2 1\n1 1 1 7\n"),
            ":3:7: '7' is more than belongs on this line");
  EXPECT_EQ(complaint(head + "real general\n2 2 1\n1 1 1\n2 2 1\n"),
            ":4:1: there is more after the 1 entries that the size line announces");
  EXPECT_EQ(complaint(head + "real symmetric\n2 2 1\n1 2 1\n"),
            ":3:5: an entry above the diagonal, but symmetric files have the lower triangle only");
  EXPECT_EQ(complaint(head + "real symmetric\n3 2 1\n3 1 1\n"),
            ":2:3: a symmetric matrix has as many columns as rows, 3");
  EXPECT_EQ(complaint("%%MatrixMarket matrix array real general\n1 1\n1\n"),
            ":3:1: the matrix is dense (format array); multigrid needs a sparse one (coordinate)");
}

TEST(MatrixMarket, NoPrefixOfAFileCrashes) {
  const std::string whole = head + "real symmetric\n% c\n3 3 4\n1 1 2.0\n2 1 -1\n2 2 2e0\n3 3 1\n";
  for (std::size_t length = 0; length < whole.size() - 2; ++length)
    EXPECT_NE(complaint(whole.substr(0, length)), "none") << length;
}

TEST(MatrixMarket, RandomBytesAreReadOrRefusedWithTheirPlace) {
  std::mt19937 random(1);
  const std::string whole = head + "real general\n3 3 3\n1 1 2.0\n2 1 -1\n2 2 2e0\n";
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = whole;
    for (int change = 0; change < 3; ++change) text[random() % text.size()] = static_cast<char>(random());
    const std::string problem = complaint(text);
    if (problem == "none") continue;
    ++refused;
    int line = 0, column = 0;
    ASSERT_EQ(std::sscanf(problem.c_str(), ":%d:%d: %*c", &line, &column), 2) << problem;
    EXPECT_TRUE(line >= 1 && line <= 8 && column >= 1) << problem;
    EXPECT_EQ(problem.find_first_of("\n\r"), problem.npos) << problem;
  }
  EXPECT_GT(refused, 1000);
}

TEST(VectorMarket, NumbersTooSmallForADoubleAreZero) {
  const File file("%%MatrixMarket matrix array real general\n4 1\n1e-310\n1e-400\n-1e-99999999999\n+1.5\n");
  EXPECT_EQ(read_vector_market(file.path(), spread(4, 1), 0), (std::vector<double>{1e-310, 0, 0, 1.5}));
}

std::string vector_complaint(const std::string& content, GlobalIndex rows) {
  const File file(content);
  try {
    read_vector_market(file.path(), spread(rows, 1), 0);
  } catch (const Error& error) {
    return std::string(error.what()).substr(file.path().size());
  }
  return "none";
}

TEST(VectorMarket, SurplusAndMissingValuesOfArraysAreNamedWithTheirPlace) {
  const std::string array = "%%MatrixMarket matrix array real general\n";
  EXPECT_EQ(vector_complaint(array + "2 1\n1\n2\n3\n", 2),
            ":5:1: there is more after the 2 values that the size line announces");
  EXPECT_EQ(vector_complaint(array + "2 1\n1\n", 2), ":4:1: the file ends after 1 of 2 values");
  EXPECT_EQ(vector_complaint(array + "2 1\n1 2\n", 2), ":3:3: '2' is more than belongs on this line");
  EXPECT_EQ(vector_complaint(array + "2 2\n1\n2\n3\n", 2), ":6:1: the file ends after 3 of 4 values");
  EXPECT_EQ(vector_complaint(array + "2 2\n1\n2\n3\n4\n", 2), "none");
  EXPECT_EQ(vector_complaint(array + "2 1099511627776\n1\n2\n", 2),
            ":5:1: the file ends after 2 of 2199023255552 values");
  EXPECT_EQ(vector_complaint(array + "1099511627776 1099511627776\n1\n", 2),
            ":2:15: an array of 1099511627776 x 1099511627776 values is too large");
}

TEST(VectorMarket, ReadsArraysAndRefusesWrongLengths) {
  const File file("%%MatrixMarket matrix array real general\n3 1\n1\n2.5\n-3\n");
  EXPECT_EQ(read_vector_market(file.path(), spread(3, 1), 0), (std::vector<double>{1, 2.5, -3}));
  EXPECT_EQ(read_vector_market(file.path(), spread(3, 3), 1), (std::vector<double>{2.5}));
  EXPECT_THROW(read_vector_market(file.path(), spread(4, 1), 0), Error);
}

TEST(VectorMarket, WhatIsWrittenIsReadWithTheSameBits) {
  const std::vector<double> whole{1.0 / 3, -0.0, 5e-324, 1.7976931348623157e308, 0.1};
  for (const int ranks : {1, 2, 7}) {  // the last ranks of seven have no rows
    const File file("");
    on_ranks(ranks, 1, [&](const Context& context) {
      const Distribution rows = spread(5, ranks);
      const int rank = context.communicator.rank();
      const std::vector<double> mine(whole.begin() + rows.begin(rank), whole.begin() + rows.end(rank));
      write_vector_market(context, file.path(), mine);
    });
    const std::vector<double> read = read_vector_market(file.path(), spread(5, 1), 0);
    ASSERT_EQ(read.size(), whole.size());
    EXPECT_EQ(std::memcmp(read.data(), whole.data(), sizeof(double) * whole.size()), 0) << ranks;
  }
}

TEST(VectorMarket, AFolderThatIsNotThereIsNamed) {
  on_ranks(1, 1, [](const Context& context) {
    EXPECT_THROW(write_vector_market(context, "/nonexistent/x.mtx", {1}), Error);
  });
  on_ranks(3, 1, [](const Context& context) {
    EXPECT_THROW(write_vector_market(context, "/nonexistent/x.mtx", {1}), Error) << "on all ranks";
  });
}

TEST(MatrixMarket, MissingFilesAreNamed) {
  on_ranks(1, 1, [](const Context& context) {
    EXPECT_THROW(read_matrix_market(context, "/nonexistent/a.mtx"), Error);
  });
  on_ranks(1, 1, [](const Context& context) { EXPECT_THROW(read_matrix_market(context, "/tmp"), Error); });
}

}  // namespace
}  // namespace taihu::amg
