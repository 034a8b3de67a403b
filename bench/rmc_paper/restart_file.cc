// SPDX-License-Identifier: Apache-2.0
#include "bench/rmc_paper/restart_file.h"

#include <bit>
#include <filesystem>

#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/file/plain_file.h"
#include "taihu/neutron/output/statepoint_parts.h"
#include "taihu/neutron/source/fission_bank.h"
#include "taihu/parallel/messages.h"
#include "taihu/parallel/shared_error.h"

namespace taihu::listed {
namespace {

using neutron::Hdf5File;
using neutron::PlainFile;

constexpr std::int64_t site_numbers = 8;  // position, direction, group, weight

/// Sum and sum of squares of each bin, one behind the other.
std::vector<double> results_of(const OwnedTally& tally) {
  std::vector<double> values;
  values.reserve(2 * tally.sum.size());
  for (std::size_t bin = 0; bin < tally.sum.size(); ++bin) {
    values.push_back(tally.sum[bin]);
    values.push_back(tally.sum_sq[bin]);
  }
  return values;
}

std::vector<double> bank_of(const List<Site>& sites) {
  std::vector<double> values;
  for (const Site& site : sites) {
    values.insert(values.end(), site.position.begin(), site.position.end());
    values.insert(values.end(), site.direction.begin(), site.direction.end());
    values.push_back(site.group);
    values.push_back(1);
  }
  return values;
}

std::string name_of(std::size_t tally) {
  return "/tally " + std::to_string(tally + 1);
}

/// The parts of all ranks, one behind the other, on the root.
std::vector<double> gathered(parallel::Communicator& ranks, std::vector<double> mine) {
  if (!ranks.is_root()) {
    parallel::send_to(ranks, 0, parallel::to_bytes(mine));
    return {};
  }
  for (int rank = 1; rank < ranks.size(); ++rank) {
    const std::vector<double> part = parallel::from_bytes<double>(parallel::receive_from(ranks, rank));
    mine.insert(mine.end(), part.begin(), part.end());
  }
  return mine;
}

void write_through_root(const Run& run, const std::string& path) {
  parallel::Communicator& ranks = run.ranks();
  std::vector<std::vector<double>> results;
  for (const OwnedTally& tally : run.tallies()) results.push_back(gathered(ranks, results_of(tally)));
  const std::vector<double> bank = gathered(ranks, bank_of(run.source()));
  parallel::together(ranks, ranks.is_root(), [&] {
    Hdf5File file(path, Hdf5File::Mode::create);
    for (std::size_t tally = 0; tally < results.size(); ++tally)
      file.write(name_of(tally), results[tally], {run.tallies()[tally].bins, 1, 2});
    file.write("/source", bank, {run.particles(), site_numbers / 2, 2});
    file.close();
    PlainFile(path, PlainFile::Mode::write).sync();
  });
}

/// HDF5 reserves room for each data set; ranks write into it at the same time.
void write_in_parallel(const Run& run, const std::string& path) {
  parallel::Communicator& ranks = run.ranks();
  std::vector<std::int64_t> places(run.tallies().size() + 1);
  parallel::together(ranks, ranks.is_root(), [&] {
    Hdf5File file(path, Hdf5File::Mode::create);
    for (std::size_t tally = 0; tally < run.tallies().size(); ++tally)
      places[tally] = neutron::reserve_results(file, name_of(tally), run.tallies()[tally].bins, 1);
    places.back() = neutron::reserve_results(file, "/source", run.particles(), site_numbers / 2);
    file.close();
    PlainFile(path, PlainFile::Mode::write)
        .reserve_room(0, static_cast<std::int64_t>(std::filesystem::file_size(path)));
  });
  ranks.broadcast(places.data(), places.size() * sizeof(std::int64_t));
  parallel::together(ranks, true, [&] {
    const PlainFile file(path, PlainFile::Mode::write);
    const auto write = [&](std::int64_t place, const std::vector<double>& values) {
      file.write_at(place, std::as_bytes(std::span(values)));
    };
    constexpr std::int64_t bin_bytes = 2 * sizeof(double), site_bytes = site_numbers * sizeof(double);
    for (std::size_t tally = 0; tally < run.tallies().size(); ++tally)
      write(places[tally] + bin_bytes * run.tallies()[tally].first, results_of(run.tallies()[tally]));
    const std::int64_t first = neutron::first_history(run.particles(), ranks.rank(), ranks.size());
    write(places.back() + site_bytes * first, bank_of(run.source()));
    file.sync();
  });
}

}  // namespace

void write_restart(const Run& run, const std::string& path, RestartWay way) {
  if (way == RestartWay::through_root)
    write_through_root(run, path);
  else
    write_in_parallel(run, path);
}

std::uint64_t contents_of_restart(const Run& run, const std::string& path) {
  const Hdf5File file(path, Hdf5File::Mode::read);
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a, by numbers instead of bytes
  const auto add = [&](const std::string& name) {
    for (const double value : file.doubles(name))
      hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211ULL;
  };
  for (std::size_t tally = 0; tally < run.tallies().size(); ++tally) add(name_of(tally));
  add("/source");
  return hash;
}

}  // namespace taihu::listed
