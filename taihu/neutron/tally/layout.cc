// SPDX-License-Identifier: Apache-2.0
// Turns tallies as the input has them into strides and look-up tables.
#include <algorithm>
#include <map>

#include "taihu/base/error.h"
#include "taihu/neutron/nuclide/sum_rules.h"
#include "taihu/neutron/tally/columns.h"

namespace taihu::neutron {
namespace {

std::string name_of_tally(const Tally& tally) {
  return tally.place + "tally " + std::to_string(tally.id);
}

std::string name_of_filter(const Filter& filter) {
  return filter.place + "filter " + std::to_string(filter.id);
}

std::vector<int> table_of(const std::vector<int>& bins, std::size_t size, int shift) {
  std::vector<int> table(size, -1);
  for (std::size_t i = 0; i < bins.size(); ++i) table[bins[i] + shift] = static_cast<int>(i);
  return table;
}

/// Bin of each group. Every edge of the filter has to be one of the groups, so that a group is in one bin or
/// in none.
std::vector<int> energy_table(const Filter& filter, const CrossSections& data) {
  std::vector<int> table(data.groups(), -1);
  const std::vector<double>& groups = data.group_edges();
  for (std::size_t i = 0; i < filter.energies.size(); ++i) {
    const double edge = filter.energies[i];
    const bool beyond = edge <= groups.front() || edge >= groups.back();
    const bool known = std::any_of(groups.begin(), groups.end(), [&](double group) {
      return std::fabs(group - edge) <= 1e-6 * std::fabs(edge);
    });
    check_input(beyond || known,
                name_of_filter(filter) + ": the energy " + std::to_string(edge) +
                    " eV is not an edge of the library's groups, so a group would belong to two bins");
  }
  for (int g = 0; g < data.groups(); ++g) {
    const auto above =
        std::upper_bound(filter.energies.begin(), filter.energies.end(), data.energy(GroupId(g)).eV());
    if (above != filter.energies.begin() && above != filter.energies.end())
      table[g] = static_cast<int>(above - filter.energies.begin()) - 1;
  }
  return table;
}

/// Marks the universes that a cell is filled with, on all levels below it.
void mark_below(const Geometry& geometry, const Cell& cell, std::vector<bool>& below) {
  const auto mark = [&](UniverseId universe) {
    if (!universe || below[universe.index()]) return;
    below[universe.index()] = true;
    for (const CellId inner : geometry.universe(universe).cells)
      mark_below(geometry, geometry.cell(inner), below);
  };
  if (cell.fill == Fill::universe) mark(cell.filling_universe());
  if (cell.fill != Fill::lattice) return;
  for (const UniverseId universe : geometry.lattice(cell.lattice()).universes) mark(universe);
  mark(geometry.lattice(cell.lattice()).outer);
}

/// A point has to be in at most one bin: none of the cells (or universes) may be inside another one.
void refuse_nested_bins(const Filter& filter, const Geometry& geometry) {
  const bool cells = filter.type != FilterType::universe;
  const std::string name = cells ? "cell" : "universe";
  for (std::size_t outer = 0; outer < filter.bins.size(); ++outer) {
    std::vector<bool> below(geometry.universes.size());
    if (cells)
      mark_below(geometry, geometry.cells[filter.bins[outer]], below);
    else
      for (const CellId cell : geometry.universes[filter.bins[outer]].cells)
        mark_below(geometry, geometry.cell(cell), below);
    for (std::size_t inner = 0; inner < filter.bins.size(); ++inner)
      check_input(!below[cells ? geometry.cells[filter.bins[inner]].universe.index() : filter.bins[inner]],
                  name_of_filter(filter) + ": " + name + " " + std::to_string(filter.bin_ids[inner]) +
                      " is inside " + name + " " + std::to_string(filter.bin_ids[outer]) +
                      "; a point would count twice, make two filters");
  }
}

/// Bins of instances: all of one cell, or those of pairs of a cell and an instance.
void compile_instances(const Filter& filter, const Geometry& geometry, TallyLayout::CompiledFilter& result) {
  result.bin_of.assign(geometry.cells.size(), -1);
  std::map<UniverseId, std::shared_ptr<const InstanceTable>> tables;
  for (std::size_t i = 0; i < filter.bins.size(); ++i) {
    const int cell = filter.bins[i];
    const UniverseId universe = geometry.cells[cell].universe;
    std::shared_ptr<const InstanceTable>& table = tables[universe];
    if (table == nullptr) table = std::make_shared<InstanceTable>(geometry, universe);
    int& index = result.bin_of[cell];
    if (index < 0) {
      index = static_cast<int>(result.instances.size());
      result.instances.push_back({table, {}});
    }
    if (filter.type == FilterType::distribcell) continue;
    std::vector<int>& bins = result.instances[index].bins;
    bins.resize(table->count(), -1);
    bins[filter.instances[i]] = static_cast<int>(i);
  }
}

TallyLayout::CompiledFilter compile(const Filter& filter, const TallyLayout& layout, const Geometry& geometry,
                                    const CrossSections& data, int materials, bool analog) {
  TallyLayout::CompiledFilter result{.type = filter.type,
                                     .stride = 1,
                                     .bin_of = {},
                                     .mesh = nullptr,
                                     .energies = nullptr,
                                     .source = &filter,
                                     .instances = {}};
  switch (filter.type) {
    case FilterType::cell:
    case FilterType::cellfrom:
      refuse_nested_bins(filter, geometry);
      result.bin_of = table_of(filter.bins, geometry.cells.size(), 0);
      break;
    case FilterType::cellborn:
      result.bin_of = table_of(filter.bins, geometry.cells.size(), 0);
      break;
    case FilterType::energyfunction:
    case FilterType::mu:
    case FilterType::polar:
    case FilterType::azimuthal:
    case FilterType::musurface:
    case FilterType::time:
      result.energies = &filter.energies;
      break;
    case FilterType::particle:
    case FilterType::legendre:
    case FilterType::collision:
    case FilterType::sphericalharmonics:
    case FilterType::spatiallegendre:
    case FilterType::zernike:
    case FilterType::zernikeradial:
      break;
    case FilterType::material:
    case FilterType::materialfrom:
      result.bin_of = table_of(filter.bins, layout.continuous ? materials + 1 : data.materials() + 1, 1);
      break;
    case FilterType::universe:
      refuse_nested_bins(filter, geometry);
      result.bin_of = table_of(filter.bins, geometry.universes.size(), 0);
      break;
    case FilterType::distribcell:
    case FilterType::cellinstance:
      refuse_nested_bins(filter, geometry);
      compile_instances(filter, geometry, result);
      break;
    case FilterType::surface:
      result.bin_of = table_of(filter.bins, geometry.surfaces.size(), 0);
      break;
    case FilterType::energy:
    case FilterType::energyout:
      if (layout.continuous)
        result.energies = &filter.energies;
      else
        result.bin_of = energy_table(filter, data);
      break;
    case FilterType::delayedgroup:
      if (!analog) break;
      result.bin_of.assign(9, -1);
      for (std::size_t i = 0; i < filter.bin_ids.size(); ++i)
        result.bin_of[filter.bin_ids[i]] = static_cast<int>(i);
      break;
    case FilterType::mesh:
    case FilterType::meshsurface:
    case FilterType::meshborn:
      result.mesh = &layout.meshes[filter.bins[0]];
      break;
  }
  return result;
}

bool has_filter(const Tally& tally, const std::vector<Filter>& filters, FilterType type) {
  return std::any_of(tally.filters.begin(), tally.filters.end(),
                     [&](int i) { return filters[i].type == type; });
}

bool has_score(const Tally& tally, Score score) {
  return std::find(tally.scores.begin(), tally.scores.end(), score) != tally.scores.end();
}

bool is_of_fission_neutrons(Score score) {
  return score == Score::nu_fission || score == Score::prompt_nu_fission ||
         score == Score::delayed_nu_fission;
}

/// The estimator of a tally; refuses scores and filters that do not go with it.
Estimator choose_estimator(const Tally& tally, const std::vector<Filter>& filters, bool delta,
                           bool continuous) {
  const auto has = [&](FilterType type) { return has_filter(tally, filters, type); };
  for (const Score score : tally.scores)
    check_input(
        !has(FilterType::delayedgroup) || score == Score::delayed_nu_fission || score == Score::decay_rate,
        name_of_tally(tally) + ": score " + name_of(score) + " has no delayed groups");
  const bool harmonics = std::any_of(tally.filters.begin(), tally.filters.end(),
                                     [&](int i) { return filters[i].of_scattering; });
  const bool scattered = has(FilterType::mu) || has(FilterType::legendre) || harmonics;
  const bool faces = has(FilterType::meshsurface);
  const bool outgoing = has(FilterType::energyout) || scattered;
  const bool surface = has(FilterType::surface) || faces || has_score(tally, Score::current);
  check_input(!has(FilterType::musurface) || has(FilterType::surface),
              name_of_tally(tally) + ": a musurface filter needs a surface filter");
  check_input(surface || !(has(FilterType::cellfrom) || has(FilterType::materialfrom)),
              name_of_tally(tally) + ": cellfrom and materialfrom filters are for the score current");
  if (surface) {
    check_input(
        faces || has(FilterType::surface) || has(FilterType::cell) || has(FilterType::cellfrom),
        name_of_tally(tally) + ": score current needs a surface, meshsurface, cell or cellfrom filter");
    check_input(
        !faces || !(has(FilterType::surface) || has(FilterType::cellfrom) || has(FilterType::materialfrom)),
        name_of_tally(tally) +
            ": a meshsurface filter does not go with surface, cellfrom or "
            "materialfrom filters; make two tallies");
    check_input(!has(FilterType::polar) && !has(FilterType::azimuthal),
                name_of_tally(tally) + ": polar and azimuthal filters do not go with the score current");
    check_input(tally.scores.size() == 1 && has_score(tally, Score::current),
                name_of_tally(tally) + ": with a surface filter only the score current is supported");
    check_input(!outgoing, name_of_tally(tally) + ": currents have no energyout, mu or legendre filter");
    return Estimator::analog;
  }
  if (outgoing) {
    check_input(tally.estimator == Estimator::automatic || tally.estimator == Estimator::analog,
                name_of_tally(tally) + ": energyout, mu and legendre filters need the analog estimator");
    for (const Score score : tally.scores)
      check_input(score == Score::scatter || score == Score::nu_scatter || mt_of(score) > 0 ||
                      (is_of_fission_neutrons(score) && !scattered),
                  name_of_tally(tally) + ": score " + name_of(score) + " has no outgoing " +
                      (scattered ? "angle" : "energy"));
    return Estimator::analog;
  }
  const bool produced = continuous && has_score(tally, Score::nu_scatter);  // known only once it has happened
  if (produced) {
    check_input(tally.estimator == Estimator::automatic || tally.estimator == Estimator::analog,
                name_of_tally(tally) + ": score nu-scatter needs the analog estimator");
    return Estimator::analog;
  }
  const bool positional =
      has(FilterType::spatiallegendre) || has(FilterType::zernike) || has(FilterType::zernikeradial);
  check_input(!positional || tally.estimator != Estimator::tracklength,
              name_of_tally(tally) +
                  ": spatiallegendre and zernike filters need points, not the tracklength estimator");
  if (positional && tally.estimator == Estimator::automatic) return Estimator::collision;
  // Events are collisions, unless an estimator is named: then each of its contributions counts one.
  if (has_score(tally, Score::events) && tally.estimator == Estimator::automatic) return Estimator::analog;
  if (tally.estimator != Estimator::automatic) return tally.estimator;
  return delta ? Estimator::collision : Estimator::tracklength;
}

/// Notes what an analog tally counts besides the events of every tally: reactions that a neutron survives, or
/// else shares of the absorptions. Refuses what is neither.
void note_analog_scores(const Tally& tally, const NuclearData& nuclear, bool outgoing, TallyLayout& layout) {
  for (const Score score : tally.scores) {
    if (score <= Score::events || is_of_fission_neutrons(score)) continue;
    if (score == Score::inverse_velocity) {
      layout.analog_velocity = true;
      continue;
    }
    const int mt = mt_of(score);
    bool scatters = mt == mt_elastic;
    for (const auto& nuclide : nuclear.library)
      for (const NeutronReaction& reaction : nuclide->scattering)
        scatters = scatters || reaction.mt == mt || (mt > 0 && sum_of_part(reaction.mt) == mt);
    layout.analog_reactions = layout.analog_reactions || scatters;
    if (scatters) continue;
    check_input(!outgoing && mt_of(score) != mt_heating && mt_of(score) != mt_heating_local,
                name_of_tally(tally) + ": score " + name_of(score) +
                    " is not an event, so the analog estimator cannot count it");
    if (std::find(layout.at_absorption.begin(), layout.at_absorption.end(), score) ==
        layout.at_absorption.end())
      layout.at_absorption.push_back(score);
  }
}

void note_special_filters(const Tally& tally, TallyLayout::CompiledTally& compiled) {
  for (int i = 0; i < static_cast<int>(compiled.filters.size()); ++i) {
    const FilterType type = compiled.filters[i].type;
    if (type == FilterType::energyfunction) compiled.weights.push_back(i);
    if (type == FilterType::surface) compiled.by_sign = true;
    if (type == FilterType::legendre || type >= FilterType::sphericalharmonics)
      compiled.expansions.push_back(i);
    int* special = type == FilterType::mesh          ? &compiled.mesh_filter
                   : type == FilterType::time        ? &compiled.time_filter
                   : type == FilterType::meshsurface ? &compiled.surface_mesh
                   : type == FilterType::delayedgroup && compiled.estimator != Estimator::analog
                       ? &compiled.delayed_filter
                       : nullptr;
    if (special == nullptr) continue;
    int& place = *special;
    check_input(place < 0, name_of_tally(tally) + " has two " + name_of(type) + " filters; one is supported");
    place = i;
  }
  check_input(compiled.expansions.empty() || !has_score(tally, Score::events),
              name_of_tally(tally) + ": the score events has no moments");
  if (compiled.mesh_filter < 0) return;
  const TallyLayout::CompiledFilter& mesh = compiled.filters[compiled.mesh_filter];
  if (mesh.mesh->type == MeshType::regular && !mesh.source->moved)
    compiled.domain_mesh = compiled.mesh_filter;
}

void sort_by_source(TallyLayout& layout, int index, const Tally& tally, bool delta) {
  TallyLayout::CompiledTally& compiled = layout.compiled[index];
  if (compiled.surface_mesh >= 0) {
    layout.by_face.push_back(index);
  } else if (has_score(tally, Score::current)) {
    layout.by_surface.push_back(index);
  } else if (compiled.estimator == Estimator::analog) {
    layout.analog.push_back(index);
  } else if (compiled.estimator == Estimator::tracklength) {
    layout.by_track.push_back(index);
  } else if (tally.estimator == Estimator::automatic && delta) {
    layout.by_flux.push_back(index);
  } else {
    layout.by_collision.push_back(index);
  }
}

}  // namespace

void TallyLayout::divide_flux(double surfaces_per_cm) {
  // More, and the score in all the cells takes longer than the flight.
  constexpr double most_cells = 2;
  for (const int index : by_flux) {
    const int filter = compiled[index].mesh_filter;
    const Mesh* const mesh = filter >= 0 ? compiled[index].filters[filter].mesh : nullptr;
    double cells_per_cm = 0;  // that a path of any direction crosses
    if (mesh != nullptr && mesh->type == MeshType::regular)
      for (int axis = 0; axis < mesh->dimensions; ++axis) cells_per_cm += 0.5 / mesh->width[axis];
    (cells_per_cm > most_cells * surfaces_per_cm ? at_collisions : along_).push_back(index);
  }
}

bool needs_surface_tracking(const std::vector<Tally>& tallies) {
  return std::any_of(tallies.begin(), tallies.end(), [](const Tally& tally) {
    return tally.estimator == Estimator::tracklength || has_score(tally, Score::current);
  });
}

TallyLayout make_layout(std::vector<Tally> tallies, std::vector<Filter> filters, std::vector<Mesh> meshes,
                        const Geometry& geometry, const CrossSections& data, bool delta,
                        const TallyMaterials& materials) {
  TallyLayout layout;
  layout.continuous = materials.nuclear != nullptr;
  layout.filters = std::move(filters);
  layout.meshes = std::move(meshes);
  layout.groups = data.groups();
  ColumnMaker columns(layout, data, materials);
  for (const Tally& tally : tallies) {
    TallyLayout::CompiledTally compiled;
    compiled.estimator = choose_estimator(tally, layout.filters, delta, layout.continuous);
    compiled.first_bin = layout.bin_count;
    check_input(
        tally.multiply_density || compiled.estimator != Estimator::analog,
        name_of_tally(tally) + ": the analog estimator counts neutrons, so it cannot leave out densities");
    if (layout.continuous && compiled.estimator == Estimator::analog)
      note_analog_scores(tally, *materials.nuclear,
                         has_filter(tally, layout.filters, FilterType::energyout) ||
                             has_filter(tally, layout.filters, FilterType::delayedgroup),
                         layout);
    columns.make(tally, compiled);
    for (auto filter = tally.filters.rbegin(); filter != tally.filters.rend(); ++filter) {
      TallyLayout::CompiledFilter entry = compile(layout.filters[*filter], layout, geometry, data,
                                                  materials.count, compiled.estimator == Estimator::analog);
      check_input(
          compiled.combinations < (std::int64_t{1} << 31) / std::max(1, layout.filters[*filter].bin_count),
          name_of_tally(tally) + " has more than 2^31 combinations of filter bins");
      entry.stride = static_cast<int>(compiled.combinations);
      compiled.combinations *= layout.filters[*filter].bin_count;
      compiled.filters.insert(compiled.filters.begin(), std::move(entry));
    }
    note_special_filters(tally, compiled);
    layout.bin_count += compiled.bin_count();
    layout.compiled.push_back(std::move(compiled));
    sort_by_source(layout, static_cast<int>(layout.compiled.size()) - 1, tally, delta);
  }
  columns.finish();
  layout.tallies = std::move(tallies);
  return layout;
}

}  // namespace taihu::neutron
