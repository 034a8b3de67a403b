// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "taihu/base/error.h"
#include "taihu/base/page_size.h"
#include "taihu/base/units.h"

namespace taihu::memory {
namespace {

std::uint64_t section_bytes(const void* begin, const void* end) {
  const auto page = page_bytes();
  const auto from = reinterpret_cast<std::uintptr_t>(begin), to = reinterpret_cast<std::uintptr_t>(end);
  check_input(from % page == 0 && to % page == 0 && from <= to,
              "a shared section does not fill whole pages; link the program with parcc");
  return to - from;
}

}  // namespace

SharedMemory SharedMemory::create(std::uint64_t bytes) {
  Descriptor descriptor(memfd_create("taihu-shared", MFD_CLOEXEC));
  if (descriptor.get() < 0 || ftruncate(descriptor.get(), static_cast<off_t>(bytes)) != 0)
    throw system_error("cannot make " + format_bytes(static_cast<std::int64_t>(bytes)) + " of shared memory",
                       errno);
  return {std::move(descriptor), bytes};
}

SharedMemory SharedMemory::open(pid_t creator, int creators_fd) {
  const std::string path = "/proc/" + std::to_string(creator) + "/fd/" + std::to_string(creators_fd);
  Descriptor descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (descriptor.get() < 0 && (errno == EACCES || errno == EPERM))
    throw Error(
        "cannot open shared memory of process " + std::to_string(creator) +
        " (the system keeps processes from each other's descriptors); run all node processes of a machine as "
        "one user and in one container, or with one process per node");
  if (descriptor.get() < 0)
    throw system_error("cannot open shared memory of process " + std::to_string(creator) + "; has it ended?",
                       errno);
  struct stat status{};
  if (fstat(descriptor.get(), &status) != 0) throw system_error("cannot look at shared memory", errno);
  return {std::move(descriptor), static_cast<std::uint64_t>(status.st_size)};
}

void fill_shared_section(const void* begin, const void* end, int fd) {
  const std::uint64_t bytes = section_bytes(begin, end);
  const auto* data = static_cast<const char*>(begin);
  for (std::uint64_t done = 0; done < bytes;) {
    const ssize_t put = pwrite(fd, data + done, bytes - done, static_cast<off_t>(done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw system_error("cannot copy a shared section", errno);
    done += static_cast<std::uint64_t>(put);
  }
}

void map_shared_section(void* begin, void* end, int fd) {
  const std::uint64_t bytes = section_bytes(begin, end);
  struct stat status{};
  check_input(
      fstat(fd, &status) == 0 && static_cast<std::uint64_t>(status.st_size) >= bytes,
      "a shared section is larger than its memory object; start all processes from the same program file");
  if (bytes == 0) return;
  if (mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
    throw system_error("cannot map a shared section", errno);
}

}  // namespace taihu::memory
