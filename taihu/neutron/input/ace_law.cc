// SPDX-License-Identifier: Apache-2.0
// Distributions of ACE tables.
#include <cmath>

#include "taihu/neutron/input/ace_file.h"

namespace taihu::neutron {
namespace {

/// Reads points, densities and sums at `place`; multiplies the points by `factor`.
TabulatedDistribution read_rows(const AceTable& table, std::int64_t place, std::int64_t points, int law,
                                int lines, double factor) {
  TabulatedDistribution d;
  if (law != 1 && law != 2)
    table.fail("interpolation " + std::to_string(law) + " of a distribution is not known");
  d.histogram = law == 1;
  d.lines = lines;
  d.x = table.list(place, points, factor);
  d.p = table.list(place + points, points, 1 / factor);
  d.c = table.list(place + 2 * points, points);
  for (int i = 0; i < lines && i < points; ++i) d.p[i] *= factor;  // probabilities, not densities
  d.check(table.path + ": table " + table.name);
  return d;
}

TabulatedDistribution read_cosines(const AceTable& table, std::int64_t place) {
  return read_rows(table, place + 2, table.count(place + 1), static_cast<int>(table.whole(place)), 0, 1);
}

/// Reads 32 equally probable ranges.
TabulatedDistribution equal_ranges(const AceTable& table, std::int64_t place) {
  TabulatedDistribution d;
  d.histogram = true;
  d.x = table.list(place, 33);
  for (int i = 0; i <= 32; ++i) {
    const double width = i < 32 ? d.x[i + 1] - d.x[i] : 0;
    d.p.push_back(width > 0 ? 1.0 / 32 / width : 0);
    d.c.push_back(i / 32.0);
  }
  d.check(table.path + ": table " + table.name);
  return d;
}

/// Incident energies with regions, and where their tables begin.
IncidentGrid read_incident(const AceTable& table, std::int64_t& place, std::vector<std::int64_t>& locators) {
  const std::int64_t regions = table.count(place);
  std::vector<std::int64_t> ends;
  for (std::int64_t region = 0; region < regions; ++region) ends.push_back(table.count(place + 1 + region));
  const std::vector<double> laws = table.list(place + 1 + regions, regions);
  place += 1 + 2 * regions;
  const std::int64_t energies = table.count(place);
  IncidentGrid grid;
  grid.energy = table.list(place + 1, energies, eV_per_MeV);
  grid.check(table.path + ": table " + table.name);
  for (std::int64_t i = 0; i < energies; ++i) locators.push_back(table.whole(place + 1 + energies + i));
  place += 1 + 2 * energies;
  grid.histogram.assign(energies - 1, false);
  std::int64_t interval = 0;
  for (std::int64_t region = 0; region < regions; ++region)
    for (; interval + 1 < ends[region] && interval + 1 < energies; ++interval)
      grid.histogram[interval] = laws[region] == 1;
  return grid;
}

/// Laws 4, 44 and 61. `extra`: further columns of each table.
EnergyTable read_energy_table(const AceTable& table, std::int64_t block, std::int64_t place, int columns,
                              std::vector<std::vector<std::vector<double>>>& extra) {
  EnergyTable energy;
  std::vector<std::int64_t> locators;
  energy.grid = read_incident(table, place, locators);
  for (const std::int64_t locator : locators) {
    const std::int64_t first = block + locator - 1;
    const std::int64_t both = table.whole(first), points = table.count(first + 1);
    energy.tables.push_back(read_rows(table, first + 2, points, static_cast<int>(both % 10),
                                      static_cast<int>(both / 10), eV_per_MeV));
    extra.emplace_back();
    for (int column = 0; column < columns; ++column)
      extra.back().push_back(table.list(first + 2 + (3 + column) * points, points));
  }
  return energy;
}

std::unique_ptr<AngleEnergyLaw> read_kalbach(const AceTable& table, std::int64_t block, std::int64_t place) {
  std::vector<std::vector<std::vector<double>>> extra;
  EnergyTable energy = read_energy_table(table, block, place, 2, extra);
  std::vector<std::vector<double>> r, a;
  for (std::vector<std::vector<double>>& columns : extra) {
    r.push_back(std::move(columns[0]));
    a.push_back(std::move(columns[1]));
  }
  return std::make_unique<KalbachLaw>(std::move(energy), std::move(r), std::move(a));
}

std::unique_ptr<AngleEnergyLaw> read_correlated(const AceTable& table, std::int64_t block,
                                                std::int64_t place) {
  std::vector<std::vector<std::vector<double>>> extra;
  EnergyTable energy = read_energy_table(table, block, place, 1, extra);
  std::vector<std::vector<TabulatedDistribution>> angles;
  for (const std::vector<std::vector<double>>& columns : extra) {
    angles.emplace_back();
    for (const double locator : columns[0]) {
      if (!(std::fabs(locator) < 1e9)) table.fail("a place of cosines is impossible");
      const auto offset = static_cast<std::int64_t>(std::fabs(locator));  // 0: isotropic
      angles.back().push_back(offset == 0 ? TabulatedDistribution()
                                          : read_cosines(table, block + offset - 1));
    }
  }
  return std::make_unique<CorrelatedLaw>(std::move(energy), std::move(angles));
}

std::unique_ptr<EnergyLaw> read_energy_law(const AceTable& table, std::int64_t block, std::int64_t law,
                                           std::int64_t place) {
  if (law == 3) return std::make_unique<LevelLaw>(table.at(place) * eV_per_MeV, table.at(place + 1));
  if (law == 4) {
    std::vector<std::vector<std::vector<double>>> none;
    return std::make_unique<TableLaw>(read_energy_table(table, block, place, 0, none));
  }
  if (law == 7 || law == 9) {
    Function1d theta = read_ace_function(table, place, eV_per_MeV, eV_per_MeV);
    return std::make_unique<SpectrumLaw>(
        law == 7 ? SpectrumLaw::Kind::maxwell : SpectrumLaw::Kind::evaporation, std::move(theta),
        Function1d(), table.at(place) * eV_per_MeV);
  }
  if (law == 11) {
    Function1d a = read_ace_function(table, place, eV_per_MeV, eV_per_MeV),
               b = read_ace_function(table, place, eV_per_MeV, 1 / eV_per_MeV);
    return std::make_unique<SpectrumLaw>(SpectrumLaw::Kind::watt, std::move(a), std::move(b),
                                         table.at(place) * eV_per_MeV);
  }
  table.fail("law " + std::to_string(law) + " of outgoing energies is not supported");
}

}  // namespace

Function1d read_ace_function(const AceTable& table, std::int64_t& place, double factor, double value_factor) {
  const std::int64_t regions = table.count(place);
  std::vector<int> ends, laws;
  for (std::int64_t i = 0; i < regions; ++i) {
    ends.push_back(static_cast<int>(table.count(place + 1 + i)));
    laws.push_back(static_cast<int>(table.count(place + 1 + regions + i)));
  }
  place += 1 + 2 * regions;
  const std::int64_t points = table.count(place);
  std::vector<double> x = table.list(place + 1, points, factor),
                      y = table.list(place + 1 + points, points, value_factor);
  place += 1 + 2 * points;
  if (regions == 0) laws = {2};
  return Function1d::table(std::move(x), std::move(y), ends, laws, table.path + ": table " + table.name);
}

AngleTable read_ace_angle(const AceTable& table, std::int64_t place) {
  AngleTable angle;
  const std::int64_t energies = table.count(place);
  angle.grid.energy = table.list(place + 1, energies, eV_per_MeV);
  angle.grid.check(table.path + ": table " + table.name);
  for (std::int64_t i = 0; i < energies; ++i) {
    const std::int64_t locator = table.whole(place + 1 + energies + i), block = table.jxs[9];
    if (locator > 0) {
      angle.tables.push_back(equal_ranges(table, block + locator - 1));
    } else if (locator < 0) {
      angle.tables.push_back(read_cosines(table, block - locator - 1));
    } else {
      angle.tables.push_back({true, 0, {-1, 1}, {0.5, 0.5}, {0, 1}});
    }
  }
  angle.find_isotropic();
  return angle;
}

std::unique_ptr<AngleEnergyLaw> read_ace_law(const AceTable& table, std::int64_t block, std::int64_t place,
                                             double q, AngleTable angle) {
  std::vector<MixedLaw::Part> parts;
  for (;;) {
    const std::int64_t next = table.whole(place), law = table.whole(place + 1), data = table.whole(place + 2);
    std::int64_t behind = place + 3;
    Function1d probability = read_ace_function(table, behind, eV_per_MeV);
    const std::int64_t first = block + data - 1;
    std::unique_ptr<AngleEnergyLaw> read;
    if (law == 44) {
      read = read_kalbach(table, block, first);
    } else if (law == 61) {
      read = read_correlated(table, block, first);
    } else if (law == 66) {
      const std::int64_t bodies = table.whole(first);
      if (bodies < 3 || bodies > 5) table.fail("a phase space has 3 to 5 bodies");
      read = std::make_unique<PhaseSpaceLaw>(static_cast<int>(bodies), table.at(first + 1), table.awr, q);
    } else {
      read = std::make_unique<UncorrelatedLaw>(angle, read_energy_law(table, block, law, first));
    }
    if (next == 0 && parts.empty()) return read;
    parts.push_back({std::move(probability), std::move(read)});
    if (next == 0) return std::make_unique<MixedLaw>(std::move(parts));
    if (parts.size() > 1000) table.fail("the laws of a reaction do not end");
    place = block + next - 1;
  }
}

}  // namespace taihu::neutron
