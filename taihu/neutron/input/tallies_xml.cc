// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "taihu/base/error.h"
#include "taihu/neutron/input/readers.h"
#include "taihu/neutron/tally/expansion.h"

namespace taihu::neutron {
namespace {

FilterType filter_type(Element& element) {
  const std::string name = element.text("type");
  for (int i = 0; i <= static_cast<int>(last_filter_type); ++i)
    if (name == name_of(static_cast<FilterType>(i))) return static_cast<FilterType>(i);
  element.fail("filter \"" + name + "\" is not supported");
}

/// With a library of nuclides all scores are possible; with multi-group data only the first ones.
void read_scores(Element& element, const Settings& settings, Tally& tally) {
  for (const std::string& name : element.words("scores")) {
    const std::optional<Score> score = score_named(name);
    element.require(score.has_value(), "score \"" + name + "\" is not supported");
    element.require(settings.continuous || *score <= Score::events,
                    "score \"" + name + "\" needs continuous-energy data");
    element.require(std::find(tally.scores.begin(), tally.scores.end(), *score) == tally.scores.end(),
                    "score \"" + name_of(*score) + "\" is there twice");
    tally.scores.push_back(*score);
  }
  element.require(!tally.scores.empty(), "\"scores\" is empty");
}

void read_nuclides(Element& element, const Ids& ids, Tally& tally) {
  if (!element.has("nuclides")) return;
  tally.nuclides = element.words("nuclides");
  element.require(!tally.nuclides.empty(), "\"nuclides\" is empty");
  for (std::size_t i = 0; i < tally.nuclides.size(); ++i) {
    const std::string& name = tally.nuclides[i];
    element.require(name == total_nuclide || ids.nuclides.contains(name),
                    "there are no data for the nuclide \"" + name + "\"");
    element.require(std::find(tally.nuclides.begin(), tally.nuclides.begin() + static_cast<std::ptrdiff_t>(i),
                              name) == tally.nuclides.begin() + static_cast<std::ptrdiff_t>(i),
                    "nuclide \"" + name + "\" is there twice");
  }
  const bool named = tally.nuclides.size() > 1 || tally.nuclides[0] != total_nuclide;
  for (const Score score : {Score::flux, Score::current})
    element.require(
        !named || std::find(tally.scores.begin(), tally.scores.end(), score) == tally.scores.end(),
        "score \"" + name_of(score) + "\" does not belong to a nuclide; put it into a separate tally");
}

int count_instances(const Element& element, const Geometry& geometry, UniverseId universe) {
  try {
    return InstanceTable(geometry, universe).count();
  } catch (const Error& error) {
    element.fail(error.what());
  }
}

/// Pairs of a cell and the number of its instance.
void read_cell_instances(Element& element, const Geometry& geometry, const Ids& ids, Filter& filter) {
  const std::vector<int> numbers = element.integers("bins");
  element.require(!numbers.empty() && numbers.size() % 2 == 0,
                  "\"bins\" has pairs of a cell and an instance");
  std::map<UniverseId, int> counts;  // of instances
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    const auto cell = ids.cells.find(numbers[i]);
    element.require(cell != ids.cells.end(), "there is no cell " + std::to_string(numbers[i]));
    const UniverseId universe = geometry.cells[cell->second].universe;
    if (!counts.contains(universe)) counts[universe] = count_instances(element, geometry, universe);
    const int count = counts[universe];
    const std::string name = "cell " + std::to_string(numbers[i]);
    element.require(
        numbers[i + 1] >= 0 && numbers[i + 1] < count,
        name + " has no instance " + std::to_string(numbers[i + 1]) + ", but " + std::to_string(count));
    for (std::size_t j = 0; j < filter.bins.size(); ++j)
      element.require(filter.bins[j] != cell->second || filter.instances[j] != numbers[i + 1],
                      "instance " + std::to_string(numbers[i + 1]) + " of " + name + " is there twice");
    filter.bins.push_back(cell->second);
    filter.bin_ids.push_back(numbers[i]);
    filter.instances.push_back(numbers[i + 1]);
  }
  filter.bin_count = static_cast<int>(filter.bins.size());
}

const std::map<int, int>& ids_of(FilterType type, const Ids& ids) {
  switch (type) {
    case FilterType::cell:
    case FilterType::distribcell:
    case FilterType::cellfrom:
    case FilterType::cellborn:
      return ids.cells;
    case FilterType::material:
    case FilterType::materialfrom:
      return ids.materials;
    case FilterType::universe:
      return ids.universes;
    case FilterType::surface:
      return ids.surfaces;
    default:
      return ids.meshes;
  }
}

/// Edges of bins. For angles one number stands for that many equal bins in the whole range.
void read_edges(Element& element, Filter& filter) {
  filter.energies = element.numbers("bins");
  constexpr double pi = std::numbers::pi;
  std::array<double, 2> range{0, 0};
  if (filter.type == FilterType::mu || filter.type == FilterType::musurface) range = {-1, 1};
  if (filter.type == FilterType::polar) range = {0, pi};
  if (filter.type == FilterType::azimuthal) range = {-pi, pi};
  if (range[1] > 0 && filter.energies.size() == 1) {
    const double bins = filter.energies[0];
    element.require(bins >= 2 && bins <= 1e6 && bins == std::floor(bins),
                    "\"bins\" is a number of bins from 2 on");
    filter.energies.assign(static_cast<std::size_t>(bins) + 1, range[1]);
    const double width = (range[1] - range[0]) / bins;
    for (std::size_t i = 0; i + 1 < filter.energies.size(); ++i)
      filter.energies[i] = range[0] + static_cast<double>(i) * width;
  }
  element.require(
      filter.energies.size() >= 2 && std::adjacent_find(filter.energies.begin(), filter.energies.end(),
                                                        std::greater_equal<>()) == filter.energies.end(),
      range[1] > 0 || filter.type == FilterType::time ? "\"bins\" has at least two edges that rise"
                                                      : "\"bins\" has at least two energies that rise");
  element.require(range[1] > 0 || filter.energies.front() >= 0, filter.type == FilterType::time
                                                                    ? "\"bins\" has a negative time"
                                                                    : "\"bins\" has a negative energy");
  filter.bin_count = static_cast<int>(filter.energies.size()) - 1;
}

void read_energy_function(Element& element, const Settings& settings, Filter& filter) {
  element.require(settings.continuous, "an energyfunction filter needs continuous-energy data");
  filter.energies = element.numbers("energy");
  filter.factors = element.numbers("y");
  element.require(filter.energies.size() >= 2 && filter.energies.size() == filter.factors.size() &&
                      std::adjacent_find(filter.energies.begin(), filter.energies.end(),
                                         std::greater_equal<>()) == filter.energies.end(),
                  "\"energy\" and \"y\" have as many numbers, at least two; energies rise");
  const std::string name = element.text("interpolation", "linear-linear");
  const std::array names{"histogram", "linear-linear", "linear-log", "log-linear", "log-log"};
  filter.degree = name == "quadratic" ? 2 : name == "cubic" ? 3 : 1;
  const auto found = std::find(names.begin(), names.end(), name);
  element.require(found != names.end() || filter.degree > 1, "interpolation \"" + name + "\" is not known");
  element.require(static_cast<int>(filter.energies.size()) > filter.degree,
                  "interpolation \"" + name + "\" needs " + std::to_string(filter.degree + 1) + " energies");
  if (filter.degree == 1) filter.interpolation = static_cast<Interpolation>(found - names.begin() + 1);
  element.require(filter.energies.front() >= 0, "\"energy\" has a negative energy");
  filter.bin_count = 1;
}

/// Filters all of whose bins get a share of each event.
void read_expansion(Element& element, Filter& filter) {
  filter.order = element.integer("order");
  const bool zernike = filter.type == FilterType::zernike, radial = filter.type == FilterType::zernikeradial;
  const int most = zernike || radial                               ? most_zernike_order
                   : filter.type == FilterType::sphericalharmonics ? most_harmonic_order
                                                                   : 999;
  element.require(filter.order >= 0 && filter.order <= most,
                  "\"order\" is from 0 to " + std::to_string(most));
  filter.bin_count = filter.order + 1;
  if (filter.type == FilterType::sphericalharmonics) {
    filter.bin_count = (filter.order + 1) * (filter.order + 1);
    const std::string cosine = element.text("cosine", "particle");
    element.require(cosine == "particle" || cosine == "scatter", "\"cosine\" is particle or scatter");
    filter.of_scattering = cosine == "scatter";
  } else if (filter.type == FilterType::spatiallegendre) {
    const std::string axis = element.text("axis");
    element.require(axis == "x" || axis == "y" || axis == "z", "\"axis\" is x, y or z");
    filter.axis = axis[0] - 'x';
    filter.low = element.number("min"), filter.high = element.number("max");
    element.require(filter.high > filter.low, "\"max\" has to be above \"min\"");
  } else if (zernike || radial) {
    filter.bin_count = radial ? filter.order / 2 + 1 : (filter.order + 1) * (filter.order + 2) / 2;
    filter.centre = {element.number("x"), element.number("y"), 0};
    filter.radius = element.number("r");
    element.require(filter.radius > 0, "\"r\" has to be positive");
  }
}

void read_collision_numbers(Element& element, Filter& filter) {
  filter.bin_ids = element.integers("bins");
  element.require(!filter.bin_ids.empty(), "\"bins\" is empty");
  for (const int number : filter.bin_ids) {
    element.require(number >= 0, "numbers of collisions are from 0 on");
    element.require(std::count(filter.bin_ids.begin(), filter.bin_ids.end(), number) == 1,
                    std::to_string(number) + " is in \"bins\" twice");
  }
  filter.bin_count = static_cast<int>(filter.bin_ids.size());
}

/// The place of a mesh: the point that is scored is shifted back, then turned.
void read_placement(Element& element, Filter& filter) {
  if (element.has("translation")) {
    const std::vector<double> t = element.numbers("translation");
    element.require(t.size() == 3, "\"translation\" has three numbers");
    filter.translation = {t[0], t[1], t[2]};
    filter.moved = true;
  }
  if (!element.has("rotation")) return;
  element.require(filter.type == FilterType::mesh, "a rotation is for filters of the type mesh");
  filter.rotation = read_rotation(element, element.numbers("rotation"));
  filter.moved = filter.turned = true;
}

/// Things with ids.
void read_ids(Element& element, const Model& model, const Ids& ids, Filter& filter) {
  filter.bin_ids = element.integers("bins");
  element.require(!filter.bin_ids.empty(), "\"bins\" is empty");
  const std::map<int, int>& known = ids_of(filter.type, ids);
  const std::string what = &known == &ids.cells       ? "cell"
                           : &known == &ids.materials ? "material"
                           : &known == &ids.meshes    ? "mesh"
                                                      : name_of(filter.type);
  for (const int id : filter.bin_ids) {
    const auto found = known.find(id);
    element.require(found != known.end(), "there is no " + what + " " + std::to_string(id));
    element.require(std::find(filter.bins.begin(), filter.bins.end(), found->second) == filter.bins.end(),
                    std::to_string(id) + " is in \"bins\" twice");
    filter.bins.push_back(found->second);
  }
  filter.bin_count = static_cast<int>(filter.bins.size());
  if (&known == &ids.meshes) {
    element.require(filter.bins.size() == 1,
                    std::string("a ") + name_of(filter.type) + " filter has one mesh");
    const Mesh& mesh = model.meshes[filter.bins[0]];
    const int faces = filter.type == FilterType::meshsurface ? 4 * mesh.dimensions : 1;
    element.require(mesh.size() <= 1'000'000'000 / faces, "more than 10^9 bins");
    filter.bin_count = faces * mesh.size();
    read_placement(element, filter);
  }
  if (filter.type == FilterType::distribcell) {
    element.require(filter.bins.size() == 1, "a distribcell filter has one cell");
    filter.bin_count =
        count_instances(element, model.geometry, model.geometry.cells[filter.bins[0]].universe);
    element.require(filter.bin_count > 0,
                    "cell " + std::to_string(filter.bin_ids[0]) +
                        " is in outer universes of lattices only, where it has no instances");
  }
}

void read_delayed_groups(Element& element, const Settings& settings, Filter& filter) {
  element.require(settings.continuous, "a delayedgroup filter needs continuous-energy data");
  filter.bin_ids = element.integers("bins");
  element.require(!filter.bin_ids.empty(), "\"bins\" is empty");
  for (const int group : filter.bin_ids) {
    element.require(group >= 1 && group <= 8, "delayed groups are numbered from 1 to 8");
    element.require(std::count(filter.bin_ids.begin(), filter.bin_ids.end(), group) == 1,
                    std::to_string(group) + " is in \"bins\" twice");
  }
  filter.bin_count = static_cast<int>(filter.bin_ids.size());
}

void read_bins(Element& element, const Model& model, const Ids& ids, Filter& filter) {
  switch (filter.type) {
    case FilterType::energy:
    case FilterType::energyout:
    case FilterType::mu:
    case FilterType::polar:
    case FilterType::azimuthal:
    case FilterType::musurface:
    case FilterType::time:
      return read_edges(element, filter);
    case FilterType::collision:
      return read_collision_numbers(element, filter);
    case FilterType::energyfunction:
      return read_energy_function(element, model.settings, filter);
    case FilterType::delayedgroup:
      return read_delayed_groups(element, model.settings, filter);
    case FilterType::cellinstance:
      return read_cell_instances(element, model.geometry, ids, filter);
    case FilterType::legendre:
    case FilterType::sphericalharmonics:
    case FilterType::spatiallegendre:
    case FilterType::zernike:
    case FilterType::zernikeradial:
      return read_expansion(element, filter);
    case FilterType::particle:
      filter.particles = element.words("bins");
      filter.bin_count = 1;
      return element.require(filter.particles == std::vector<std::string>{"neutron"},
                             "\"neutron\" is the only particle that is followed");
    default:
      return read_ids(element, model, ids, filter);
  }
}

void read_filter(Element element, Model& model, Ids& ids) {
  Filter filter;
  filter.id = element.id();
  filter.place = element.place();
  filter.type = filter_type(element);
  read_bins(element, model, ids, filter);
  element.finish();
  element.require(ids.filters.emplace(filter.id, static_cast<int>(model.filters.size())).second,
                  "filter " + std::to_string(filter.id) + " is there twice");
  model.filters.push_back(std::move(filter));
}

Tally read_tally(Element element, const Settings& settings, const Ids& ids) {
  Tally tally;
  tally.id = element.id();
  tally.place = element.place();
  tally.name = element.text("name", "");
  if (element.has("filters"))
    for (const int id : element.integers("filters")) {
      const auto found = ids.filters.find(id);
      element.require(found != ids.filters.end(), "there is no filter " + std::to_string(id));
      element.require(
          std::find(tally.filters.begin(), tally.filters.end(), found->second) == tally.filters.end(),
          "filter " + std::to_string(id) + " is there twice");
      tally.filters.push_back(found->second);
    }
  read_scores(element, settings, tally);
  read_nuclides(element, ids, tally);
  const std::string estimator = element.text("estimator", "automatic");
  if (estimator == "tracklength")
    tally.estimator = Estimator::tracklength;
  else if (estimator == "collision")
    tally.estimator = Estimator::collision;
  else if (estimator == "analog")
    tally.estimator = Estimator::analog;
  else
    element.require(estimator == "automatic", "estimator \"" + estimator + "\" is not known");
  for (Element trigger : element.children("trigger")) {
    tally.triggers.push_back(read_trigger(trigger));
    tally.triggers.back().ignore_zeros = trigger.boolean("ignore_zeros", false);
    if (trigger.has("scores"))
      for (const std::string& name : trigger.words("scores")) {
        if (name == "all") continue;
        const std::optional<Score> score = score_named(name);
        const auto found =
            score ? std::find(tally.scores.begin(), tally.scores.end(), *score) : tally.scores.end();
        trigger.require(found != tally.scores.end(), "the tally has no score \"" + name + "\"");
        tally.triggers.back().scores.push_back(static_cast<int>(found - tally.scores.begin()));
      }
    trigger.finish();
  }
  tally.multiply_density = element.boolean("multiply_density", true);
  element.require(tally.multiply_density || settings.continuous,
                  "multiply_density false needs continuous-energy data");
  element.finish();
  return tally;
}

}  // namespace

void read_tallies(Element root, Model& model, Ids& ids) {
  for (const Element& element : root.children("mesh")) {
    const Mesh mesh = read_mesh(element);
    element.require(ids.meshes.emplace(mesh.id, static_cast<int>(model.meshes.size())).second,
                    "mesh " + std::to_string(mesh.id) + " is there twice");
    model.meshes.push_back(mesh);
  }
  root.ignore("assume_separate");  // changes how OpenMC finds bins, not what they have
  for (const Element& element : root.children("filter")) read_filter(element, model, ids);
  for (const Element& element : root.children("tally")) {
    Tally tally = read_tally(element, model.settings, ids);
    for (const Tally& other : model.tallies)
      element.require(other.id != tally.id, "tally " + std::to_string(tally.id) + " is there twice");
    model.tallies.push_back(std::move(tally));
  }
  root.finish();
}

}  // namespace taihu::neutron
