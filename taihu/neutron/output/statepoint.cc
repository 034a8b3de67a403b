// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/output/statepoint.h"

#include <unistd.h>

#include <ctime>
#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/file/replace_file.h"
#include "taihu/neutron/output/file_head.h"
#include "taihu/neutron/output/statepoint_parts.h"
#include "taihu/neutron/parallel/messages.h"

namespace taihu::neutron {
namespace {

const char* energy_mode(const Model& model) {
  return model.nuclear ? "continuous-energy" : "multi-group";
}

void write_run(Hdf5File& file, const Simulation& simulation) {
  const Settings& settings = simulation.model().settings;
  file.write_integer("/seed", static_cast<std::int64_t>(settings.seed), true);
  file.write_integer("/stride", 152917,
                     true);  // a property of OpenMC's generator; its reader wants the entry
  file.write_text("/energy_mode", energy_mode(simulation.model()));
  file.write_text("/run_mode", settings.mode == RunMode::eigenvalue ? "eigenvalue" : "fixed source");
  file.write_integer("/n_particles", settings.particles, true);
  file.write_integer("/n_batches", settings.batches);
  file.write_integer("/current_batch", simulation.batch());
  const Criticality& criticality = simulation.criticality();
  if (settings.mode == RunMode::eigenvalue) {
    file.write_integer("/n_inactive", settings.inactive);
    file.write_integer("/generations_per_batch", settings.generations_per_batch);
    file.write("/k_generation", criticality.k_generation);
    file.write("/entropy", criticality.entropy);
    file.write_number("/k_col_abs", criticality.collision_absorption);
    file.write_number("/k_col_tra", criticality.collision_track);
    file.write_number("/k_abs_tra", criticality.absorption_track);
    const Estimate k = criticality.combined();
    file.write("/k_combined", {k.mean, k.deviation});
  }
  file.write_integer("/n_realizations", criticality.realizations);
  std::vector<double> global;
  for (int i = 0; i < 4; ++i) {
    global.push_back(criticality.sum[i] / std::max(1, criticality.realizations));
    global.push_back(criticality.sum[i]);
    global.push_back(criticality.sum_sq[i]);
  }
  file.write("/global_tallies", global, {4, 3});
}

void write_meshes(Hdf5File& file, const TallyLayout& layout) {
  file.make_group("/tallies/meshes");
  std::vector<int> ids;
  for (const RegularMesh& mesh : layout.meshes) ids.push_back(mesh.id);
  file.write_attribute("/tallies/meshes", "n_meshes", static_cast<std::int64_t>(ids.size()));
  if (!ids.empty()) file.write_attribute("/tallies/meshes", "ids", ids);
  for (const RegularMesh& mesh : layout.meshes) {
    const std::string place = "/tallies/meshes/mesh " + std::to_string(mesh.id);
    file.make_group(place);
    file.write_attribute(place, "id", static_cast<std::int64_t>(mesh.id));
    if (!mesh.name.empty()) file.write_text(place + "/name", mesh.name);
    file.write_text(place + "/type", "regular");
    std::vector<int> shape;
    std::vector<double> lower, upper, width;
    for (int axis = 0; axis < mesh.dimensions; ++axis) {
      shape.push_back(mesh.shape[axis]);
      lower.push_back(mesh.lower[axis]);
      upper.push_back(mesh.upper()[axis]);
      width.push_back(mesh.width[axis]);
    }
    file.write_integers(place + "/dimension", shape);
    file.write(place + "/lower_left", lower);
    file.write(place + "/upper_right", upper);
    file.write(place + "/width", width);
  }
}

void write_cell_instances(Hdf5File& file, const std::string& name, const Filter& filter) {
  std::vector<std::int64_t> pairs;
  for (std::size_t i = 0; i < filter.bins.size(); ++i) {
    pairs.push_back(filter.bin_ids[i]);
    pairs.push_back(filter.instances[i]);
  }
  file.write_integers(name, pairs, {static_cast<std::int64_t>(filter.bins.size()), 2});
}

void write_energy_function(Hdf5File& file, const std::string& place, const Filter& filter) {
  file.write(place + "/energy", filter.energies);
  file.write(place + "/y", filter.factors);
  file.write_attribute(place + "/y", "interpolation", static_cast<std::int64_t>(filter.interpolation));
}

std::vector<std::string> score_texts(const Tally& tally) {
  std::vector<std::string> scores;
  for (const Score score : tally.scores) scores.push_back(name_of(score));
  return scores;
}

void write_filters(Hdf5File& file, const TallyLayout& layout) {
  file.make_group("/tallies/filters");
  std::vector<int> ids;
  for (const Filter& filter : layout.filters) ids.push_back(filter.id);
  file.write_attribute("/tallies/filters", "n_filters", static_cast<std::int64_t>(ids.size()));
  if (!ids.empty()) file.write_attribute("/tallies/filters", "ids", ids);
  for (const Filter& filter : layout.filters) {
    const std::string place = "/tallies/filters/filter " + std::to_string(filter.id);
    file.make_group(place);
    file.write_text(place + "/type", name_of(filter.type));
    file.write_integer(place + "/n_bins", filter.bin_count);
    if (filter.type == FilterType::energyfunction)
      write_energy_function(file, place, filter);
    else if (filter.type == FilterType::legendre)
      file.write_integer(place + "/order", filter.bin_count - 1);
    else if (filter.type == FilterType::particle)
      file.write_texts(place + "/bins", filter.particles);
    else if (!filter.energies.empty())
      file.write(place + "/bins", filter.energies);
    else if (filter.type == FilterType::mesh || filter.type == FilterType::distribcell)
      file.write_integer(place + "/bins", filter.bin_ids[0]);
    else if (filter.type == FilterType::cellinstance)
      write_cell_instances(file, place + "/bins", filter);
    else
      file.write_integers(place + "/bins", filter.bin_ids);
  }
}

/// Returns the place of the results, which the ranks write.
std::int64_t write_tally(Hdf5File& file, const Simulation& simulation, std::size_t index) {
  const TallyLayout& layout = simulation.layout();
  const Tally& tally = layout.tallies[index];
  const TallyLayout::CompiledTally& compiled = layout.compiled[index];
  const std::string place = "/tallies/tally " + std::to_string(tally.id);
  file.make_group(place);
  for (const char* name : {"internal", "higher_moments"}) file.write_attribute(place, name, std::int64_t{0});
  file.write_attribute(place, "multiply_density", std::int64_t{1});
  if (!tally.name.empty()) file.write_text(place + "/name", tally.name);
  file.write_text(place + "/estimator", name_of(compiled.estimator));
  file.write_integer(place + "/n_realizations", simulation.statistics().realizations);
  file.write_integer(place + "/n_filters", static_cast<std::int64_t>(tally.filters.size()));
  std::vector<int> filters;
  for (const int filter : tally.filters) filters.push_back(layout.filters[filter].id);
  if (!filters.empty()) file.write_integers(place + "/filters", filters);
  file.write_texts(place + "/nuclides", tally.nuclides);
  file.write_integer(place + "/n_score_bins", static_cast<std::int64_t>(tally.scores.size()));
  file.write_texts(place + "/score_bins", score_texts(tally));
  return reserve_results(file, place + "/results", compiled.combinations, compiled.width);
}

void write_times(Hdf5File& file, Simulation& simulation) {
  const PhaseTimes& times = simulation.times();
  file.make_group("/runtime");
  file.write_number("/runtime/total initialization", times.initialization);
  file.write_number("/runtime/simulation", times.inactive + times.active);
  file.write_number("/runtime/transport", times.transport);
  file.write_number("/runtime/inactive batches", times.inactive);
  file.write_number("/runtime/active batches", times.active);
  file.write_number("/runtime/synchronizing fission bank", times.bank);
  file.write_number("/runtime/accumulating tallies", times.tallies);
  file.write_number("/runtime/writing statepoints", times.output);
}

/// Makes the file with everything but the large arrays; returns their places.
PartPlaces write_on_root(Simulation& simulation, const std::string& path) {
  PartPlaces places;
  const Model& model = simulation.model();
  unlink(path.c_str());  // a rank of a killed job may still write to what has this name now
  Hdf5File file(path, Hdf5File::Mode::create);
  write_file_head(file, "statepoint", {18, 1});
  file.write_attribute("/", "path", std::filesystem::absolute(model.folder).string());
  const bool source = model.settings.write_source && model.settings.mode == RunMode::eigenvalue;
  file.write_attribute("/", "tallies_present", static_cast<std::int64_t>(!simulation.layout().empty()));
  file.write_attribute("/", "source_present", static_cast<std::int64_t>(source));
  file.write_attribute("/", "photon_transport", std::int64_t{0});
  write_run(file, simulation);
  const TallyLayout& layout = simulation.layout();
  file.make_group("/tallies");
  std::vector<int> ids;
  for (const Tally& tally : layout.tallies) ids.push_back(tally.id);
  file.write_attribute("/tallies", "n_tallies", static_cast<std::int64_t>(ids.size()));
  if (!ids.empty()) file.write_attribute("/tallies", "ids", ids);
  write_meshes(file, layout);
  write_filters(file, layout);
  for (std::size_t i = 0; i < layout.tallies.size(); ++i)
    places.results.push_back(write_tally(file, simulation, i));
  if (source) places.bank = reserve_bank(file, model.settings.particles);
  write_times(file, simulation);
  file.close();
  return places;
}

/// What the root reads; sent to all ranks.
struct Resumed {
  int batch = 0;
  int realizations = 0;  ///< of the tallies
  Criticality criticality;
  PartPlaces places;
};

void require_same(const Hdf5File& file, const char* what, std::int64_t here, std::int64_t there) {
  if (here != there)
    file.fail(std::string("it was made with ") + what + " " + std::to_string(there) + ", the model has " +
              std::to_string(here));
}

void read_criticality(const Hdf5File& file, const Settings& settings, Criticality& criticality, int batch) {
  const std::vector<double> global = file.doubles("/global_tallies");
  if (global.size() != 12) file.fail("global_tallies has a wrong size");
  for (int i = 0; i < 4; ++i) {
    criticality.sum[i] = global[3 * i + 1];
    criticality.sum_sq[i] = global[3 * i + 2];
  }
  criticality.realizations = static_cast<int>(file.integer("/n_realizations"));
  if (settings.mode == RunMode::fixed_source) return;
  criticality.k_generation = file.doubles("/k_generation");
  criticality.entropy = file.doubles("/entropy");
  criticality.collision_absorption = file.number("/k_col_abs");
  criticality.collision_track = file.number("/k_col_tra");
  criticality.absorption_track = file.number("/k_abs_tra");
  const std::size_t generations = criticality.k_generation.size(), per_batch = settings.generations_per_batch;
  if (generations != static_cast<std::size_t>(batch) * per_batch) file.fail("k_generation has a wrong size");
  for (std::size_t i = static_cast<std::size_t>(settings.inactive) * per_batch; i < generations; ++i) {
    const double k = criticality.k_generation[i];
    criticality.k_sum += k;
    criticality.k_sum_sq += k * k;
    ++criticality.active_generations;
  }
}

void find_tally_results(const Hdf5File& file, const Simulation& simulation, Resumed& resumed) {
  const TallyLayout& layout = simulation.layout();
  for (std::size_t i = 0; i < layout.tallies.size(); ++i) {
    const std::string place = "/tallies/tally " + std::to_string(layout.tallies[i].id);
    if (!file.exists(place)) file.fail("it has no tally " + std::to_string(layout.tallies[i].id));
    const std::vector<std::int64_t> shape = file.shape(place + "/results");
    const std::int64_t bins = layout.compiled[i].bin_count();
    if (shape.size() != 3 || shape[0] != layout.compiled[i].combinations || shape[0] * shape[1] != bins ||
        shape[2] != 2 || file.text(place + "/estimator") != name_of(layout.compiled[i].estimator))
      file.fail("its tally " + std::to_string(layout.tallies[i].id) + " has other bins or another estimator");
    if (file.texts(place + "/nuclides") != layout.tallies[i].nuclides ||
        file.texts(place + "/score_bins") != score_texts(layout.tallies[i]))
      file.fail("its tally " + std::to_string(layout.tallies[i].id) + " has other nuclides or scores");
    resumed.places.results.push_back(place_of_results(file, place + "/results", bins));
    resumed.realizations = static_cast<int>(file.integer(place + "/n_realizations"));
  }
}

Resumed read_on_root(const Simulation& simulation, const std::string& path) {
  const Model& model = simulation.model();
  const Settings& settings = model.settings;
  const Hdf5File file(path, Hdf5File::Mode::read);
  if (file.attribute_text("/", "filetype") != "statepoint") file.fail("this is not a statepoint");
  const bool eigenvalue = settings.mode == RunMode::eigenvalue;
  if (file.text("/run_mode") != (eigenvalue ? "eigenvalue" : "fixed source"))
    file.fail("it was made in run mode " + file.text("/run_mode"));
  if (file.text("/energy_mode") != energy_mode(model))
    file.fail("it was made with " + file.text("/energy_mode") + " data");
  require_same(file, "seed", static_cast<std::int64_t>(settings.seed), file.integer("/seed"));
  require_same(file, "particles", settings.particles, file.integer("/n_particles"));
  if (eigenvalue) {
    require_same(file, "inactive batches", settings.inactive, file.integer("/n_inactive"));
    require_same(file, "generations_per_batch", settings.generations_per_batch,
                 file.integer("/generations_per_batch"));
  }
  Resumed resumed;
  resumed.batch = static_cast<int>(file.integer("/current_batch"));
  if (resumed.batch < 1 || resumed.batch > 100'000'000) file.fail("current_batch is impossible");
  read_criticality(file, settings, resumed.criticality, resumed.batch);
  find_tally_results(file, simulation, resumed);
  if (eigenvalue) resumed.places.bank = place_of_bank(file, settings.particles);
  return resumed;
}

template <typename T>
void broadcast_vector(Ranks& ranks, std::vector<T>& values) {
  std::int64_t size = static_cast<std::int64_t>(values.size());
  ranks.broadcast(&size, sizeof size);
  values.resize(size);
  ranks.broadcast(values.data(), size * sizeof(T));
}

void broadcast_criticality(Ranks& ranks, Criticality& c) {
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

void broadcast_places(Ranks& ranks, PartPlaces& places) {
  broadcast_vector(ranks, places.results);
  ranks.broadcast(&places.bank, sizeof places.bank);
}

Bytes pack(const TallyStatistics& statistics, const std::vector<Site>& source) {
  Bytes bytes;
  append(bytes, statistics.sum.data(), statistics.sum.size());
  append(bytes, statistics.sum_sq.data(), statistics.sum_sq.size());
  append(bytes, source.data(), source.size());
  return bytes;
}

/// What is left behind the statistics is the source.
StatepointPart unpack(const Simulation& simulation, int rank, const Bytes& bytes) {
  StatepointPart part;
  part.rank = rank;
  part.statistics.resize(simulation.shares().owned_count(rank));
  Reader reader(bytes);
  reader.read(part.statistics.sum.data(), part.statistics.sum.size());
  reader.read(part.statistics.sum_sq.data(), part.statistics.sum_sq.size());
  part.source.resize(reader.size() / sizeof(Site));
  reader.read(part.source.data(), part.source.size());
  return part;
}

/// The other ranks' parts come to the root one after the other, which writes them.
void write_through_root(Simulation& simulation, const PlainFile& file, const PartPlaces& places) {
  Ranks& ranks = simulation.ranks();
  write_part(file, places, simulation, 0, simulation.statistics(), simulation.source());
  for (int rank = 1; rank < ranks.size(); ++rank) {
    const StatepointPart part = unpack(simulation, rank, receive_from(ranks, rank));
    write_part(file, places, simulation, rank, part.statistics, part.source);
  }
  file.sync();
}

void write_arrays(Simulation& simulation, const std::string& path, const PartPlaces& places,
                  StatepointWay way) {
  Ranks& ranks = simulation.ranks();
  if (way == StatepointWay::parallel) {
    const PlainFile file(path, PlainFile::Mode::write);
    write_part(file, places, simulation, ranks.rank(), simulation.statistics(), simulation.source());
    file.sync();
  } else if (ranks.is_root()) {
    write_through_root(simulation, PlainFile(path, PlainFile::Mode::write), places);
  }
}

/// The parts of all ranks, read by the root.
StatepointPart read_through_root(const Simulation& simulation, Ranks& ranks, const std::string& path,
                                 const PartPlaces& places) {
  std::vector<Bytes> parts(ranks.size());
  together(ranks, ranks.is_root(), [&] {
    const PlainFile file(path, PlainFile::Mode::read);
    for (int rank = 0; rank < ranks.size(); ++rank) {
      const StatepointPart part = read_part(file, places, simulation, rank);
      parts[rank] = pack(part.statistics, part.source);
    }
  });
  return unpack(simulation, ranks.rank(), exchange_all(ranks, std::move(parts))[0]);
}

}  // namespace

void write_file_head(Hdf5File& file, const std::string& type, const std::vector<int>& version) {
  file.write_attribute("/", "filetype", type);
  file.write_attribute("/", "version", version);
  file.write_attribute("/", "openmc_version", std::vector<int>{0, 15, 3});  // whose format this is
  file.write_attribute("/", "git_sha1", std::string(40, '0'));
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::tm local;
  localtime_r(&now, &local);
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &local);
  file.write_attribute("/", "date_and_time", std::string(date));
}

std::string statepoint_name(int batch, int batches) {
  const std::string number = std::to_string(batch), last = std::to_string(batches);
  return "statepoint." + std::string(last.size() > number.size() ? last.size() - number.size() : 0, '0') +
         number + ".h5";
}

void write_statepoint(Simulation& simulation, const std::string& path, StatepointWay way) {
  Ranks& ranks = simulation.ranks();
  const std::string temporary = path + ".part";
  try {
    PartPlaces places;
    together(ranks, ranks.is_root(), [&] { places = write_on_root(simulation, temporary); });
    broadcast_places(ranks, places);
    if (way == StatepointWay::through_root && !ranks.is_root())
      send_to(ranks, 0, pack(simulation.statistics(), simulation.source()));
    together(ranks, true, [&] { write_arrays(simulation, temporary, places, way); });
    together(ranks, ranks.is_root(), [&] { replace_file(temporary, path); });
  } catch (...) {
    if (ranks.is_root()) unlink(temporary.c_str());
    throw;
  }
}

void resume_from_statepoint(Simulation& simulation, const std::string& path, StatepointWay way) {
  Ranks& ranks = simulation.ranks();
  Resumed resumed;
  together(ranks, ranks.is_root(), [&] { resumed = read_on_root(simulation, path); });
  ranks.broadcast(&resumed.batch, sizeof resumed.batch);
  ranks.broadcast(&resumed.realizations, sizeof resumed.realizations);
  broadcast_criticality(ranks, resumed.criticality);
  broadcast_places(ranks, resumed.places);
  StatepointPart part;
  if (way == StatepointWay::through_root) {
    part = read_through_root(simulation, ranks, path, resumed.places);
  } else {
    together(ranks, true, [&] {
      const PlainFile file(path, PlainFile::Mode::read);
      part = read_part(file, resumed.places, simulation, ranks.rank());
    });
  }
  part.statistics.realizations = resumed.realizations;
  simulation.resume(resumed.batch, std::move(resumed.criticality), std::move(part.statistics),
                    std::move(part.source));
}

TallyStatistics read_tally(const std::string& path, const TallyLayout& layout, std::size_t tally) {
  const Hdf5File file(path, Hdf5File::Mode::read);
  const std::string place = "/tallies/tally " + std::to_string(layout.tallies[tally].id);
  const std::int64_t bins = layout.compiled[tally].bin_count();
  const PlainFile plain(path, PlainFile::Mode::read);
  TallyStatistics statistics = read_results(plain, place_of_results(file, place + "/results", bins), bins);
  statistics.realizations = static_cast<int>(file.integer(place + "/n_realizations"));
  return statistics;
}

}  // namespace taihu::neutron
