// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/output_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "taihu/base/error.h"

namespace taihu {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "output_file_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(folder_ + "/text") << "before";
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  template <typename Call>
  static std::string refusal(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  std::string folder_;
};

TEST_F(OutputFile, IsLookedAtBeforeTheWork) {
  EXPECT_EQ(writable_file(folder_ + "/new", "--out"), folder_ + "/new");
  EXPECT_EQ(writable_file(folder_ + "/text", "--out"), folder_ + "/text");
  EXPECT_EQ(writable_file("/dev/null", "--out"), "/dev/null");
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  EXPECT_EQ(writable_file("new", "--out"), folder_ + "/new") << "a name without a folder";
  fs::current_path(before);
  EXPECT_EQ(files(), 1u) << "nothing is left behind";
  EXPECT_EQ(read(folder_ + "/text"), "before");
  const auto refused = [&](const std::string& path) {
    return refusal([&] { writable_file(path, "--out"); });
  };
  EXPECT_EQ(refused(""), "--out: cannot write \"\" (a name of a file is missing)");
  EXPECT_EQ(refused(folder_), "--out: cannot write " + folder_ + " (it is a directory); name a file in it");
  EXPECT_EQ(refused(folder_ + "/new/"),
            "--out: cannot write " + folder_ + "/new/ (it is a directory); name a file in it");
  EXPECT_EQ(refused(folder_ + "/none/file"),
            "--out: cannot write " + folder_ + "/none/file (no directory " + folder_ + "/none)");
  EXPECT_EQ(refused(folder_ + "/text/file"),
            "--out: cannot write " + folder_ + "/text/file (no directory " + folder_ + "/text)");
  EXPECT_EQ(refused(folder_ + "/" + std::string(300, 'x')),
            "--out: cannot write " + folder_ + "/" + std::string(300, 'x') + " (File name too long)");
  EXPECT_EQ(refused("/proc/self/none").find("--out: cannot write /proc/self/none ("), 0u)
      << "a directory in which nobody can make files, not even root";
}

TEST_F(OutputFile, FoldersAreMade) {
  make_writable_folder(folder_ + "/a/b/");
  EXPECT_TRUE(fs::is_directory(folder_ + "/a/b"));
  make_writable_folder(folder_ + "/a");
  EXPECT_EQ(refusal([&] { make_writable_folder(folder_ + "/text"); }),
            "cannot create folder " + folder_ + "/text (Not a directory)");
  EXPECT_EQ(refusal([] { make_writable_folder("/proc/self"); }).find("cannot write into folder /proc/self ("),
            0u);
}

TEST_F(OutputFile, IsWholeOrAsBefore) {
  write_file(folder_ + "/text", "after");
  EXPECT_EQ(read(folder_ + "/text"), "after");
  const auto interrupted = [&] {
    write_file(folder_ + "/text", [](std::FILE* file) {
      std::fputs("half", file);
      throw Error("no more");
    });
  };
  EXPECT_EQ(refusal(interrupted), "no more");
  EXPECT_EQ(read(folder_ + "/text"), "after");
  EXPECT_EQ(files(), 1u);
  fs::create_symlink("text", folder_ + "/link");
  write_file(folder_ + "/link", "by the link");
  EXPECT_TRUE(fs::is_symlink(folder_ + "/link"));
  EXPECT_EQ(read(folder_ + "/text"), "by the link");
}

/// Whatever a folder takes as a name can be written, although the temporary name is longer.
TEST_F(OutputFile, MayHaveTheLongestNames) {
  for (const std::string& name : {std::string(250, 'x'), std::string(251, 'x'), std::string(255, 'x'),
                                  std::string(250, 'x') + ".part"}) {
    const std::string path = folder_ + "/" + name;
    EXPECT_EQ(writable_file(path, "--out"), path);
    write_file(path, "text");
    EXPECT_EQ(read(path), "text");
    EXPECT_ANY_THROW(write_and_replace(path, [](const std::string& temporary) {
      std::ofstream(temporary) << "half";
      throw Error("no more");
    }));
    EXPECT_EQ(read(path), "text") << "a failure leaves what was there";
  }
  EXPECT_EQ(files(), 5u);
}

TEST_F(OutputFile, FullDisksAreAFailure) {
  const std::string full = folder_ + "/full";
  fs::create_symlink("/dev/full", full);  // a fault of ours hits the link, not the machine
  EXPECT_EQ(writable_file(full, ""), full) << "a device has to be written to know";
  EXPECT_EQ(refusal([&] { write_file(full, "text"); }),
            "cannot write " + full + " (No space left on device)");
  EXPECT_TRUE(fs::is_character_file(full)) << "a device is not replaced";
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small{100, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string early = refusal([&] { writable_file(folder_ + "/new", ""); });
  const std::string late = refusal([&] {
    write_file(folder_ + "/text", [](std::FILE* file) {
      for (int i = 0; i < 10000; ++i) std::fputs("text", file);
    });
  });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(early.find("cannot write " + folder_ + "/new ("), 0u) << early;
  EXPECT_EQ(late, "cannot write " + folder_ + "/text (File too large)");
  EXPECT_EQ(read(folder_ + "/text"), "before");
  EXPECT_EQ(files(), 2u);
}

}  // namespace
}  // namespace taihu
