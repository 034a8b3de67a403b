// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/libc/tagged_stream.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "taihu/memory/process_settings.h"

namespace taihu::memory {
namespace {

std::string written_by(void (*write)(std::FILE*)) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  std::FILE* stream = make_tagged_stream("[3] ", ends[1]);
  write(stream);
  std::fclose(stream);
  close(ends[1]);
  std::string text(10000, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read(ends[0], text.data(), text.size()))));
  close(ends[0]);
  return text;
}

TEST(TaggedStream, PrefixesWholeLines) {
  EXPECT_EQ(written_by([](std::FILE*) {}), "");
  EXPECT_EQ(written_by([](std::FILE* stream) { std::fputs("one\n\ntwo\n", stream); }),
            "[3] one\n[3] \n[3] two\n");
}

TEST(TaggedStream, HoldsALineUntilItEnds) {
  EXPECT_EQ(written_by([](std::FILE* stream) {
              std::fputs("be", stream);
              std::fflush(stream);
              std::fputs("gin\nrest", stream);
            }),
            "[3] begin\n[3] rest\n");
}

TEST(ProcessSettings, GivesRanksAtLeast64MebibytesOfStack) {
  EXPECT_GE(rank_stack_bytes(), std::size_t{64} << 20);
  EXPECT_LE(rank_stack_bytes(), std::size_t{1} << 30);
  keep_freed_memory();
  allow_many_files();
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(limit.rlim_cur, limit.rlim_max);
}

}  // namespace
}  // namespace taihu::memory
