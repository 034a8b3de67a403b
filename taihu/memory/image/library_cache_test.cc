// SPDX-License-Identifier: Apache-2.0
// Caches made by the system's own ldconfig.
#include "taihu/memory/image/library_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace taihu::memory {
namespace {

namespace fs = std::filesystem;

/// A folder with libhere.so.1, which is also there for processors of the levels 2 and 3, and its cache.
class LibraryCache : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "taihu-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    for (const char* variant : {"", "glibc-hwcaps/x86-64-v2/", "glibc-hwcaps/x86-64-v3/"}) {
      fs::create_directories(folder_ + "/" + variant);
      if (std::string(variant).empty())
        run("cc -shared -nostdlib -x c /dev/null -Wl,-soname,libhere.so.1 -o '" + folder_ + "/libhere.so.1'");
      else
        fs::copy_file(folder_ + "/libhere.so.1", folder_ + "/" + variant + "libhere.so.1");
    }
    std::ofstream(folder_ + "/conf") << folder_ << "\n";
    run("PATH=$PATH:/sbin:/usr/sbin ldconfig -X -C '" + folder_ + "/cache' -f '" + folder_ + "/conf'");
    std::ifstream file(folder_ + "/cache", std::ios::binary);
    cache_.assign(std::istreambuf_iterator<char>(file), {});
    ASSERT_FALSE(cache_.empty());
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void run(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

  std::string found(const std::vector<std::string>& variants) const {
    const std::optional<std::string> path = find_in_cache(cache_, "libhere.so.1", variants);
    return path && path->starts_with(folder_ + "/") ? path->substr(folder_.size() + 1)
                                                    : path.value_or("nothing");
  }

  std::string folder_, cache_;
};

#if defined(__x86_64__)
TEST_F(LibraryCache, TheBestVariantThatTheProcessorCanUseIsTaken) {
  const std::string two = "glibc-hwcaps/x86-64-v2/", three = "glibc-hwcaps/x86-64-v3/",
                    four = "glibc-hwcaps/x86-64-v4/";
  EXPECT_EQ(found({}), "libhere.so.1");
  EXPECT_EQ(found({four}), "libhere.so.1");
  EXPECT_EQ(found({two}), two + "libhere.so.1");
  EXPECT_EQ(found({three, two}), three + "libhere.so.1");
  EXPECT_EQ(found({four, three, two}), three + "libhere.so.1");
}
#endif

TEST_F(LibraryCache, OtherNamesAreNotThere) {
  EXPECT_FALSE(find_in_cache(cache_, "libhere.so", {}));
  EXPECT_FALSE(find_in_cache(cache_, "", {}));
  EXPECT_FALSE(find_in_cache("", "libhere.so.1", {}));
}

/// Damage may hide a library, but nothing is read outside.
TEST_F(LibraryCache, DamagedOnesAreReadInside) {
  const std::vector<std::string> variants{"glibc-hwcaps/x86-64-v3/", "glibc-hwcaps/x86-64-v2/"};
  for (std::size_t size = 0; size < cache_.size(); size += 1 + size / 64)
    find_in_cache(std::string(cache_, 0, size), "libhere.so.1", variants);
  for (std::size_t at = 0; at < 256; ++at) {
    std::string damaged = cache_;
    damaged.replace(at, 4, 4, '\xff');
    find_in_cache(damaged, "libhere.so.1", variants);
  }
}

}  // namespace
}  // namespace taihu::memory
