// SPDX-License-Identifier: Apache-2.0
// The file of get_task_id. Damaged bytes would all fail at a checksum, so an input is the records' ranges,
// and the target writes them with their checksums; an odd last byte leaves out the last of them.
#include <algorithm>
#include <vector>

#include "taihu/base/checksum.h"
#include "taihu/tasks/task_file.h"
#include "tests/fuzz/fuzz.h"

using taihu::tasks::TaskRange;

static constexpr std::int64_t total = 1000;

/// Two numbers and their checksum, as the head and each record are.
static void append(std::string& file, std::int64_t one, std::int64_t other, std::uint64_t seed) {
  const std::int64_t numbers[] = {one, other};
  const std::uint64_t sum = taihu::checksum(numbers, sizeof numbers, seed);
  file.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  file.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}

static void read(const std::string& file) {
  taihu::fuzz::write_file("tasks.ckpt", file.data(), file.size());
  const taihu::tasks::TaskFile tasks("tasks.ckpt", total);
  std::int64_t end = 0;
  for (const TaskRange& range : tasks.missing()) {
    if (range.first < end || range.end <= range.first || range.end > total) std::abort();
    end = range.end;
  }
}

TAIHU_FUZZ_BYTES(input) {
  taihu::fuzz::run([&] { read({input.begin(), input.end()}); });
  std::int64_t magic;
  std::memcpy(&magic, "taihutsk", sizeof magic);
  std::string file;
  append(file, magic, total, 0);
  for (std::size_t at = 0; at + sizeof(TaskRange) <= input.size(); at += sizeof(TaskRange)) {
    TaskRange range;
    std::memcpy(&range, input.data() + at, sizeof range);
    append(file, range.first, range.end, total);
  }
  if (input.size() % 2 == 1) file.resize(file.size() - std::min<std::size_t>(file.size(), input.back()));
  read(file);
}
