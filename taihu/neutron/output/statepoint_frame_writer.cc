// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/output/file_head.h"
#include "taihu/neutron/output/statepoint_frame.h"
#include "taihu/neutron/tally/estimate.h"

namespace taihu::neutron {
namespace {

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

void write_edges(Hdf5File& file, const std::string& place, const Mesh& mesh) {
  constexpr std::array<std::array<const char*, 3>, 4> names{{{},
                                                             {"x_grid", "y_grid", "z_grid"},
                                                             {"r_grid", "phi_grid", "z_grid"},
                                                             {"r_grid", "theta_grid", "phi_grid"}}};
  for (int axis = 0; axis < 3; ++axis)
    file.write(place + "/" + names[static_cast<std::size_t>(mesh.type)][axis], mesh.edges[axis]);
  if (mesh.type != MeshType::rectilinear)
    file.write(place + "/origin", {mesh.origin.x, mesh.origin.y, mesh.origin.z});
}

void write_expansion(Hdf5File& file, const std::string& place, const Filter& filter) {
  file.write_integer(place + "/order", filter.order);
  if (filter.type == FilterType::sphericalharmonics)
    file.write_text(place + "/cosine", filter.of_scattering ? "scatter" : "particle");
  if (filter.type == FilterType::spatiallegendre) {
    file.write_text(place + "/axis", std::string(1, static_cast<char>('x' + filter.axis)));
    file.write_number(place + "/min", filter.low);
    file.write_number(place + "/max", filter.high);
  }
  if (filter.type < FilterType::zernike) return;
  file.write_number(place + "/x", filter.centre.x);
  file.write_number(place + "/y", filter.centre.y);
  file.write_number(place + "/r", filter.radius);
}

/// Of a filter with a mesh.
void write_placement(Hdf5File& file, const std::string& place, const Filter& filter) {
  if (!filter.moved) return;
  file.write(place + "/translation", {filter.translation.x, filter.translation.y, filter.translation.z});
  if (filter.turned)
    file.write(place + "/rotation", std::vector<double>(filter.rotation.begin(), filter.rotation.end()),
               {3, 3});
}

void write_meshes(Hdf5File& file, const TallyLayout& layout) {
  file.make_group("/tallies/meshes");
  std::vector<int> ids;
  for (const Mesh& mesh : layout.meshes) ids.push_back(mesh.id);
  file.write_attribute("/tallies/meshes", "n_meshes", static_cast<std::int64_t>(ids.size()));
  if (!ids.empty()) file.write_attribute("/tallies/meshes", "ids", ids);
  for (const Mesh& mesh : layout.meshes) {
    const std::string place = "/tallies/meshes/mesh " + std::to_string(mesh.id);
    file.make_group(place);
    file.write_attribute(place, "id", static_cast<std::int64_t>(mesh.id));
    if (!mesh.name.empty()) file.write_text(place + "/name", mesh.name);
    file.write_text(place + "/type", name_of(mesh.type));
    if (mesh.type != MeshType::regular) {
      write_edges(file, place, mesh);
      continue;
    }
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
  file.write_attribute(place + "/y", "interpolation",
                       filter.degree > 1 ? filter.degree + 5 : static_cast<int>(filter.interpolation));
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
    else if (filter.type == FilterType::legendre || filter.type >= FilterType::sphericalharmonics)
      write_expansion(file, place, filter);
    else if (filter.type == FilterType::particle)
      file.write_texts(place + "/bins", filter.particles);
    else if (!filter.energies.empty())
      file.write(place + "/bins", filter.energies);
    else if (filter.type == FilterType::mesh || filter.type == FilterType::meshsurface ||
             filter.type == FilterType::meshborn || filter.type == FilterType::distribcell)
      file.write_integer(place + "/bins", filter.bin_ids[0]), write_placement(file, place, filter);
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
  file.write_attribute(place, "multiply_density", static_cast<std::int64_t>(tally.multiply_density));
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

}  // namespace

const char* energy_mode(const Model& model) {
  return model.nuclear ? "continuous-energy" : "multi-group";
}

std::vector<std::string> score_texts(const Tally& tally) {
  std::vector<std::string> scores;
  for (const Score score : tally.scores) scores.push_back(name_of(score));
  return scores;
}

PartPlaces write_frame(Simulation& simulation, const std::string& path) {
  PartPlaces places;
  const Model& model = simulation.model();
  unlink(path.c_str());  // a rank of a killed job may still write to the file that has this name now
  Hdf5File file(path, Hdf5File::Mode::create);
  write_file_head(file, "statepoint", {18, 1});
  file.write_attribute("/", "path", std::filesystem::absolute(model.folder).string());
  const bool source = model.settings.write_source && model.settings.mode == RunMode::eigenvalue;
  file.write_attribute("/", "tallies_present", static_cast<std::int64_t>(!simulation.layout().empty()));
  file.write_attribute("/", "source_present", static_cast<std::int64_t>(source));
  file.write_attribute("/", "photon_transport", std::int64_t{0});
  write_run(file, simulation);
  if (const FissionMatrix* matrix = simulation.fission_matrix()) {
    file.make_group("/fission_matrix");
    file.write("/fission_matrix/births", matrix->births());
    file.write("/fission_matrix/made", matrix->made());
  }
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

}  // namespace taihu::neutron
