// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/benchmark/restart_speed.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "taihu/base/clock.h"
#include "taihu/base/formatted.h"
#include "taihu/neutron/file/plain_file.h"
#include "taihu/neutron/output/statepoint.h"
#include "taihu/neutron/source/fission_bank.h"
#include "taihu/parallel/messages.h"
#include "taihu/parallel/shared_error.h"

namespace taihu::neutron {
namespace {

constexpr std::int64_t piece_bytes = 8 << 20;

/// Calls f(place, bytes) for pieces of a rank's share of a file.
template <typename F>
void for_each_piece(std::int64_t bytes, int rank, int ranks, const F& f) {
  const std::int64_t last = first_history(bytes, rank + 1, ranks);
  for (std::int64_t place = first_history(bytes, rank, ranks); place < last; place += piece_bytes)
    f(place, std::min(piece_bytes, last - place));
}

void write_plain_file(const std::string& path, std::int64_t bytes, int rank, int ranks) {
  const PlainFile file(path, PlainFile::Mode::write);
  const parallel::Bytes content(piece_bytes, std::byte{0x5a});
  const std::int64_t first = first_history(bytes, rank, ranks);
  file.reserve_room(first, first_history(bytes, rank + 1, ranks) - first);
  for_each_piece(bytes, rank, ranks, [&](std::int64_t place, std::int64_t count) {
    file.write_at(place, std::span(content).first(static_cast<std::size_t>(count)));
  });
  file.sync();
}

void read_plain_file(const std::string& path, std::int64_t bytes, int rank, int ranks) {
  const PlainFile file(path, PlainFile::Mode::read);
  parallel::Bytes content(piece_bytes);
  for_each_piece(bytes, rank, ranks, [&](std::int64_t place, std::int64_t count) {
    file.read_at(place, std::span(content).first(static_cast<std::size_t>(count)));
  });
}

/// Asks the system to drop the cached pages of a file that is on the disk.
void forget(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  close(descriptor);
}

class Measurement {
 public:
  Measurement(Simulation& simulation, const RestartSpeedOptions& options)
      : simulation_(simulation),
        ranks_(simulation.ranks()),
        repeats_(options.repeats),
        path_((std::filesystem::path(options.folder) / "restart-speed.h5").string()),
        plain_((std::filesystem::path(options.folder) / "restart-speed.plain").string()) {}

  ~Measurement() {
    std::error_code ignored;
    if (!ranks_.is_root()) return;
    for (const std::string& path : {path_, plain_}) std::filesystem::remove(path, ignored);
  }

  RestartSpeed run() {
    RestartSpeed speed;
    speed.ranks = ranks_.size();
    const int rank = ranks_.rank(), size = ranks_.size();
    for (int repeat = 0; repeat < repeats_; ++repeat) {
      for (const StatepointWay way : {StatepointWay::parallel, StatepointWay::through_root}) {
        const bool parallel = way == StatepointWay::parallel;
        time(parallel ? speed.write_parallel : speed.write_through_root,
             [&] { write_statepoint(simulation_, path_, way); });
        drop(path_);
        time(parallel ? speed.read_parallel : speed.read_through_root,
             [&] { resume_from_statepoint(simulation_, path_, way); });
      }
      parallel::together(ranks_, true,
                         [&] { speed.bytes = static_cast<std::int64_t>(std::filesystem::file_size(path_)); });
      time_plain(speed.write_plain, [&] { write_plain_file(plain_, speed.bytes, rank, size); });
      drop(plain_);
      time(speed.read_plain, [&] {
        parallel::together(ranks_, true, [&] { read_plain_file(plain_, speed.bytes, rank, size); });
      });
      time_plain(speed.write_plain_root, [&] {
        if (ranks_.is_root()) write_plain_file(plain_, speed.bytes, 0, 1);
      });
    }
    return speed;
  }

 private:
  /// The clock of every rank starts when all ranks have arrived and stops when all are done.
  template <typename Work>
  void time(RestartSpeed::Seconds& list, const Work& work) {
    ranks_.all(0);
    const std::int64_t start = now_ns();
    work();
    ranks_.all(0);
    list.push_back(static_cast<double>(now_ns() - start) * 1e-9);
  }

  /// Into a new file each time, as a statepoint is.
  template <typename Work>
  void time_plain(RestartSpeed::Seconds& list, const Work& work) {
    parallel::together(ranks_, true, [&] {
      if (ranks_.is_root()) PlainFile(plain_, PlainFile::Mode::create);
    });
    time(list, [&] { parallel::together(ranks_, true, work); });
  }

  void drop(const std::string& path) {
    if (ranks_.is_root()) forget(path);
    ranks_.all(0);
  }

  Simulation& simulation_;
  parallel::Communicator& ranks_;
  int repeats_;
  std::string path_, plain_;
};

}  // namespace

RestartSpeed measure_restart(Simulation& simulation, const RestartSpeedOptions& options) {
  return Measurement(simulation, options).run();
}

std::vector<std::string> lines_of(const RestartSpeed& speed) {
  const double megabytes = static_cast<double>(speed.bytes) * 1e-6;
  const auto line = [&](const char* what, RestartSpeed::Seconds seconds) {
    std::sort(seconds.begin(), seconds.end());
    const double middle = 0.5 * (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]);
    return formatted("  %-34s %9.4f s %9.1f MB/s  %9.4f to %.4f s", what, middle, megabytes / middle,
                     seconds.front(), seconds.back());
  };
  return {formatted("statepoint of %.1f MB, %d ranks", megabytes, speed.ranks),
          line("written by all ranks", speed.write_parallel),
          line("written through the root", speed.write_through_root),
          line("plain file, written by all ranks", speed.write_plain),
          line("plain file, written by one rank", speed.write_plain_root),
          line("read by all ranks", speed.read_parallel),
          line("read through the root", speed.read_through_root),
          line("plain file, read by all ranks", speed.read_plain)};
}

}  // namespace taihu::neutron
