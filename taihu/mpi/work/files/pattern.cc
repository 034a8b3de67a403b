// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/files/pattern.h"

#include "taihu/mpi/types/segments.h"

namespace taihu::mpi::files {

Pattern Pattern::contiguous(std::int64_t origin) {
  Pattern pattern;
  pattern.origin = origin;
  pattern.size = pattern.extent = endless;
  pattern.runs = {{0, endless, 0}};
  pattern.ascending = true;
  return pattern;
}

Pattern Pattern::of(const Datatype& type, std::int64_t origin) {
  if (type.size_bytes > 0 && type.contiguous) return contiguous(origin + type.block_offset());
  std::vector<DataRun> runs;
  for_each_segment(type, 1, 0, static_cast<std::size_t>(type.size_bytes),
                   [&](MPI_Aint offset, std::size_t bytes) {
                     runs.push_back({offset, static_cast<std::int64_t>(bytes), 0});
                   });
  return of(std::move(runs), type.extent, origin);
}

Pattern Pattern::of(std::vector<DataRun> given, std::int64_t extent, std::int64_t origin) {
  Pattern pattern;
  pattern.origin = origin;
  pattern.extent = extent;
  pattern.ascending = true;
  for (const DataRun& run : given) {
    if (!pattern.runs.empty() && pattern.runs.back().offset + pattern.runs.back().bytes == run.offset) {
      pattern.runs.back().bytes += run.bytes;
    } else {
      if (!pattern.runs.empty() && run.offset < pattern.runs.back().offset + pattern.runs.back().bytes)
        pattern.ascending = false;
      pattern.runs.push_back({run.offset, run.bytes, pattern.size});
    }
    pattern.size += run.bytes;
  }
  if (pattern.runs.empty()) return pattern;
  if (pattern.runs.size() == 1 && pattern.size == extent)
    return contiguous(origin + pattern.runs.front().offset);
  const std::int64_t span =
      pattern.runs.back().offset + pattern.runs.back().bytes - pattern.runs.front().offset;
  pattern.ascending = pattern.ascending && span <= extent;
  return pattern;
}

std::int64_t Pattern::data_below(std::int64_t position) const noexcept {
  if (runs.empty()) return 0;
  const std::int64_t beyond_first = position - origin - runs.front().offset;
  if (beyond_first <= 0 || extent <= 0) return 0;
  // The last tile that starts below the position, and its last run that does.
  const std::int64_t tile = (beyond_first - 1) / extent;
  const std::int64_t inside = position - origin - tile * extent;
  auto run = std::partition_point(runs.begin(), runs.end(),
                                  [&](const DataRun& candidate) { return candidate.offset < inside; });
  --run;
  return tile * size + run->before + std::min(run->bytes, inside - run->offset);
}

void Cursor::go_to(std::int64_t data) noexcept {
  const std::int64_t tile = data / pattern_->size;
  tile_ = pattern_->origin + tile * pattern_->extent;
  tile_data_ = tile * pattern_->size;
  const std::int64_t rest = data - tile_data_;
  const auto& runs = pattern_->runs;
  run_ = runs.data();
  if (runs.size() > 1) {
    run_ = &*--std::partition_point(runs.begin(), runs.end(),
                                    [&](const DataRun& candidate) { return candidate.before <= rest; });
  }
  within_ = rest - run_->before;
}

}  // namespace taihu::mpi::files
