// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/input/law_hdf5.h"

#include <cmath>

namespace taihu::neutron {
namespace {

std::vector<int> attribute_ints(const Hdf5File& file, const std::string& object, const std::string& name) {
  std::vector<int> result;
  for (const double value : file.attribute_doubles(object, name)) {
    if (!(std::fabs(value) < 1e9)) file.fail(object + ": attribute " + name + " is impossible");
    result.push_back(static_cast<int>(value));
  }
  return result;
}

/// Two rows: breakpoints and laws.
std::vector<bool> incident_steps(const Hdf5File& file, const std::string& place, std::size_t energies) {
  std::vector<bool> steps(energies > 0 ? energies - 1 : 0, false);
  if (!file.has_attribute(place, "interpolation")) return steps;
  const std::vector<int> both = attribute_ints(file, place, "interpolation");
  const std::size_t regions = both.size() / 2;
  std::size_t interval = 0;
  for (std::size_t region = 0; region < regions; ++region)
    for (; interval < steps.size() && static_cast<int>(interval) + 1 < both[region]; ++interval)
      steps[interval] = both[regions + region] == 1;
  return steps;
}

struct Rows {
  std::vector<double> values;
  std::size_t columns = 0;
};

Rows read_rows(const Hdf5File& file, const std::string& place, std::size_t least) {
  Rows rows{file.doubles(place), 0};
  const std::vector<std::int64_t> shape = file.shape(place);
  if (shape.size() != 2 || shape[0] < static_cast<std::int64_t>(least))
    file.fail("data set " + place + " needs two dimensions and " + std::to_string(least) + " rows");
  rows.columns = static_cast<std::size_t>(shape[1]);
  return rows;
}

/// Where the tables of a flattened array begin, and its end.
std::vector<std::size_t> read_offsets(const Hdf5File& file, const std::string& place, std::size_t tables,
                                      std::size_t columns) {
  std::vector<std::size_t> offsets;
  for (const int offset : attribute_ints(file, place, "offsets")) {
    if (offset < 0 || static_cast<std::size_t>(offset) >= columns ||
        (!offsets.empty() && static_cast<std::size_t>(offset) <= offsets.back()))
      file.fail("data set " + place + ": offsets have to rise and stay inside");
    offsets.push_back(offset);
  }
  if (offsets.size() != tables) file.fail("data set " + place + " needs one offset per incident energy");
  offsets.push_back(columns);
  return offsets;
}

TabulatedDistribution distribution_from(const Hdf5File& file, const std::string& place, const Rows& rows,
                                        std::size_t first, std::size_t last, int interpolation, int lines) {
  TabulatedDistribution table;
  if (interpolation < 0 || interpolation > 2)
    file.fail("data set " + place + ": interpolation " + std::to_string(interpolation) +
              " of a distribution is not supported");
  table.histogram = interpolation == 1;
  table.lines = lines;
  table.x = row_part(rows.values, rows.columns, 0, first, last);
  table.p = row_part(rows.values, rows.columns, 1, first, last);
  table.c = row_part(rows.values, rows.columns, 2, first, last);
  table.check(file.path() + ": data set " + place);
  return table;
}

/// A parameter of a law: an energy, a mass, or a ratio of them.
double parameter(const Hdf5File& file, const std::string& place, const char* name) {
  const double value = file.attribute_number(place, name);
  if (!(std::fabs(value) < 1e100)) file.fail(place + ": " + name + " is impossible");
  return value;
}

std::unique_ptr<EnergyLaw> read_energy_law(const Hdf5File& file, const std::string& place) {
  const std::string type = file.attribute_text(place, "type");
  const auto number = [&](const char* name) { return parameter(file, place, name); };
  if (type == "level") return std::make_unique<LevelLaw>(number("threshold"), number("mass_ratio"));
  if (type == "continuous") {
    std::vector<double> rows;
    return std::make_unique<TableLaw>(read_energy_table(file, place, "distribution", rows));
  }
  if (type == "maxwell" || type == "evaporation")
    return std::make_unique<SpectrumLaw>(
        type == "maxwell" ? SpectrumLaw::Kind::maxwell : SpectrumLaw::Kind::evaporation,
        read_function(file, place + "/theta"), Function1d(), number("u"));
  if (type == "watt")
    return std::make_unique<SpectrumLaw>(SpectrumLaw::Kind::watt, read_function(file, place + "/a"),
                                         read_function(file, place + "/b"), number("u"));
  file.fail(place + ": energy distribution \"" + type + "\" is not supported");
}

std::unique_ptr<AngleEnergyLaw> read_correlated(const Hdf5File& file, const std::string& place) {
  std::vector<double> rows;
  EnergyTable energy = read_energy_table(file, place, "energy_out", rows);
  const Rows cosines = read_rows(file, place + "/mu", 3);
  const std::size_t columns = file.shape(place + "/energy_out")[1];
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < columns; ++i) starts.push_back(offset_from(file, place, rows[4 * columns + i]));
  starts.push_back(cosines.columns);
  std::vector<std::vector<TabulatedDistribution>> angles;
  std::size_t point = 0;
  for (const TabulatedDistribution& table : energy.tables) {
    angles.emplace_back();
    for (std::size_t i = 0; i < table.x.size(); ++i, ++point) {
      if (!(starts[point] < starts[point + 1]) || starts[point + 1] > cosines.columns)
        file.fail("data set " + place + "/mu: offsets have to rise and stay inside");
      const double law = rows[3 * columns + point];
      if (!(law >= 0 && law <= 2)) file.fail("data set " + place + ": unknown interpolation of cosines");
      angles.back().push_back(distribution_from(file, place + "/mu", cosines, starts[point],
                                                starts[point + 1], static_cast<int>(law), 0));
    }
  }
  return std::make_unique<CorrelatedLaw>(std::move(energy), std::move(angles));
}

std::unique_ptr<AngleEnergyLaw> read_kalbach(const Hdf5File& file, const std::string& place) {
  std::vector<double> rows;
  EnergyTable energy = read_energy_table(file, place, "distribution", rows);
  const std::size_t columns = file.shape(place + "/distribution")[1];
  std::vector<std::vector<double>> r, a;
  std::size_t first = 0;
  for (const TabulatedDistribution& table : energy.tables) {
    r.push_back(row_part(rows, columns, 3, first, first + table.x.size()));
    a.push_back(row_part(rows, columns, 4, first, first + table.x.size()));
    for (const auto* values : {&r.back(), &a.back()})
      for (const double value : *values)
        if (!(std::fabs(value) <= 500)) file.fail(place + ": a fraction or slope is impossible");  // of exp()
    first += table.x.size();
  }
  return std::make_unique<KalbachLaw>(std::move(energy), std::move(r), std::move(a));
}

}  // namespace

std::size_t offset_from(const Hdf5File& file, const std::string& place, double value) {
  if (!(value >= 0 && value < 1e12)) file.fail(place + ": an offset is impossible");
  return static_cast<std::size_t>(value);
}

std::vector<double> row_part(const std::vector<double>& rows, std::size_t columns, std::size_t row,
                             std::size_t first, std::size_t last) {
  const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(row * columns);
  return {begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last)};
}

Function1d read_function(const Hdf5File& file, const std::string& place) {
  if (!file.exists(place)) file.fail("function " + place + " is missing");
  const std::string type = file.attribute_text(place, "type");
  if (type == "Polynomial" || type == "constant")
    return Function1d::polynomial(file.doubles(place), file.path() + ": " + place);
  if (type != "Tabulated1D") file.fail("function " + place + ": type \"" + type + "\" is not supported");
  const Rows rows = read_rows(file, place, 2);
  return Function1d::table(row_part(rows.values, rows.columns, 0, 0, rows.columns),
                           row_part(rows.values, rows.columns, 1, 0, rows.columns),
                           attribute_ints(file, place, "breakpoints"),
                           attribute_ints(file, place, "interpolation"), file.path() + ": " + place);
}

AngleTable read_angle_table(const Hdf5File& file, const std::string& place) {
  AngleTable angle;
  angle.grid.energy = file.doubles(place + "/energy");
  angle.grid.check(file.path() + ": " + place);
  const Rows rows = read_rows(file, place + "/mu", 3);
  const std::size_t tables = angle.grid.energy.size();
  const std::vector<std::size_t> offsets = read_offsets(file, place + "/mu", tables, rows.columns);
  const std::vector<int> laws = attribute_ints(file, place + "/mu", "interpolation");
  if (laws.size() != tables) file.fail(place + ": \"interpolation\" needs one value per incident energy");
  for (std::size_t i = 0; i < tables; ++i)
    angle.tables.push_back(
        distribution_from(file, place + "/mu", rows, offsets[i], offsets[i + 1], laws[i], 0));
  angle.find_isotropic();
  return angle;
}

EnergyTable read_energy_table(const Hdf5File& file, const std::string& place, const std::string& dataset,
                              std::vector<double>& values) {
  EnergyTable energy;
  energy.grid.energy = file.doubles(place + "/energy");
  energy.grid.check(file.path() + ": " + place);
  const std::size_t tables = energy.grid.energy.size();
  energy.grid.histogram = incident_steps(file, place + "/energy", tables);
  const std::string name = place + "/" + dataset;
  Rows rows = read_rows(file, name, file.attribute_text(place, "type") == "continuous" ? 3 : 5);
  const std::vector<std::size_t> offsets = read_offsets(file, name, tables, rows.columns);
  const std::vector<int> laws = attribute_ints(file, name, "interpolation");
  const std::vector<int> lines = attribute_ints(file, name, "n_discrete_lines");
  if (laws.size() != tables || lines.size() != tables)
    file.fail(name + ": \"interpolation\" and \"n_discrete_lines\" need one value per incident energy");
  if (offsets[0] != 0) file.fail(name + ": the first offset has to be 0");
  for (std::size_t i = 0; i < tables; ++i)
    energy.tables.push_back(
        distribution_from(file, name, rows, offsets[i], offsets[i + 1], laws[i], lines[i]));
  values = std::move(rows.values);
  return energy;
}

std::unique_ptr<AngleEnergyLaw> read_angle_energy_law(const Hdf5File& file, const std::string& place) {
  const std::string type = file.attribute_text(place, "type");
  if (type == "uncorrelated") {
    AngleTable angle;
    if (file.exists(place + "/angle")) angle = read_angle_table(file, place + "/angle");
    std::unique_ptr<EnergyLaw> energy;
    if (file.exists(place + "/energy")) energy = read_energy_law(file, place + "/energy");
    return std::make_unique<UncorrelatedLaw>(std::move(angle), std::move(energy));
  }
  if (type == "correlated") return read_correlated(file, place);
  if (type == "kalbach-mann") return read_kalbach(file, place);
  if (type == "nbody") {
    const std::int64_t bodies = file.attribute_integer(place, "n_particles");
    if (bodies < 3 || bodies > 5) file.fail(place + ": a phase space has 3 to 5 bodies");
    const double mass = parameter(file, place, "total_mass"),
                 awr = parameter(file, place, "atomic_weight_ratio");
    if (!(mass > 1 && awr > 0)) file.fail(place + ": impossible masses");
    return std::make_unique<PhaseSpaceLaw>(static_cast<int>(bodies), mass, awr,
                                           parameter(file, place, "q_value"));
  }
  file.fail(place + ": distribution \"" + type + "\" is not supported");
}

}  // namespace taihu::neutron
