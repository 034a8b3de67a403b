// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/line_writer.h"

#include <gtest/gtest.h>
#include <stdio.h>

#include <string>
#include <vector>

#include "taihu/base/random.h"

namespace taihu::parallelc {
namespace {

/// A stream that keeps each write by itself.
class Writes {
 public:
  Writes() {
    const cookie_io_functions_t functions{nullptr, take, nullptr, nullptr};
    stream_ = fopencookie(this, "w", functions);
    // One buffer for all that LineWriter writes at once.
    setvbuf(stream_, nullptr, _IOLBF, 1 << 16);
  }
  ~Writes() { std::fclose(stream_); }
  Writes(const Writes&) = delete;
  Writes& operator=(const Writes&) = delete;

  std::FILE* stream() const noexcept { return stream_; }
  std::string all() const {
    std::fflush(stream_);
    std::string text;
    for (const std::string& write : writes_) text += write;
    return text;
  }
  const std::vector<std::string>& each() const noexcept { return writes_; }

 private:
  static ssize_t take(void* self, const char* data, std::size_t bytes) {
    static_cast<Writes*>(self)->writes_.emplace_back(data, bytes);
    return static_cast<ssize_t>(bytes);
  }

  std::FILE* stream_;
  std::vector<std::string> writes_;
};

/// A format that has no arguments.
void print(LineWriter& writer, const std::string& text) {
  writer.print(text.c_str(), nullptr);
}

TEST(LineWriter, NothingIsWrittenForNothing) {
  Writes writes;
  {
    LineWriter writer(writes.stream());
    print(writer, "");
    writer.bytes("", 0);
  }
  EXPECT_EQ(writes.all(), "");
}

TEST(LineWriter, TextOfAllLengthsComesInOrder) {
  Writes writes;
  std::string expected;
  {
    LineWriter writer(writes.stream());
    Random random(1);
    for (int i = 0; i < 300; ++i) {
      const std::size_t most[] = {2, 80, 4095, 4097, 20'000};
      std::string text(random.below(most[random.below(5)]), static_cast<char>('a' + i % 26));
      if (i % 3 != 0) text += '\n';
      expected += text;
      if (i % 7 == 0) {
        writer.bytes(text.data(), text.size());
      } else {
        print(writer, text);
      }
    }
  }
  EXPECT_EQ(writes.all(), expected);
}

TEST(LineWriter, LinesStayWholeUpToTheLimit) {
  Writes writes;
  {
    LineWriter writer(writes.stream());
    for (int i = 0; i < 1000; ++i) print(writer, std::string(static_cast<std::size_t>(i % 200), 'x') + "\n");
  }
  writes.all();
  EXPECT_GT(writes.each().size(), 10U);
  for (const std::string& write : writes.each()) EXPECT_EQ(write.back(), '\n') << write.size() << " bytes";
}

}  // namespace
}  // namespace taihu::parallelc
