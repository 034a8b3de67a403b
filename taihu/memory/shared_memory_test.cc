// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/shared_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "taihu/base/error.h"

namespace taihu::memory {
namespace {

class Pages {
 public:
  explicit Pages(std::size_t count) : bytes_(count * static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    place_ =
        static_cast<char*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  ~Pages() { munmap(place_, bytes_); }
  char* begin() { return place_; }
  char* end() { return place_ + bytes_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  char* place_;
};

TEST(SharedMemory, MakesSectionsOfRanksOneAndKeepsTheLeadersContents) {
  Pages leader(3), other(3);
  std::strcpy(leader.begin() + 5000, "initial");
  const SharedMemory memory = SharedMemory::create(leader.bytes());
  fill_shared_section(leader.begin(), leader.end(), memory.fd());
  map_shared_section(leader.begin(), leader.end(), memory.fd());
  map_shared_section(other.begin(), other.end(), memory.fd());
  EXPECT_STREQ(other.begin() + 5000, "initial");
  other.begin()[1] = 'x';
  EXPECT_EQ(leader.begin()[1], 'x');
}

TEST(SharedMemory, IsOpenedByAnotherProcess) {
  Pages own(1);
  const SharedMemory memory = SharedMemory::create(own.bytes());
  map_shared_section(own.begin(), own.end(), memory.fd());
  const pid_t creator = getpid();
  const pid_t child = fork();
  if (child == 0) {
    const SharedMemory opened = SharedMemory::open(creator, memory.fd());
    Pages section(1);
    map_shared_section(section.begin(), section.end(), opened.fd());
    std::strcpy(section.begin(), "from the child");
    _exit(opened.bytes() == section.bytes() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_STREQ(own.begin(), "from the child");
}

TEST(SharedMemory, RefusesWhatCannotWork) {
  Pages pages(2);
  const SharedMemory small = SharedMemory::create(pages.bytes() / 2);
  EXPECT_THROW(map_shared_section(pages.begin(), pages.end(), small.fd()), Error);
  EXPECT_THROW(map_shared_section(pages.begin() + 1, pages.end(), small.fd()), Error);
  EXPECT_NO_THROW(map_shared_section(pages.begin(), pages.begin(), small.fd())) << "an empty section";
  EXPECT_THROW(SharedMemory::open(getpid(), 99999), Error);
}

}  // namespace
}  // namespace taihu::memory
