// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/task_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "taihu/base/checksum.h"
#include "taihu/base/error.h"

namespace taihu::tasks {
namespace {

struct Header {
  std::array<char, 8> name = {'t', 'a', 'i', 'h', 'u', 't', 's', 'k'};
  std::int64_t total = 0;
  std::uint64_t sum = 0;
};

struct Record {
  TaskRange complete;
  std::uint64_t sum = 0;
};
static_assert(sizeof(Header) == 24 && sizeof(Record) == 24);

constexpr std::int64_t header_bytes = sizeof(Header);
constexpr std::int64_t record_bytes = sizeof(Record);

Header header_of(std::int64_t total) {
  Header header;
  header.total = total;
  header.sum = checksum(&header, offsetof(Header, sum));
  return header;
}

std::uint64_t sum_of(const TaskRange& complete, std::int64_t total) {
  return checksum(&complete, sizeof complete, static_cast<std::uint64_t>(total));
}

/// What lies between `complete`, which is in order, in [0, total).
std::vector<TaskRange> gaps(const std::vector<TaskRange>& complete, std::int64_t total) {
  std::vector<TaskRange> between;
  std::int64_t next = 0;
  for (const TaskRange& range : complete) {
    if (range.first > next) between.push_back({next, range.first});
    next = range.end;
  }
  if (next < total) between.push_back({next, total});
  return between;
}

/// A new file is on the disk only when its folder's entry is, too.
void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const Descriptor directory(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0) fsync(directory.get());  // some file systems refuse this for folders
}

}  // namespace

std::vector<TaskRange> joined(std::vector<TaskRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const TaskRange& one, const TaskRange& other) { return one.first < other.first; });
  std::vector<TaskRange> result;
  for (const TaskRange& range : ranges) {
    if (!result.empty() && range.first <= result.back().end) {
      result.back().end = std::max(result.back().end, range.end);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

TaskFile::TaskFile(const std::string& path, std::int64_t total)
    : path_(path),
      total_(total),
      // Not blocking: a pipe of that name would let the open wait for ever.
      file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666)) {
  if (file_.get() < 0) throw system_error("cannot open checkpoint file " + path, errno);
  struct stat status{};
  check_input(fstat(file_.get(), &status) == 0 && S_ISREG(status.st_mode),
              "checkpoint file " + path + " is not a regular file; give the name of one");
  check_input(flock(file_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
              "checkpoint file " + path +
                  " is in use (by another job, or by another group of this scope); give each its own file");
  if (fstat(file_.get(), &status) != 0) throw system_error("cannot read checkpoint file " + path, errno);
  read(status.st_size);
}

void TaskFile::read(std::int64_t bytes) {
  const auto read_at = [&](std::int64_t offset, void* data, std::size_t count) {
    const ssize_t got = pread(file_.get(), data, count, offset);
    if (got < 0) throw system_error("cannot read checkpoint file " + path_, errno);
    return got;
  };
  const Header expected = header_of(total_);
  Header found;
  const auto got = static_cast<std::size_t>(read_at(0, &found, sizeof found));
  if (got < sizeof found) {
    // Ours was torn before any record was written; then it is a beginning of what is written now.
    check_input(std::memcmp(&found, &expected, got) == 0,
                path_ + " is not a checkpoint file of get_task_id; give another name, or remove it");
    write_at(0, &expected, sizeof expected);
    sync_folder_of(path_);
    bytes = header_bytes;
  } else {
    check_input(found.name == expected.name && found.sum == checksum(&found, offsetof(Header, sum)),
                path_ + " is not a checkpoint file of get_task_id; give another name, or remove it");
    check_input(found.total == total_, "checkpoint file " + path_ + " is of " + std::to_string(found.total) +
                                           " tasks, not of " + std::to_string(total_) +
                                           "; give another name, or remove it");
  }
  std::vector<TaskRange> complete;
  std::vector<Record> records(4096);
  for (end_ = header_bytes; end_ + record_bytes <= bytes;) {
    const auto count = static_cast<std::size_t>(
        read_at(end_, records.data(), records.size() * sizeof(Record)) / record_bytes);
    if (count == 0) break;
    for (std::size_t i = 0; i < count; ++i) {
      const TaskRange& range = records[i].complete;
      const bool whole = records[i].sum == sum_of(range, total_);
      if (whole && range.first >= 0 && range.first < range.end && range.end <= total_)
        complete.push_back(range);
    }
    end_ += static_cast<std::int64_t>(count) * record_bytes;
    if (complete.size() > 1'000'000) complete = joined(std::move(complete));
  }
  missing_ = gaps(joined(std::move(complete)), total_);
}

void TaskFile::append(std::span<const TaskRange> complete) {
  std::vector<Record> records;
  records.reserve(complete.size());
  for (const TaskRange& range : complete) records.push_back({range, sum_of(range, total_)});
  write_at(end_, records.data(), records.size() * sizeof(Record));
  end_ += std::ssize(records) * record_bytes;
}

void TaskFile::write_at(std::int64_t offset, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = pwrite(file_.get(), from, bytes, offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw system_error("cannot write checkpoint file " + path_, done < 0 ? errno : ENOSPC);
    from += done;
    offset += done;
    bytes -= static_cast<std::size_t>(done);
  }
  if (fdatasync(file_.get()) != 0)
    throw system_error("cannot bring checkpoint file " + path_ + " to the disk", errno);
}

}  // namespace taihu::tasks
