// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "taihu/neutron/input/readers.h"

namespace taihu::neutron {
namespace {

void read_output(Element element, Settings& settings) {
  settings.write_summary = element.boolean("summary", true);
  settings.write_tallies = element.boolean("tallies", true);
  settings.output_path = element.text("path", "");
  element.finish();
}

void read_state_point(Element element, Settings& settings) {
  if (element.has("batches")) settings.statepoint_batches = element.integers("batches");
  for (const int batch : settings.statepoint_batches)
    element.require(batch > 0, "\"batches\" are numbered from 1");
  element.finish();
}

void read_source_point(Element element, Settings& settings) {
  settings.write_source = element.boolean("write", true);
  settings.write_latest_source = element.boolean("overwrite_latest", false);
  const bool separate = element.boolean("separate", false) && settings.write_source;
  std::vector<int> batches = settings.statepoint_batches;
  if (element.has("batches")) batches = element.integers("batches");
  if (separate) settings.source_batches = batches.empty() ? std::vector<int>{settings.batches} : batches;
  // Otherwise the source is in every statepoint.
  if (!separate && !settings.write_latest_source)
    for (const int batch : batches)
      element.require(batch == settings.batches ||
                          std::find(settings.statepoint_batches.begin(), settings.statepoint_batches.end(),
                                    batch) != settings.statepoint_batches.end(),
                      "batch " + std::to_string(batch) + " has no statepoint to write the source into");
  settings.mcpl_source = element.boolean("mcpl", false);
  element.finish();
}

std::map<int, Mesh> read_meshes(Element& root) {
  std::map<int, Mesh> meshes;
  for (const Element& element : root.children("mesh")) {
    const Mesh mesh = read_mesh(element);
    element.require(meshes.emplace(mesh.id, mesh).second,
                    "mesh " + std::to_string(mesh.id) + " is there twice");
  }
  return meshes;
}

void read_entropy_mesh(Element& root, Settings& settings, const std::map<int, Mesh>& meshes) {
  const auto read = [&](const char* key, Mesh& mesh) {
    if (!root.has(key)) return false;
    const int id = root.integer(key);
    root.require(meshes.contains(id), "there is no mesh " + std::to_string(id) + " for " + key);
    mesh = meshes.at(id);
    root.require(mesh.type == MeshType::regular, std::string("the mesh for ") + key + " has to be regular");
    return true;
  };
  settings.has_entropy_mesh = read("entropy_mesh", settings.entropy_mesh);
  settings.has_uniform_mesh = read("ufs_mesh", settings.uniform_mesh);
  root.require(!settings.has_uniform_mesh || settings.mode == RunMode::eigenvalue,
               "ufs_mesh is for run mode eigenvalue");
}

void read_surface_banking(Element element, const Geometry& geometry, const Ids& ids,
                          SurfaceBanking& banking) {
  banking.wanted = true;
  banking.surfaces.assign(geometry.surfaces.size(), !element.has("surface_ids"));
  if (element.has("surface_ids"))
    for (const int id : element.integers("surface_ids"))
      banking.surfaces[index_of(element, ids.surfaces, "surface", id)] = true;
  banking.most = element.long_integer("max_particles", 0);
  element.require(banking.most > 0 && banking.most <= 1'000'000'000,
                  "\"max_particles\" is needed, positive and at most 10^9");
  banking.files = element.integer("max_source_files", 1);
  element.require(banking.files > 0, "\"max_source_files\" has to be positive");
  banking.mcpl = element.boolean("mcpl", false);
  for (const auto& [key, side] : {std::pair{"cell", SurfaceBanking::Side::any},
                                  {"cellfrom", SurfaceBanking::Side::from},
                                  {"cellto", SurfaceBanking::Side::to}}) {
    if (!element.has(key)) continue;
    element.require(banking.cell < 0, "\"cell\", \"cellfrom\" and \"cellto\" do not go together");
    banking.cell = index_of(element, ids.cells, "cell", element.integer(key));
    banking.side = side;
  }
  element.finish();
}

void read_collision_tracking(Element element, const Settings& settings, const Ids& ids,
                             CollisionTracking& tracking) {
  element.require(settings.continuous, "collisions are listed with continuous-energy data only");
  tracking.wanted = true;
  const auto read_ids = [&](const char* key, const std::map<int, int>& known, const char* what,
                            std::set<int>& indices) {
    if (!element.has(key)) return;
    for (const int id : element.integers(key)) indices.insert(index_of(element, known, what, id));
  };
  read_ids("cell_ids", ids.cells, "cell", tracking.cells);
  read_ids("universe_ids", ids.universes, "universe", tracking.universes);
  read_ids("material_ids", ids.materials, "material", tracking.materials);
  if (element.has("reactions"))
    for (const std::string& name : element.words("reactions")) {
      const std::optional<Score> score = name == "fission" ? reaction_score(18) : score_named(name);
      element.require(score && mt_of(*score) > 0, "\"" + name + "\" is not a reaction");
      tracking.reactions.insert(mt_of(*score));
    }
  if (element.has("nuclides"))
    for (const std::string& name : element.words("nuclides")) tracking.nuclides.insert(name);
  tracking.least_loss = element.number("deposited_E_threshold", 0);
  tracking.most = element.long_integer("max_collisions", tracking.most);
  tracking.files = element.integer("max_collision_track_files", 1);
  element.require(tracking.most > 0 && tracking.most <= 1'000'000'000 && tracking.files > 0,
                  "\"max_collisions\" is positive and at most 10^9, \"max_collision_track_files\" positive");
  element.require(!element.boolean("mcpl", false), "collisions are not written in MCPL format; write HDF5");
  element.finish();
}

/// Histories whose tracks are written.
void read_tracked(Element& root, Settings& settings) {
  root.ignore("max_tracks");  // of all neutrons, which OpenMC writes with an option of its command line
  if (!root.has("track")) return;
  const std::vector<int> numbers = root.integers("track");
  root.require(numbers.size() % 3 == 0, "\"track\" has three numbers for each: batch, generation, particle");
  const int generations = settings.mode == RunMode::eigenvalue ? settings.generations_per_batch : 1;
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    const TrackedHistory wanted{numbers[i], numbers[i + 1], numbers[i + 2]};
    root.require(wanted.batch > 0 && wanted.generation > 0 && wanted.generation <= generations &&
                     wanted.history > 0 && wanted.history <= settings.particles,
                 "\"track\" names a batch, generation or particle that there is not (they count from 1)");
    settings.tracked.push_back(wanted);
  }
}

/// The precision at which a run may end; also the reader of tallies' triggers.
void read_triggers(Element& root, Settings& settings) {
  if (std::optional<Element> element = root.child("keff_trigger")) {
    settings.k_triggers.push_back(read_trigger(*element));
    element->finish();
  }
  if (std::optional<Element> element = root.child("trigger")) {
    settings.triggers = element->boolean("active", true);
    settings.most_batches = element->integer("max_batches", 0);
    element->require(!settings.triggers ||
                         (settings.most_batches >= settings.batches && settings.most_batches <= 100'000'000),
                     "\"max_batches\" is needed, and not less than \"batches\"");
    settings.trigger_interval = element->integer("batch_interval", 1);
    element->require(settings.trigger_interval > 0, "\"batch_interval\" has to be positive");
    element->finish();
  }
}

void read_cutoffs(Element element, Settings& settings) {
  settings.weight_cutoff = element.number("weight", settings.weight_cutoff);
  settings.weight_after_roulette = element.number("weight_avg", settings.weight_after_roulette);
  settings.energy_cutoff = Energy(element.number("energy_neutron", 0));
  settings.time_cutoff = element.number("time_neutron", infinity);
  for (const char* particle : {"photon", "electron", "positron"})  // which are not followed
    for (const char* what : {"energy_", "time_"}) element.ignore(std::string(what) + particle);
  element.require(settings.energy_cutoff >= Energy{} && settings.time_cutoff >= 0,
                  "cutoffs must not be negative");
  element.require(settings.weight_after_roulette > 0 && settings.weight_cutoff >= 0, "impossible weights");
  element.finish();
}

/// Of the settings, or of the element <eigenvalue> that models had before OpenMC 0.9.
void read_counts(Element& root, Settings& settings) {
  settings.particles = root.long_integer("particles", settings.for_pictures ? 1 : 0);
  root.require(settings.particles > 0 && settings.particles < (std::int64_t{1} << 40),
               "\"particles\" has to be positive and below 2^40");
  settings.batches = root.integer("batches", settings.for_pictures ? 1 : 0);
  root.require(settings.batches > 0 && settings.batches <= 100'000'000,
               "\"batches\" has to be positive and at most 10^8");
  settings.inactive = root.integer("inactive", 0);
  root.require(settings.inactive >= 0 && settings.inactive < settings.batches,
               "\"inactive\" has to be less than \"batches\"");
  settings.generations_per_batch = root.integer("generations_per_batch", 1);
  root.require(settings.generations_per_batch > 0 &&
                   std::int64_t{settings.generations_per_batch} * settings.batches <= 1'000'000'000,
               "\"generations_per_batch\" has to be positive, and at most 10^9 in all batches");
  const std::int64_t seed = root.long_integer("seed", 1);
  root.require(seed > 0, "\"seed\" has to be positive");
  settings.seed = static_cast<std::uint64_t>(seed);
  settings.max_lost_particles = root.integer("max_lost_particles", settings.max_lost_particles);
  settings.max_lost_fraction = root.number("rel_max_lost_particles", settings.max_lost_fraction);
  root.require(settings.max_lost_particles > 0 && settings.max_lost_fraction >= 0,
               "impossible number of lost particles");
  settings.max_events = root.long_integer("max_particle_events", settings.max_events);
  root.require(settings.max_events > 0, "\"max_particle_events\" has to be positive");
}

void read_temperatures(Element& root, Settings& settings) {
  settings.temperature_default = root.number("temperature_default", settings.temperature_default);
  settings.temperature_tolerance = root.number("temperature_tolerance", settings.temperature_tolerance);
  root.require(settings.temperature_default >= 0 && settings.temperature_tolerance >= 0,
               "temperatures must not be negative");
  const std::string method = root.text("temperature_method", "nearest");
  root.require(method == "nearest" || (method == "interpolation" && settings.continuous),
               settings.continuous ? "temperature_method \"" + method + "\" is not supported"
                                   : "only temperature_method nearest is supported with multi-group data");
  settings.interpolate_temperature = method == "interpolation";
  root.ignore("temperature_range");  // which temperatures to load: those that are used
  root.require(!root.boolean("temperature_multipole", false), "resonances by poles are not supported");
  settings.probability_tables = root.boolean("ptables", true);
  if (std::optional<Element> resonances = root.child("resonance_scattering")) {
    Settings::Resonances& wanted = settings.resonances;
    wanted.wanted = resonances->boolean("enable", true);
    resonances->require(!wanted.wanted || settings.continuous,
                        "resonance scattering needs continuous-energy data");
    const std::string by = resonances->text("method", "rvs");  // both sample the same distribution
    resonances->require(by == "rvs" || by == "dbrc", "\"method\" is rvs or dbrc, not \"" + by + "\"");
    wanted.least = Energy(resonances->number("energy_min", wanted.least.eV()));
    wanted.most = Energy(resonances->number("energy_max", wanted.most.eV()));
    resonances->require(wanted.least >= Energy{} && wanted.most > wanted.least,
                        "\"energy_max\" has to be above \"energy_min\", which must not be negative");
    if (resonances->has("nuclides")) wanted.nuclides = resonances->words("nuclides");
    resonances->finish();
  }
}

}  // namespace

int index_of(const Element& element, const std::map<int, int>& known, const std::string& what, int id) {
  const auto found = known.find(id);
  element.require(found != known.end(), "there is no " + what + " " + std::to_string(id));
  return found->second;
}

Trigger read_trigger(Element& element) {
  Trigger trigger;
  const std::string type = element.text("type");
  element.require(type == "variance" || type == "std_dev" || type == "rel_err",
                  "\"type\" is variance, std_dev or rel_err, not \"" + type + "\"");
  trigger.metric = type == "variance"  ? Trigger::Metric::variance
                   : type == "std_dev" ? Trigger::Metric::deviation
                                       : Trigger::Metric::relative;
  trigger.threshold = element.number("threshold");
  element.require(trigger.threshold > 0, "\"threshold\" has to be positive");
  return trigger;
}

void read_settings(Element root, Model& model, Ids& ids) {
  Settings& settings = model.settings;
  const std::string mode = root.text("run_mode", "eigenvalue");
  root.require(mode == "eigenvalue" || mode == "fixed source" || mode == "plot",
               "run_mode \"" + mode + "\" is not supported");
  settings.for_pictures = mode == "plot";
  settings.place = root.place();
  settings.mode = mode == "eigenvalue" ? RunMode::eigenvalue : RunMode::fixed_source;
  root.ignore("energy_mode");  // read before
  if (std::optional<Element> eigenvalue = root.child("eigenvalue")) {
    read_counts(*eigenvalue, settings);
    eigenvalue->finish();
  }
  if (settings.batches == 0) read_counts(root, settings);
  if (settings.mode == RunMode::fixed_source) settings.inactive = 0;
  const std::map<int, Mesh> meshes = read_meshes(root);
  for (const Element& element : root.children("source"))
    settings.sources.push_back(read_source(element, model, ids, meshes));
  if (std::optional<Element> read = root.child("surf_source_read")) {
    Source source = default_source();
    source.place = read->place();
    source.sites = read_sites(*read, model.folder, read->text("path", "surface_source.h5"));
    read->finish();
    settings.sources.push_back(std::move(source));
  }
  if (settings.sources.empty()) {
    settings.sources.push_back(default_source());
    settings.sources[0].place = root.place();
  }
  root.require(std::any_of(settings.sources.begin(), settings.sources.end(),
                           [](const Source& source) { return source.strength > 0; }),
               "all sources have the strength 0");
  read_entropy_mesh(root, settings, meshes);
  read_weight_windows(root, meshes, model);
  settings.survival_biasing = root.boolean("survival_biasing", false);
  settings.create_fission_neutrons = root.boolean("create_fission_neutrons", true);
  root.require(!root.boolean("photon_transport", false), "photon transport is not supported");
  if (std::optional<Element> output = root.child("output")) read_output(*output, settings);
  if (std::optional<Element> state_point = root.child("state_point"))
    read_state_point(*state_point, settings);
  if (std::optional<Element> source_point = root.child("source_point"))
    read_source_point(*source_point, settings);
  if (std::optional<Element> write = root.child("surf_source_write"))
    read_surface_banking(*write, model.geometry, ids, settings.surface_banking);
  if (std::optional<Element> track = root.child("collision_track"))
    read_collision_tracking(*track, settings, ids, settings.collision_tracking);
  read_tracked(root, settings);
  read_triggers(root, settings);
  if (std::optional<Element> cutoff = root.child("cutoff")) read_cutoffs(*cutoff, settings);
  if (std::optional<Element> legendre = root.child("tabular_legendre")) {
    // Angles are always tables here. So `enable` false, which asks for the same distribution without tables,
    // has no effect.
    legendre->boolean("enable", true);
    settings.scattering_points = legendre->integer("num_points", 33);
    legendre->require(settings.scattering_points >= 2 && settings.scattering_points <= 100000,
                      "\"num_points\" has to be from 2 to 100000");
    legendre->finish();
  }
  settings.confidence_intervals = root.boolean("confidence_intervals", false);
  settings.max_order = root.integer("max_order", settings.max_order);
  root.require(settings.max_order >= 0, "\"max_order\" must not be negative");
  // These change how fast or how OpenMC runs, not the result.
  for (const char* key :
       {"verbosity", "event_based", "max_particles_in_flight", "no_reduce", "log_grid_bins",
        "material_cell_offsets", "trace", "plot_seed", "stride", "max_write_lost_particles"})
    root.ignore(key);
  read_temperatures(root, settings);
  root.finish();
}

}  // namespace taihu::neutron
