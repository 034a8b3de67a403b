// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/image_places.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>

#include "taihu/base/error.h"
#include "taihu/base/page_size.h"

namespace taihu::memory {
namespace {

// Far above what a program's heap grows to, far below where the kernel places libraries and stacks.
constexpr std::uintptr_t first_place = 0x6000'0000'0000;
constexpr std::uint64_t place_alignment = 2 << 20;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// All holes above the places are filled, tens of terabytes, which a limit of address space counts.
bool is_address_space_limited() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// Reserved pages at `place`, or where the kernel likes when it is 0. Null when there is no room.
void* reserve(std::uintptr_t place, std::uint64_t bytes) {
  void* found =
      mmap(reinterpret_cast<void*>(place), bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (place != 0 ? MAP_FIXED_NOREPLACE : 0), -1, 0);
  if (found == MAP_FAILED) return nullptr;
  if (place == 0 || found == reinterpret_cast<void*>(place)) return found;
  munmap(found, bytes);  // a kernel before 4.17 takes the place for a wish
  return nullptr;
}

}  // namespace

ImagePlaces::ImagePlaces(const ElfObject& program, int count)
    : count_(count), used_(static_cast<std::size_t>(count)) {
  check_input(!is_address_space_limited(),
              "a program that calls m_checkpoint needs address space without a limit, for its images to have "
              "the same addresses in each run; give 'ulimit -v unlimited' before the job");
  std::uint64_t alignment = page_bytes();
  for (const Elf64_Phdr& load : program.loads()) alignment = std::max<std::uint64_t>(alignment, load.p_align);
  check_input(alignment <= place_alignment,
              "'" + program.path() + "' asks for pages of more than 2 MiB; link it without");
  // Where an alignment is larger than a page the loader asks for that much more and gives the rest back.
  hole_bytes_ = rounded_up(program.span_bytes(), page_bytes()) + (alignment > page_bytes() ? alignment : 0);
  stride_ = rounded_up(hole_bytes_, place_alignment) + place_alignment;
  void* const region = reserve(first_place, stride_ * static_cast<std::uint64_t>(count));
  if (region == nullptr)
    throw system_error(
        "cannot reserve the addresses of images that m_checkpoint can save; raise the limit of address space",
        errno);
  begin_ = reinterpret_cast<std::uintptr_t>(region);
  fill_higher_holes();
}

ImagePlaces::~ImagePlaces() {
  for (const Range& filler : fillers_) munmap(reinterpret_cast<void*>(filler.begin), filler.bytes);
  for (int index = 0; index < count_; ++index) {
    // An image keeps the pages of its hole; those up to the next place were never its own.
    const std::uint64_t kept = used_[static_cast<std::size_t>(index)] ? hole_bytes_ : 0;
    munmap(reinterpret_cast<void*>(place(index) + kept), stride_ - kept);
  }
}

void ImagePlaces::fill_higher_holes() {
  std::ifstream maps("/proc/self/maps");
  std::uintptr_t end_of_last = begin_ + stride_ * static_cast<std::uint64_t>(count_);
  std::vector<Range> holes;
  for (std::string line; std::getline(maps, line);) {
    std::size_t at = 0;
    const std::uintptr_t begin = std::stoull(line, &at, 16);
    const std::uintptr_t end = std::stoull(line.substr(at + 1), nullptr, 16);
    if (begin >= end_of_last) {
      // The stack grows downwards into the hole below it, where the kernel places nothing by itself.
      if (line.find("[stack]") != std::string::npos) break;
      if (begin - end_of_last >= hole_bytes_) holes.push_back({end_of_last, begin - end_of_last});
    }
    end_of_last = std::max(end_of_last, end);
  }
  for (const Range& hole : holes)
    if (reserve(hole.begin, hole.bytes) != nullptr) fillers_.push_back(hole);
}

void ImagePlaces::load_at(int index, const std::function<void()>& load) {
  const std::lock_guard hold(mutex_);
  void* const hole = reinterpret_cast<void*>(place(index));
  munmap(hole, hole_bytes_);
  used_[static_cast<std::size_t>(index)] = true;
  // Others may have given back memory meanwhile: what the kernel likes better than the hole is filled, too.
  for (;;) {
    void* const found = reserve(0, hole_bytes_);
    if (found == nullptr) break;
    if (found <= hole) {
      munmap(found, hole_bytes_);
      break;
    }
    fillers_.push_back({reinterpret_cast<std::uintptr_t>(found), hole_bytes_});
  }
  load();
}

}  // namespace taihu::memory
