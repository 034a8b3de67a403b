// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/links/machine_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "taihu/base/error.h"
#include "taihu/message/links/single_copy.h"

namespace taihu::message {

namespace {

/// In front of the regions: the token.
constexpr std::size_t title_bytes = 4096;

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

}  // namespace

SharedMemory shared_memory_wanted(const char* text) {
  const std::string wanted = text == nullptr ? "" : text;
  if (wanted.empty() || wanted == "on") return SharedMemory::full;
  if (wanted == "copy") return SharedMemory::copy;
  check_input(wanted == "off",
              "TAIHU_SHARED_MEMORY=" + wanted + " is none of on, copy, off; give one of these");
  return SharedMemory::off;
}

struct MachineMemory::Mapping {
  Mapping(int file, std::size_t size) : bytes(size) {
    void* const place = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    address = place == MAP_FAILED ? nullptr : static_cast<std::byte*>(place);
  }
  ~Mapping() {
    if (address != nullptr) munmap(address, bytes);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::byte* address;
  const std::size_t bytes;
};

/// What came of a look at another process.
struct MachineMemory::Seen {
  pid_t pid = 0;
  std::unique_ptr<Mapping> mapping;  ///< null: not opened
  bool may_read = false;
};

MachineMemory::MachineMemory(Link& way_to_all, SharedMemory wanted,
                             std::size_t (*region_bytes)(int processes)) {
  const std::string id = boot_id();
  const std::string mine = wanted == SharedMemory::off || id.empty() ? "" : id;
  const std::vector<std::string> ids = way_to_all.allgather(mine);
  std::size_t most_together = 0;
  for (const std::string& other : ids) {
    const auto together = static_cast<std::size_t>(std::ranges::count(ids, other));
    if (!other.empty()) most_together = std::max(most_together, together);
  }
  if (most_together < 2) return;  // all know that, and none goes on

  for (std::size_t process = 0; !mine.empty() && process < ids.size(); ++process) {
    if (ids[process] == mine) members_.push_back(static_cast<int>(process));
  }
  const int self = way_to_all.process();
  own_place_ = static_cast<std::size_t>(std::ranges::find(members_, self) - members_.begin());
  if (members_.size() > 1) {
    region_bytes_ = region_bytes(on_machine());
    make_segment();
    if (wanted == SharedMemory::full) permit_reading();
  }

  const std::vector<std::string> introductions = way_to_all.allgather(introduction());
  std::vector<Seen> seen(ids.size());
  std::string report(ids.size(), '-');
  for (const int member : members_) {
    const auto process = static_cast<std::size_t>(member);
    if (member == self || segment_ == nullptr) continue;
    seen[process] = look_at(introductions[process]);
    seen[process].may_read &= wanted == SharedMemory::full;
    if (seen[process].mapping != nullptr) report[process] = seen[process].may_read ? 'r' : 'm';
  }

  const std::vector<std::string> reports = way_to_all.allgather(report);
  for (std::size_t place = 0; place < members_.size(); ++place) {
    const auto process = static_cast<std::size_t>(members_[place]);
    const char told = reports[process][static_cast<std::size_t>(self)];
    if (seen[process].mapping == nullptr || told == '-') continue;
    neighbours_.push_back({static_cast<int>(process), seen[process].pid,
                           segment_->address + title_bytes + place * region_bytes_,
                           seen[process].mapping->address + title_bytes + own_place_ * region_bytes_,
                           seen[process].may_read, told == 'r' && wanted == SharedMemory::full});
    mappings_.push_back(std::move(seen[process].mapping));
  }
  if (file_ >= 0) close(std::exchange(file_, -1));
}

MachineMemory::~MachineMemory() {
  if (file_ >= 0) close(file_);
}

/// Leaves `segment_` null when there can be none: then the MPI library carries everything.
void MachineMemory::make_segment() {
  if (getrandom(token_, sizeof token_, 0) != sizeof token_) return;
  file_ = memfd_create("taihu-messages", MFD_CLOEXEC);
  if (file_ < 0) return;
  const std::size_t bytes = title_bytes + members_.size() * region_bytes_;
  if (ftruncate(file_, static_cast<off_t>(bytes)) != 0) return;
  segment_ = std::make_unique<Mapping>(file_, bytes);
  if (segment_->address == nullptr) {
    segment_ = nullptr;
  } else {
    std::memcpy(segment_->address, token_, sizeof token_);
  }
}

/// Process, file, token, and where the token stands in the memory of this process.
std::string MachineMemory::introduction() const {
  if (segment_ == nullptr) return "";
  std::ostringstream text;
  text << getpid() << ' ' << file_ << ' ' << token_[0] << ' ' << token_[1] << ' '
       << reinterpret_cast<std::uintptr_t>(token_);
  return text.str();
}

MachineMemory::Seen MachineMemory::look_at(const std::string& introduction) {
  Seen seen;
  std::istringstream text(introduction);
  int number = -1;
  std::uint64_t token[2] = {0, 0};
  std::uint64_t address = 0;
  if (!(text >> seen.pid >> number >> token[0] >> token[1] >> address)) return seen;
  const std::string name = "/proc/" + std::to_string(seen.pid) + "/fd/" + std::to_string(number);
  const int file = open(name.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return seen;
  // Only a memfd of the right size can be it; other things may not be mapped, or be cut while they are.
  struct stat status;
  char target[64] = {};
  const bool fits = fstat(file, &status) == 0 && status.st_size == static_cast<off_t>(segment_->bytes) &&
                    readlink(name.c_str(), target, sizeof target - 1) > 0 &&
                    std::strncmp(target, "/memfd:taihu-messages", 21) == 0;
  auto mapping = fits ? std::make_unique<Mapping>(file, segment_->bytes) : nullptr;
  close(file);
  if (mapping == nullptr || mapping->address == nullptr ||
      std::memcmp(mapping->address, token, sizeof token) != 0) {
    return seen;
  }
  seen.mapping = std::move(mapping);
  std::uint64_t there[2] = {0, 0};
  seen.may_read = read_memory(seen.pid, address, there, sizeof there) == 0 &&
                  std::memcmp(there, token, sizeof token) == 0;
  return seen;
}

}  // namespace taihu::message
