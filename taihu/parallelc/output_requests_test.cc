// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/output_requests.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace taihu::parallelc {
namespace {

constexpr int int_kind = TAIHU_ARGUMENT_INT, long_kind = TAIHU_ARGUMENT_LONG,
              double_kind = TAIHU_ARGUMENT_DOUBLE, wide_kind = TAIHU_ARGUMENT_LONG_DOUBLE,
              text_kind = TAIHU_ARGUMENT_STRING, limited_kind = TAIHU_ARGUMENT_LIMITED_STRING;
constexpr const char* printf_name = "printf";

/// A stream whose text can be looked at.
class Memory {
 public:
  Memory() : stream_(open_memstream(&text_, &size_)) {}
  ~Memory() {
    std::fclose(stream_);
    std::free(text_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  std::FILE* stream() { return stream_; }
  std::string text() {
    std::fflush(stream_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
};

template <std::size_t N>
taihu_output describe(const char* format, const int (&kinds)[N]) {
  return {format, kinds, &printf_name, static_cast<int>(N), 1, 0};
}

bool put_off(OutputRequests& requests, const taihu_output* output, std::FILE* stream, ...) {
  std::va_list values;
  va_start(values, stream);
  const bool done = requests.put_off(*output, stream, values);
  va_end(values);
  return done;
}

void in_pieces(OutputRequests& requests, const taihu_output* output, std::FILE* stream, ...) {
  std::va_list values;
  va_start(values, stream);
  requests.in_pieces(*output, stream, values, [](const std::function<bool()>& is_done) {
    while (!is_done()) std::this_thread::yield();
  });
  va_end(values);
}

TEST(OutputRequests, KindsOfArgumentsArriveAsTheyWereGiven) {
  static const int kinds[] = {int_kind,  double_kind, long_kind,    wide_kind, text_kind,
                              text_kind, int_kind,    limited_kind, 2,         double_kind};
  const taihu_output output = describe("%d %g %ld %Lg %s %s %.*s %.2s %a|", kinds);
  OutputRequests requests;
  Memory memory, expected;
  const char unterminated[] = {'x', 'y'};
  std::string changed = "before";
  EXPECT_TRUE(put_off(requests, &output, memory.stream(), -7, 0.5, 1L << 60, 1.0L / 3, changed.c_str(),
                      static_cast<const char*>(nullptr), 2, unterminated, unterminated, -0.0));
  changed = "behind";
  EXPECT_EQ(memory.text(), "");
  requests.fence();
  std::fprintf(expected.stream(), "%d %g %ld %Lg %s %s %.*s %.2s %a|", -7, 0.5, 1L << 60, 1.0L / 3, "before",
               "(null)", 2, unterminated, unterminated, -0.0);
  EXPECT_EQ(memory.text(), expected.text());
  EXPECT_EQ(requests.counts().requests, 1U);
}

TEST(OutputRequests, PiecesGiveTheSameAndAreCounted) {
  static const int kinds[] = {int_kind, wide_kind, text_kind, int_kind, limited_kind, text_kind};
  const taihu_output output = describe("%d %Lg %s %.*s %s\n", kinds);
  OutputRequests requests;
  Memory memory;
  const char unterminated[] = {'x', 'y'};
  in_pieces(requests, &output, memory.stream(), 3, 0.25L, "text", 2, unterminated,
            static_cast<const char*>(nullptr));
  EXPECT_EQ(memory.text(), "3 0.25 text xy (null)\n");
  EXPECT_EQ(requests.counts().requests, 7U);
  EXPECT_EQ(requests.counts().calls, 1U);
  const taihu_output plain{"no arguments\n", nullptr, &printf_name, 0, 1, 0};
  in_pieces(requests, &plain, memory.stream());
  EXPECT_EQ(memory.text(), "3 0.25 text xy (null)\nno arguments\n");
}

TEST(OutputRequests, BytesMayBeAnything) {
  const taihu_output output{nullptr, nullptr, &printf_name, 0, 1, 0};
  OutputRequests requests;
  Memory memory;
  EXPECT_TRUE(put_off(requests, &output, memory.stream(), "a\0%s", 4UL));
  EXPECT_TRUE(put_off(requests, &output, memory.stream(), "", 0UL));
  requests.fence();
  EXPECT_EQ(memory.text(), std::string("a\0%s", 4));
  const std::string large(1 << 20, 'x');
  EXPECT_FALSE(put_off(requests, &output, memory.stream(), large.data(), large.size()));
  EXPECT_FALSE(put_off(requests, &output, memory.stream(), large.data(), ~0UL));
}

TEST(OutputRequests, LongTextsAreWhole) {
  static const int kinds[] = {text_kind, int_kind};
  const taihu_output output = describe("%s %d\n", kinds);
  OutputRequests requests;
  Memory memory;
  std::string expected;
  for (const std::size_t length : {0, 1, 4094, 4095, 4096, 4097, 8191, 8192, 8193, 30000, 65000}) {
    const std::string text(length, static_cast<char>('a' + length % 26));
    EXPECT_TRUE(put_off(requests, &output, memory.stream(), text.c_str(), static_cast<int>(length)));
    expected += text + " " + std::to_string(length) + "\n";
  }
  EXPECT_FALSE(put_off(requests, &output, memory.stream(), std::string(70000, 'z').c_str(), 1));
  requests.fence();
  EXPECT_TRUE(memory.text() == expected);
}

TEST(OutputRequests, LinesAreWrittenTogetherUpToALimit) {
  static const int kinds[] = {int_kind};
  const taihu_output output = describe("a line with the number %d in it\n", kinds);
  OutputRequests requests;
  std::vector<std::string> writes;
  const cookie_io_functions_t calls = {nullptr,
                                       [](void* to, const char* data, std::size_t bytes) {
                                         static_cast<std::vector<std::string>*>(to)->emplace_back(data,
                                                                                                  bytes);
                                         return static_cast<ssize_t>(bytes);
                                       },
                                       nullptr, nullptr};
  std::FILE* const stream = fopencookie(&writes, "w", calls);
  setvbuf(stream, nullptr, _IOLBF, BUFSIZ);
  for (int i = 0; i < 500; ++i) EXPECT_TRUE(put_off(requests, &output, stream, i));
  requests.fence();
  std::fclose(stream);
  std::string all;
  for (const std::string& text : writes) {
    EXPECT_LE(text.size(), 4096U);
    EXPECT_EQ(text.back(), '\n');
    all += text;
  }
  std::string expected;
  for (int i = 0; i < 500; ++i) expected += "a line with the number " + std::to_string(i) + " in it\n";
  EXPECT_EQ(all, expected);
  EXPECT_LE(writes.size(), 6U);
}

TEST(OutputRequests, OneStreamAfterTheOther) {
  static const int kinds[] = {int_kind};
  const taihu_output output = describe("%d ", kinds);
  OutputRequests requests;
  Memory first, second;
  EXPECT_TRUE(put_off(requests, &output, first.stream(), 1));
  EXPECT_TRUE(put_off(requests, &output, second.stream(), 2));
  EXPECT_EQ(first.text(), "1 ");
  EXPECT_EQ(second.text(), "");
  requests.fence();
  EXPECT_EQ(second.text(), "2 ");
}

TEST(OutputRequests, ThreadsKeepTheirOrderWhileOthersServe) {
  static const int kinds[] = {int_kind, int_kind, text_kind};
  const taihu_output output = describe("%d %d:%s\n", kinds);
  OutputRequests requests;
  Memory memory;
  constexpr int count = 4, lines = 3000;
  std::atomic<bool> over{false};
  std::thread server([&] {
    const OutputRequests::Attended attended(requests);
    while (!over.load()) {
      requests.help();
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      const std::string text(static_cast<std::size_t>(40 * t), 'x');
      for (int i = 0; i < lines; ++i) {
        if (i % 500 == 499)
          in_pieces(requests, &output, memory.stream(), t, i, text.c_str());
        else
          EXPECT_TRUE(put_off(requests, &output, memory.stream(), t, i, text.c_str()));
        if (i % 700 == 699) requests.fence();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  requests.fence();
  over.store(true);
  server.join();
  std::vector<int> next(count, 0);
  const std::string text = memory.text();
  std::size_t at = 0;
  for (int line = 0; line < count * lines; ++line) {
    const std::size_t end = text.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    int thread = -1, number = -1, length = 0;
    ASSERT_EQ(std::sscanf(text.c_str() + at, "%d %d:%n", &thread, &number, &length), 2);
    ASSERT_TRUE(thread >= 0 && thread < count);
    EXPECT_EQ(number, next[static_cast<std::size_t>(thread)]++);
    EXPECT_EQ(end - at - static_cast<std::size_t>(length), static_cast<std::size_t>(40 * thread));
    at = end + 1;
  }
  EXPECT_EQ(at, text.size());
  EXPECT_GT(requests.counts().batches, 0U);
}

}  // namespace
}  // namespace taihu::parallelc
