// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/output/statepoint.h"

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <span>

#include "taihu/base/error.h"
#include "taihu/base/output_file.h"
#include "taihu/neutron/file/mcpl_file.h"
#include "taihu/neutron/output/statepoint_frame.h"
#include "taihu/neutron/output/statepoint_parts.h"
#include "taihu/parallel/messages.h"
#include "taihu/parallel/shared_error.h"

namespace taihu::neutron {
namespace {

template <typename T>
void broadcast_vector(parallel::Communicator& ranks, std::vector<T>& values) {
  std::int64_t size = static_cast<std::int64_t>(values.size());
  ranks.broadcast(&size, sizeof size);
  values.resize(size);
  ranks.broadcast(values.data(), size * sizeof(T));
}

void broadcast_criticality(parallel::Communicator& ranks, Criticality& c) {
  broadcast_vector(ranks, c.k_generation);
  broadcast_vector(ranks, c.entropy);
  ranks.broadcast(c.sum.data(), sizeof c.sum);
  ranks.broadcast(c.sum_sq.data(), sizeof c.sum_sq);
  double numbers[] = {c.collision_absorption, c.collision_track, c.absorption_track, c.k_sum, c.k_sum_sq};
  ranks.broadcast(numbers, sizeof numbers);
  c.collision_absorption = numbers[0], c.collision_track = numbers[1], c.absorption_track = numbers[2];
  c.k_sum = numbers[3], c.k_sum_sq = numbers[4];
  ranks.broadcast(&c.realizations, sizeof c.realizations);
  ranks.broadcast(&c.active_generations, sizeof c.active_generations);
}

void broadcast_places(parallel::Communicator& ranks, PartPlaces& places) {
  broadcast_vector(ranks, places.results);
  ranks.broadcast(&places.bank, sizeof places.bank);
  ranks.broadcast(&places.bank_is_mcpl, sizeof places.bank_is_mcpl);
}

parallel::Bytes pack(const TallyStatistics& statistics, const std::vector<Site>& source) {
  parallel::Bytes bytes;
  parallel::append(bytes, statistics.sum.data(), statistics.sum.size());
  parallel::append(bytes, statistics.sum_sq.data(), statistics.sum_sq.size());
  parallel::append(bytes, source.data(), source.size());
  return bytes;
}

/// The bytes behind the statistics are the source.
StatepointPart unpack(const Simulation& simulation, int rank, const parallel::Bytes& bytes) {
  StatepointPart part;
  part.rank = rank;
  part.statistics.resize(simulation.shares().owned_count(rank));
  parallel::Reader reader(bytes);
  reader.read(part.statistics.sum.data(), part.statistics.sum.size());
  reader.read(part.statistics.sum_sq.data(), part.statistics.sum_sq.size());
  part.source.resize(reader.size() / sizeof(Site));
  reader.read(part.source.data(), part.source.size());
  return part;
}

/// For the arrays of a file, which the ranks write later. HDF5 gives its file the length already, but leaves
/// a hole for them; an MCPL file is only its head so far.
void reserve_room(const std::string& path, const PartPlaces& places, std::int64_t particles) {
  const std::int64_t bytes = places.bank_is_mcpl
                                 ? places.bank + particles * mcpl_neutron_bytes
                                 : static_cast<std::int64_t>(std::filesystem::file_size(path));
  PlainFile(path, PlainFile::Mode::write).reserve_room(0, bytes);
}

/// The root gets the other ranks' parts one after the other and writes them.
void write_through_root(Simulation& simulation, const PlainFile& file, const PartPlaces& places) {
  parallel::Communicator& ranks = simulation.ranks();
  write_part(file, places, simulation, 0, simulation.statistics(), simulation.source());
  for (int rank = 1; rank < ranks.size(); ++rank) {
    const StatepointPart part = unpack(simulation, rank, parallel::receive_from(ranks, rank));
    write_part(file, places, simulation, rank, part.statistics, part.source);
  }
  file.sync();
}

void write_arrays(Simulation& simulation, const std::string& path, const PartPlaces& places,
                  StatepointWay way) {
  parallel::Communicator& ranks = simulation.ranks();
  if (way == StatepointWay::parallel) {
    const PlainFile file(path, PlainFile::Mode::write);
    write_part(file, places, simulation, ranks.rank(), simulation.statistics(), simulation.source());
    file.sync();
  } else if (ranks.is_root()) {
    write_through_root(simulation, PlainFile(path, PlainFile::Mode::write), places);
  }
}

/// The parts of all ranks, read by the root.
StatepointPart read_through_root(const Simulation& simulation, parallel::Communicator& ranks,
                                 const std::string& path, const PartPlaces& places) {
  std::vector<parallel::Bytes> parts(ranks.size());
  parallel::together(ranks, ranks.is_root(), [&] {
    const PlainFile file(path, PlainFile::Mode::read);
    for (int rank = 0; rank < ranks.size(); ++rank) {
      const StatepointPart part = read_part(file, places, simulation, rank);
      parts[rank] = pack(part.statistics, part.source);
    }
  });
  return unpack(simulation, ranks.rank(), parallel::exchange_all(ranks, std::move(parts))[0]);
}

/// Makes a source file without its neutrons.
PartPlaces write_source_frame(const Settings& settings, const std::string& path) {
  PartPlaces places;
  places.bank_is_mcpl = settings.mcpl_source;
  if (places.bank_is_mcpl) {
    const std::string head = mcpl_head(static_cast<std::uint64_t>(settings.particles));
    PlainFile(path, PlainFile::Mode::create).write_at(0, std::as_bytes(std::span(head)));
    places.bank = static_cast<std::int64_t>(head.size());
    return places;
  }
  Hdf5File file(path, Hdf5File::Mode::create);
  file.write_attribute("/", "filetype", std::string("source"));
  places.bank = reserve_bank(file, settings.particles);
  file.close();
  return places;
}

}  // namespace

std::string statepoint_name(int batch, int batches) {
  const std::string number = std::to_string(batch), last = std::to_string(batches);
  return "statepoint." + std::string(last.size() > number.size() ? last.size() - number.size() : 0, '0') +
         number + ".h5";
}

void write_statepoint(Simulation& simulation, const std::string& path, StatepointWay way) {
  parallel::Communicator& ranks = simulation.ranks();
  const std::string temporary = path + ".part";
  try {
    PartPlaces places;
    parallel::together(ranks, ranks.is_root(), [&] {
      places = write_frame(simulation, temporary);
      reserve_room(temporary, places, simulation.model().settings.particles);
    });
    broadcast_places(ranks, places);
    if (way == StatepointWay::through_root && !ranks.is_root())
      parallel::send_to(ranks, 0, pack(simulation.statistics(), simulation.source()));
    parallel::together(ranks, true, [&] { write_arrays(simulation, temporary, places, way); });
    parallel::together(ranks, ranks.is_root(), [&] { replace_file(temporary, path); });
  } catch (...) {
    if (ranks.is_root()) unlink(temporary.c_str());
    throw;
  }
}

void write_source(Simulation& simulation, const std::string& path) {
  parallel::Communicator& ranks = simulation.ranks();
  const std::string temporary = path + ".part";
  try {
    PartPlaces places;
    parallel::together(ranks, ranks.is_root(), [&] {
      places = write_source_frame(simulation.model().settings, temporary);
      reserve_room(temporary, places, simulation.model().settings.particles);
    });
    broadcast_places(ranks, places);
    parallel::together(ranks, true,
                       [&] { write_arrays(simulation, temporary, places, StatepointWay::parallel); });
    parallel::together(ranks, ranks.is_root(), [&] { replace_file(temporary, path); });
  } catch (...) {
    if (ranks.is_root()) unlink(temporary.c_str());
    throw;
  }
}

void resume_from_statepoint(Simulation& simulation, const std::string& path, StatepointWay way) {
  parallel::Communicator& ranks = simulation.ranks();
  StatepointFrame frame;
  parallel::together(ranks, ranks.is_root(), [&] { frame = read_frame(simulation, path); });
  ranks.broadcast(&frame.batch, sizeof frame.batch);
  ranks.broadcast(&frame.realizations, sizeof frame.realizations);
  broadcast_criticality(ranks, frame.criticality);
  broadcast_vector(ranks, frame.births);
  broadcast_vector(ranks, frame.made);
  broadcast_places(ranks, frame.places);
  StatepointPart part;
  if (way == StatepointWay::through_root) {
    part = read_through_root(simulation, ranks, path, frame.places);
  } else {
    parallel::together(ranks, true, [&] {
      const PlainFile file(path, PlainFile::Mode::read);
      part = read_part(file, frame.places, simulation, ranks.rank());
    });
  }
  part.statistics.realizations = frame.realizations;
  if (FissionMatrix* matrix = simulation.fission_matrix(); matrix != nullptr && !frame.births.empty())
    matrix->restore(std::move(frame.births), std::move(frame.made));
  simulation.resume(frame.batch, std::move(frame.criticality), std::move(part.statistics),
                    std::move(part.source));
}

}  // namespace taihu::neutron
