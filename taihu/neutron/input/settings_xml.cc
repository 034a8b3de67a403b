// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <numbers>

#include "taihu/base/error.h"
#include "taihu/neutron/file/mcpl_file.h"
#include "taihu/neutron/input/readers.h"

namespace taihu::neutron {
namespace {

Distribution read_distribution(Element element);

/// The sum of its probabilities, where it need not be 1.
double integral(const Distribution& d) {
  if (d.type == Distribution::Type::mixture || d.type == Distribution::Type::discrete) {
    double sum = 0;
    for (const double p : d.p) sum += p;
    return sum;
  }
  if (d.type != Distribution::Type::tabular) return 1;
  double sum = 0;
  for (std::size_t i = 0; i + 1 < d.x.size(); ++i)
    sum += (d.x[i + 1] - d.x[i]) * (d.histogram ? d.p[i] : 0.5 * (d.p[i] + d.p[i + 1]));
  return sum;
}

Distribution read_mixture(Element& element) {
  Distribution d;
  d.type = Distribution::Type::mixture;
  double sum = 0;
  for (Element pair : element.children("pair")) {
    std::optional<Element> part = pair.child("dist");
    pair.require(part.has_value(), "<dist> is missing");
    d.parts.push_back(read_distribution(*part));
    const double probability = pair.number("probability");
    pair.require(probability >= 0, "the probability must not be negative");
    d.p.push_back(probability * integral(d.parts.back()));
    sum += d.p.back();
    pair.finish();
  }
  element.require(sum > 0, "a mixture needs a <pair> with a positive probability");
  element.finish();
  return d;
}

Distribution read_distribution(Element element) {
  Distribution d;
  const std::string type = element.text("type");
  if (type == "mixture") return read_mixture(element);
  std::vector<double> values;
  if (element.has("parameters")) values = element.numbers("parameters");
  if (type == "discrete" || type == "tabular") {
    element.require(!values.empty() && values.size() % 2 == 0,
                    "\"parameters\" has as many values as probabilities");
    d.x.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    d.p.assign(values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    double sum = 0;
    for (const double p : d.p) {
      element.require(p >= 0, "probabilities must not be negative");
      sum += p;
    }
    element.require(sum > 0 && std::isfinite(sum), "probabilities are all zero or have no sum");
    if (type == "tabular") {
      d.type = Distribution::Type::tabular;
      const std::string interpolation = element.text("interpolation", "histogram");
      element.require(interpolation == "histogram" || interpolation == "linear-linear",
                      "interpolation \"" + interpolation + "\" is not supported");
      d.histogram = interpolation == "histogram";
      element.require(d.x.size() >= 2 && std::is_sorted(d.x.begin(), d.x.end()),
                      "a table needs two points that rise");
      element.require(integral(d) > 0 && std::isfinite(integral(d)),
                      "the densities of the table are zero wherever they count");
    }
  } else if (type == "uniform" || type == "powerlaw" || type == "watt" || type == "maxwell" ||
             type == "normal") {
    const std::map<std::string, std::size_t> counts{
        {"uniform", 2}, {"powerlaw", 3}, {"watt", 2}, {"maxwell", 1}, {"normal", 2}};
    element.require(values.size() == counts.at(type),
                    type + " needs " + std::to_string(counts.at(type)) + " parameters");
    d.type = type == "uniform"    ? Distribution::Type::uniform
             : type == "powerlaw" ? Distribution::Type::powerlaw
             : type == "watt"     ? Distribution::Type::watt
             : type == "normal"   ? Distribution::Type::normal
                                  : Distribution::Type::maxwell;
    d.a = values[0];
    if (values.size() > 1) d.b = values[1];
    if (values.size() > 2) d.exponent = values[2];
    element.require(
        type != "powerlaw" || (d.a >= 0 && d.b > d.a && d.exponent != -1 && (d.a > 0 || d.exponent > -1)),
        "impossible powerlaw");
    element.require(type != "uniform" || d.a <= d.b, "the lower end is above the upper one");
    element.require(type != "watt" || d.b >= 0, "\"b\" must not be negative");
    element.require(type != "normal" || d.b > 0, "the deviation has to be positive");
    element.require((type != "watt" && type != "maxwell") || d.a > 0, "the temperature has to be positive");
  } else {
    element.fail("distribution \"" + type + "\" is not supported");
  }
  element.finish();
  return d;
}

Distribution required_distribution(Element& owner, const std::string& name) {
  std::optional<Element> element = owner.child(name);
  owner.require(element.has_value(), "<" + name + "> is missing");
  return read_distribution(*element);
}

Vector read_vector(Element& element, const std::string& key) {
  const std::vector<double> v = element.numbers(key);
  element.require(v.size() == 3, "\"" + key + "\" has three numbers");
  return {v[0], v[1], v[2]};
}

/// Where the numbers of a distribution lie.
struct Range {
  double least, most;
};

Range range_of(const Distribution& d) {
  switch (d.type) {
    case Distribution::Type::discrete:
    case Distribution::Type::tabular: {
      const auto [least, most] = std::minmax_element(d.x.begin(), d.x.end());
      return {*least, *most};
    }
    case Distribution::Type::uniform:
    case Distribution::Type::powerlaw:
      return {d.a, d.b};
    case Distribution::Type::normal:
      return {d.a, d.a};  // the rest may be anywhere
    case Distribution::Type::maxwell:
    case Distribution::Type::watt:
      return {0, infinity};
    case Distribution::Type::mixture:
      break;
  }
  Range range{infinity, -infinity};
  for (const Distribution& part : d.parts) {
    range.least = std::min(range.least, range_of(part).least);
    range.most = std::max(range.most, range_of(part).most);
  }
  return range;
}

/// Reads a distribution whose values have to lie in a range, except for rounding errors.
Distribution required_between(Element& owner, const std::string& name, double least, double most) {
  const Distribution d = required_distribution(owner, name);
  const Range range = range_of(d);
  owner.require(range.least >= least - 1e-12 && range.most <= most + 1e-12,
                "<" + name + "> has values " + (most == infinity ? "below 0" : "outside of -1 to 1"));
  return d;
}

void read_space(Element element, Source& source) {
  const std::string type = element.text("type");
  if (type == "point") {
    source.space = Source::Space::point;
    source.lower = read_vector(element, "parameters");
  } else if (type == "box" || type == "fission") {
    const std::vector<double> v = element.numbers("parameters");
    element.require(v.size() == 6, "\"parameters\" has six numbers");
    source.space = Source::Space::box;
    source.lower = {v[0], v[1], v[2]};
    source.upper = {v[3], v[4], v[5]};
    element.require(v[0] <= v[3] && v[1] <= v[4] && v[2] <= v[5],
                    "the lower corner of the box is above the upper one");
    source.only_fissionable = type == "fission";
  } else if (type == "cartesian") {
    source.space = Source::Space::cartesian;
    const char* names[] = {"x", "y", "z"};
    for (int i = 0; i < 3; ++i) source.axes[i] = required_distribution(element, names[i]);
  } else if (type == "cylindrical") {
    source.space = Source::Space::cylindrical;
    if (element.has("origin")) source.lower = read_vector(element, "origin");
    source.axes[0] = required_between(element, "r", 0, infinity);
    source.axes[1] = required_distribution(element, "phi");
    source.axes[2] = required_distribution(element, "z");
  } else if (type == "spherical") {
    source.space = Source::Space::spherical;
    if (element.has("origin")) source.lower = read_vector(element, "origin");
    source.axes[0] = required_between(element, "r", 0, infinity);
    source.axes[1] = required_between(element, "cos_theta", -1, 1);
    source.axes[2] = required_distribution(element, "phi");
  } else {
    element.fail("space \"" + type + "\" is not supported");
  }
  element.finish();
}

void read_polar_azimuthal(Element& element, Source& source) {
  source.angle = Source::Angle::polar_azimuthal;
  if (element.has("reference_uvw")) source.direction = read_vector(element, "reference_uvw");
  if (element.has("reference_vwu")) source.across = read_vector(element, "reference_vwu");
  element.require(length(source.direction) > 0 && length(source.across) > 0, "a reference direction is zero");
  source.direction = unit(source.direction);
  source.across = unit(source.across);
  element.require(std::fabs(dot(source.direction, source.across)) < 1e-6,
                  "\"reference_uvw\" and \"reference_vwu\" are not at right angles");
  source.mu.type = source.phi.type = Distribution::Type::uniform;
  source.mu.a = -1, source.mu.b = 1;
  source.phi.a = 0, source.phi.b = 2 * std::numbers::pi;
  if (element.has("mu")) source.mu = required_between(element, "mu", -1, 1);
  if (std::optional<Element> phi = element.child("phi")) source.phi = read_distribution(*phi);
}

void read_angle(Element element, Source& source) {
  const std::string type = element.text("type", "isotropic");
  if (type == "monodirectional") {
    source.angle = Source::Angle::monodirectional;
    if (element.has("reference_uvw")) source.direction = read_vector(element, "reference_uvw");
    element.require(length(source.direction) > 0, "\"reference_uvw\" is zero");
    source.direction = unit(source.direction);
  } else if (type == "mu-phi") {
    read_polar_azimuthal(element, source);
  } else {
    element.require(type == "isotropic", "angle \"" + type + "\" is not supported");
  }
  element.finish();
}

/// OpenMC's source where the model has none: a point at the origin, isotropic, the spectrum of fission
/// ("<source> Element" in its "Settings Specification"; parameters as in its src/settings.cpp).
Source default_source() {
  Source source;
  source.energy.type = Distribution::Type::watt;
  source.energy.a = 0.988e6;
  source.energy.b = 2.249e-6;
  return source;
}

int index_of(const Element& element, const std::map<int, int>& known, const std::string& what, int id) {
  const auto found = known.find(id);
  element.require(found != known.end(), "there is no " + what + " " + std::to_string(id));
  return found->second;
}

void read_bounds(Element& element, const std::string& key, std::array<double, 2>& bounds) {
  if (!element.has(key)) return;
  const std::vector<double> values = element.numbers(key);
  element.require(values.size() == 2 && values[0] < values[1], "\"" + key + "\" has two numbers that rise");
  bounds = {values[0], values[1]};
}

/// Which of the sampled neutrons begin.
void read_constraints(Element& element, const Ids& ids, Source& source) {
  if (element.has("domain_type")) {
    const std::string type = element.text("domain_type");
    const bool cell = type == "cell", material = type == "material";
    element.require(cell || material || type == "universe",
                    "\"domain_type\" is cell, material or universe, not \"" + type + "\"");
    source.domain = cell       ? Source::Domain::cell
                    : material ? Source::Domain::material
                               : Source::Domain::universe;
    for (const int id : element.integers("domain_ids"))
      source.domains.push_back(index_of(element,
                                        cell       ? ids.cells
                                        : material ? ids.materials
                                                   : ids.universes,
                                        type, id));
    element.require(!source.domains.empty(), "\"domain_ids\" is empty");
  }
  read_bounds(element, "energy_bounds", source.energy_bounds);
  read_bounds(element, "time_bounds", source.time_bounds);
  source.only_fissionable = element.boolean("fissionable", source.only_fissionable);
  const std::string strategy = element.text("rejection_strategy", "resample");
  element.require(strategy == "resample" || strategy == "kill",
                  "\"rejection_strategy\" is resample or kill, not \"" + strategy + "\"");
  source.kill_rejected = strategy == "kill";
}

/// The neutrons of a file of the folder.
std::shared_ptr<const std::vector<Site>> read_sites(const Element& element, const std::string& folder,
                                                    const std::string& name) {
  const std::filesystem::path path(name);
  element.require(path.extension() != ".gz", "compressed files are not supported; unpack it with gunzip");
  auto sites = std::make_shared<std::vector<Site>>();
  try {
    const std::string file = (path.is_relative() ? folder / path : path).string();
    for (const BankRecord& record :
         path.extension() == ".mcpl" ? read_mcpl_file(file) : read_source_file(file))
      sites->push_back({.r = {record.r[0], record.r[1], record.r[2]},
                        .u = {record.u[0], record.u[1], record.u[2]},
                        .weight = record.weight,
                        .energy = record.energy,
                        .time = record.time});
  } catch (const Error& error) {
    element.fail(error.what());
  }
  // Many were recorded on a surface, which they have to be behind.
  for (Site& site : *sites) site.r += crossing_step_cm * site.u;
  return sites;
}

Source read_source(Element element, const Model& model, const Ids& ids) {
  Source source = default_source();
  source.place = element.place();
  source.strength = element.number("strength", 1);
  element.require(source.strength >= 0, "\"strength\" must not be negative");
  const std::string type = element.text("type", element.has("file") ? "file" : "independent");
  element.require(type == "independent" || type == "file",
                  "source type \"" + type + "\" is not supported, but independent and file");
  element.require(element.text("particle", "neutron") == "neutron", "only neutrons are supported");
  if (type == "file") {
    source.sites = read_sites(element, model.folder, element.text("file"));
    for (const char* key : {"space", "angle", "energy", "time"})
      element.require(!element.has(key), "<" + std::string(key) + "> does not go with \"file\"");
  }
  if (std::optional<Element> space = element.child("space")) read_space(*space, source);
  if (std::optional<Element> time = element.child("time")) source.time = read_distribution(*time);
  if (std::optional<Element> angle = element.child("angle")) read_angle(*angle, source);
  if (element.has("energy")) source.energy = required_between(element, "energy", 0, infinity);
  element.require(range_of(source.energy).most > 0, "<energy> has no energy above 0");
  if (std::optional<Element> constraints = element.child("constraints")) {
    read_constraints(*constraints, ids, source);
    constraints->finish();
  } else {
    read_constraints(element, ids, source);  // as OpenMC allows it
  }
  element.finish();
  return source;
}

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

void refuse_mcpl(Element& element) {
  element.require(!element.boolean("mcpl", false), "files in MCPL format are read, not written; write HDF5");
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
  refuse_mcpl(element);
  element.finish();
}

void read_entropy_mesh(Element& root, Settings& settings, std::map<int, Mesh>& meshes) {
  std::vector<Element> elements = root.children("mesh");
  for (const Element& element : elements) {
    const Mesh mesh = read_mesh(element);
    element.require(meshes.emplace(mesh.id, mesh).second,
                    "mesh " + std::to_string(mesh.id) + " is there twice");
  }
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
  refuse_mcpl(element);
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
  refuse_mcpl(element);
  element.finish();
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
  settings.energy_cutoff = element.number("energy_neutron", 0);
  settings.time_cutoff = element.number("time_neutron", infinity);
  for (const char* particle : {"photon", "electron", "positron"})  // which are not followed
    for (const char* what : {"energy_", "time_"}) element.ignore(std::string(what) + particle);
  element.require(settings.energy_cutoff >= 0 && settings.time_cutoff >= 0, "cutoffs must not be negative");
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
    wanted.least = resonances->number("energy_min", wanted.least);
    wanted.most = resonances->number("energy_max", wanted.most);
    resonances->require(wanted.least >= 0 && wanted.most > wanted.least,
                        "\"energy_max\" has to be above \"energy_min\", which must not be negative");
    if (resonances->has("nuclides")) wanted.nuclides = resonances->words("nuclides");
    resonances->finish();
  }
}

}  // namespace

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
  for (const Element& element : root.children("source"))
    settings.sources.push_back(read_source(element, model, ids));
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
  std::map<int, Mesh> meshes;
  read_entropy_mesh(root, settings, meshes);
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
