// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/output/statepoint_parts.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "taihu/base/error.h"
#include "taihu/neutron/file/mcpl_file.h"
#include "taihu/neutron/output/bank_record.h"
#include "taihu/neutron/source/fission_bank.h"

namespace taihu::neutron {
namespace {

static_assert(std::endian::native == std::endian::little, "parts are written as they lie in memory");

/// A contiguous array, allocated in the file at once and without a fill value.
std::int64_t reserve(Hdf5File& file, const std::string& name, hid_t type, const std::vector<hsize_t>& shape) {
  const Hdf5Handle space =
      space_handle(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
  const Hdf5Handle list = list_handle(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_layout(*list, H5D_CONTIGUOUS);
  H5Pset_alloc_time(*list, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(*list, H5D_FILL_TIME_NEVER);
  const Hdf5Handle set =
      dataset_handle(H5Dcreate2(file.id(), name.c_str(), type, *space, H5P_DEFAULT, *list, H5P_DEFAULT));
  if (!set.ok()) file.fail("data set " + name + " cannot be made");
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return -1;
  const haddr_t place = H5Dget_offset(*set);
  if (place == HADDR_UNDEF) file.fail("data set " + name + " gets no place in the file");
  return static_cast<std::int64_t>(place);
}

std::int64_t find(const Hdf5File& file, const std::string& name, hid_t type, std::int64_t count) {
  const Hdf5Handle set = dataset_handle(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT));
  if (!set.ok()) file.fail("data set " + name + " is missing");
  const Hdf5Handle found = type_handle(H5Dget_type(*set)), space = space_handle(H5Dget_space(*set));
  const hssize_t size = space.ok() ? H5Sget_simple_extent_npoints(*space) : -1;
  if (size != count) file.fail("data set " + name + " has a wrong size");
  if (count == 0) return -1;
  const haddr_t place = H5Dget_offset(*set);
  if (!found.ok() || H5Tequal(*found, type) <= 0 || place == HADDR_UNDEF)
    file.fail("data set " + name + " is stored in another way than rmc does (repacked?)");
  return static_cast<std::int64_t>(place);
}

void require(bool holds, const PlainFile& file, const char* problem) {
  if (!holds) throw Error(file.path() + ": " + problem);
}

constexpr std::int64_t staged = 1 << 15;  // records between memory and file at a time

constexpr std::int64_t bytes_ahead = 16 << 20;  // that the disk works on while others are read

/// Calls read(piece) for pieces of a file in their order. It lies at place_of(piece) and has length_of(piece)
/// bytes. The system reads ahead by itself where pieces follow one another, so it is told of the others only:
/// domains that cut a mesh along x have rows with gaps.
template <typename Piece, typename Place, typename Length, typename Read>
void read_ahead(const PlainFile& file, const std::vector<Piece>& pieces, const Place& place_of,
                const Length& length_of, const Read& read) {
  std::int64_t ahead = 0, end = -1;
  auto told = pieces.begin();
  for (const Piece& piece : pieces) {
    for (; told != pieces.end() && ahead < bytes_ahead; ++told) {
      if (place_of(*told) != end) file.will_need(place_of(*told), length_of(*told));
      end = place_of(*told) + length_of(*told);
      ahead += length_of(*told);
    }
    read(piece);
    ahead -= length_of(piece);
  }
}

std::span<const std::byte> bytes_of(const auto& values, std::size_t count) {
  return std::as_bytes(std::span(values.data(), count));
}
std::span<std::byte> writable_bytes_of(auto& values, std::size_t count) {
  return std::as_writable_bytes(std::span(values.data(), count));
}

/// Neutrons first .. last - 1 of the bank, which lies at `place`.
std::vector<Site> read_bank(const PlainFile& file, std::int64_t place, const Model& model, std::int64_t first,
                            std::int64_t last) {
  constexpr std::int64_t record_bytes = sizeof(BankRecord);
  std::vector<std::int64_t> pieces;  // first neutrons
  for (std::int64_t piece = first; piece < last; piece += staged) pieces.push_back(piece);
  const auto count_of = [&](std::int64_t piece) { return std::min(staged, last - piece); };
  std::vector<Site> sites;
  sites.reserve(static_cast<std::size_t>(last - first));
  std::vector<BankRecord> records;
  const auto read = [&](std::int64_t piece) {
    records.resize(static_cast<std::size_t>(count_of(piece)));
    file.read_at(place + piece * record_bytes, writable_bytes_of(records, records.size()));
    for (const BankRecord& record : records) {
      require(is_possible(record), file,
              "the source bank has a neutron of impossible place, direction, energy or weight");
      sites.push_back({.r = {record.r[0], record.r[1], record.r[2]},
                       .u = {record.u[0], record.u[1], record.u[2]},
                       .weight = record.weight,
                       .group = model.nuclear ? GroupId{0} : model.data.group_of(Energy(record.energy)),
                       .energy = model.nuclear ? Energy(record.energy) : Energy{},
                       .time = record.time});
    }
  };
  read_ahead(
      file, pieces, [&](std::int64_t piece) { return place + piece * record_bytes; },
      [&](std::int64_t piece) { return count_of(piece) * record_bytes; }, read);
  return sites;
}

}  // namespace

std::int64_t reserve_results(Hdf5File& file, const std::string& name, std::int64_t combinations,
                             std::int64_t scores) {
  return reserve(file, name, H5T_IEEE_F64LE,
                 {static_cast<hsize_t>(combinations), static_cast<hsize_t>(scores), 2});
}

std::int64_t reserve_bank(Hdf5File& file, std::int64_t neutrons) {
  return reserve(file, "/source_bank", *bank_type(), {static_cast<hsize_t>(neutrons)});
}

std::int64_t place_of_results(const Hdf5File& file, const std::string& name, std::int64_t bins) {
  return find(file, name, H5T_IEEE_F64LE, 2 * bins);
}

std::int64_t place_of_bank(const Hdf5File& file, std::int64_t neutrons) {
  if (!file.exists("/source_bank")) file.fail("it has no source bank, so no run can go on from it");
  const std::vector<std::int64_t> shape = file.shape("/source_bank");
  if (shape.size() != 1 || shape[0] != neutrons)
    file.fail("its source bank does not have " + std::to_string(neutrons) + " neutrons");
  return find(file, "/source_bank", *bank_type(), neutrons);
}

void write_part(const PlainFile& file, const PartPlaces& places, const Simulation& simulation, int rank,
                const TallyStatistics& statistics, const std::vector<Site>& source) {
  const Model& model = simulation.model();
  std::vector<std::array<double, 2>> pairs;
  for (std::size_t tally = 0; tally < places.results.size(); ++tally)
    simulation.shares().for_each_run(rank, tally, [&](const BinRun& run) {
      for (std::int64_t done = 0; done < run.count; done += staged) {
        const std::int64_t count = std::min(staged, run.count - done);
        pairs.resize(count);
        for (std::int64_t i = 0; i < count; ++i)
          pairs[i] = {statistics.sum[run.place + done + i], statistics.sum_sq[run.place + done + i]};
        file.write_at(places.results[tally] + (run.bin_in_tally + done) * std::int64_t{sizeof pairs[0]},
                      bytes_of(pairs, pairs.size()));
      }
    });
  if (places.bank < 0) return;
  const std::int64_t first = first_history(model.settings.particles, rank, simulation.shares().ranks());
  std::vector<BankRecord> records;
  for (std::size_t done = 0; done < source.size(); done += staged) {
    records.resize(std::min<std::size_t>(staged, source.size() - done));
    for (std::size_t i = 0; i < records.size(); ++i) records[i] = bank_record(model, source[done + i]);
    const std::int64_t neutron = first + static_cast<std::int64_t>(done);
    if (places.bank_is_mcpl) {
      const std::string bytes = mcpl_neutrons(records);
      file.write_at(places.bank + neutron * mcpl_neutron_bytes, bytes_of(bytes, bytes.size()));
    } else {
      file.write_at(places.bank + neutron * std::int64_t{sizeof(BankRecord)},
                    bytes_of(records, records.size()));
    }
  }
}

void read_results(const PlainFile& file, std::int64_t place, const BinRun& run, TallyStatistics& statistics) {
  std::vector<std::array<double, 2>> pairs(std::min(staged, run.count));
  for (std::int64_t done = 0; done < run.count; done += staged) {
    const std::int64_t count = std::min(staged, run.count - done);
    file.read_at(place + (run.bin_in_tally + done) * std::int64_t{sizeof pairs[0]},
                 writable_bytes_of(pairs, static_cast<std::size_t>(count)));
    bool finite = true;
    for (std::int64_t i = 0; i < count; ++i) {
      finite = finite && std::isfinite(pairs[i][0]) && std::isfinite(pairs[i][1]);
      statistics.sum[run.place + done + i] = pairs[i][0];
      statistics.sum_sq[run.place + done + i] = pairs[i][1];
    }
    require(finite, file, "a result of a tally is not a finite number");
  }
}

StatepointPart read_part(const PlainFile& file, const PartPlaces& places, const Simulation& simulation,
                         int rank) {
  StatepointPart part;
  part.rank = rank;
  part.statistics.resize(simulation.shares().owned_count(rank));
  constexpr std::int64_t pair_bytes = 2 * sizeof(double);
  for (std::size_t tally = 0; tally < places.results.size(); ++tally) {
    std::vector<BinRun> pieces;
    simulation.shares().for_each_run(rank, tally, [&](const BinRun& run) {
      for (std::int64_t done = 0; done < run.count; done += staged)
        pieces.push_back({run.place + done, run.bin_in_tally + done, std::min(staged, run.count - done)});
    });
    read_ahead(
        file, pieces,
        [&](const BinRun& piece) { return places.results[tally] + piece.bin_in_tally * pair_bytes; },
        [&](const BinRun& piece) { return piece.count * pair_bytes; },
        [&](const BinRun& piece) { read_results(file, places.results[tally], piece, part.statistics); });
  }
  if (places.bank < 0) return part;
  const int ranks = simulation.shares().ranks();
  const std::int64_t particles = simulation.model().settings.particles;
  part.source = read_bank(file, places.bank, simulation.model(), first_history(particles, rank, ranks),
                          first_history(particles, rank + 1, ranks));
  return part;
}

}  // namespace taihu::neutron
