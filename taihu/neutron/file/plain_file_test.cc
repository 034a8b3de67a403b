// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/file/plain_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/neutron/test_models.h"

namespace taihu::neutron {
namespace {

bool can_reserve(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const bool can = fallocate(descriptor, 0, 0, 1) == 0;
  close(descriptor);
  return can;
}

TEST(PlainFile, RoomThatIsNotThereIsAFailure) {
  const TemporaryFolder folder;
  const std::string path = folder.path("file");
  const PlainFile file(path, PlainFile::Mode::create);
  if (!can_reserve(path)) GTEST_SKIP() << "this file system cannot reserve";
  file.reserve_room(0, 5000);
  EXPECT_EQ(std::filesystem::file_size(path), 5000u);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{10000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  std::string refusal;
  try {
    file.reserve_room(0, 20000);
  } catch (const Error& error) {
    refusal = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(refusal, path + ": there is no room for it (File too large)");
}

}  // namespace
}  // namespace taihu::neutron
