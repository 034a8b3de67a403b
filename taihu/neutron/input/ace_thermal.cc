// SPDX-License-Identifier: Apache-2.0
// Thermal tables of ACE tables of class t.
#include <cmath>

#include "taihu/neutron/input/ace_file.h"
#include "taihu/neutron/nuclide/elements.h"

namespace taihu::neutron {
namespace {

enum Index { nil = 3, nieb = 4, idpnc = 5, ncl = 6, ifeng = 7, ncli = 8 };
enum Block { itie = 1, itxe = 3, itce = 4, itca = 6, itcei = 7, itcai = 9 };

/// Names of the nuclide with number 1000 Z + A; A = 0: all of the element.
void add_names(int za, std::vector<std::string>& names) {
  const int z = za / 1000, a = za % 1000;
  if (z < 1 || z >= static_cast<int>(element_symbols.size())) return;
  if (a > 0) {
    names.push_back(element_symbols[z] + std::to_string(a));
    return;
  }
  for (int mass = 0; mass <= 300; ++mass) names.push_back(element_symbols[z] + std::to_string(mass));
}

class ThermalReader {
 public:
  explicit ThermalReader(const AceTable& table) : t_(table) {}

  ThermalTable::AtTemperature read() {
    ThermalTable::AtTemperature at;
    at.kT = t_.kT;
    const std::int64_t place = t_.jxs[itie], points = t_.count(place);
    const std::vector<double> incident = t_.list(place + 1, points, eV_per_MeV);
    at.inelastic = Function1d::line(incident, t_.list(place + 1 + points, points), what());
    if (t_.nxs[nil] < 0 || t_.nxs[nil] > 10000) t_.fail("impossible number of cosines");
    if (t_.nxs[ifeng] == 0 || t_.nxs[ifeng] == 1)
      at.law = read_discrete(incident);
    else if (t_.nxs[ifeng] == 2)
      at.law = read_continuous(incident);
    else
      t_.fail("a form of inelastic scattering is not known");
    read_elastic(at.elastic);
    return at;
  }

 private:
  std::string what() const { return t_.path + ": table " + t_.name; }

  std::unique_ptr<ThermalInelastic> read_discrete(const std::vector<double>& incident) {
    const std::int64_t energies = t_.nxs[nieb], cosines = t_.nxs[nil] + 1;
    if (energies < 1 || energies > 100000) t_.fail("impossible number of energies");
    std::vector<double> energy, mu;
    std::int64_t place = t_.jxs[itxe];
    for (std::size_t i = 0; i < incident.size(); ++i)
      for (std::int64_t j = 0; j < energies; ++j, place += cosines + 1) {
        energy.push_back(t_.at(place) * eV_per_MeV);
        for (const double cosine : t_.list(place + 1, cosines)) mu.push_back(cosine);
      }
    return std::make_unique<DiscreteInelastic>(incident, static_cast<int>(energies),
                                               static_cast<int>(cosines), t_.nxs[ifeng] == 1,
                                               std::move(energy), std::move(mu));
  }

  std::unique_ptr<ThermalInelastic> read_continuous(const std::vector<double>& incident) {
    const std::int64_t start = t_.jxs[itxe], count = static_cast<std::int64_t>(incident.size());
    const std::int64_t cosines = t_.nxs[nil] - 1, record = cosines + 3;
    if (cosines < 1) t_.fail("impossible number of cosines");
    EnergyTable energy;
    energy.grid.energy = incident;
    std::vector<std::vector<std::vector<double>>> mu;
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t place = t_.whole(start + i) + 1;
      const std::int64_t points = t_.count(start + count + i);
      TabulatedDistribution table;
      mu.emplace_back();
      for (std::int64_t j = 0; j < points; ++j, place += record) {
        table.x.push_back(t_.at(place) * eV_per_MeV);
        table.p.push_back(t_.at(place + 1) / eV_per_MeV);
        table.c.push_back(t_.at(place + 2));
        mu.back().push_back(t_.list(place + 3, cosines));
      }
      table.check(what());
      energy.tables.push_back(std::move(table));
    }
    return std::make_unique<ContinuousInelastic>(std::move(energy), mu);
  }

  void read_elastic(ThermalElastic& elastic) {
    if (t_.jxs[itce] == 0) return;
    if (t_.nxs[idpnc] == 4 || t_.nxs[idpnc] == 5) {
      const std::int64_t place = t_.jxs[itce], edges = t_.count(place);
      elastic.bragg.energy = t_.list(place + 1, edges, eV_per_MeV);
      elastic.bragg.strength = t_.list(place + 1 + edges, edges, eV_per_MeV);
      for (std::int64_t i = 0; i < edges; ++i)
        if (!(elastic.bragg.energy[i] > (i > 0 ? elastic.bragg.energy[i - 1] : 0)) ||
            elastic.bragg.strength[i] < (i > 0 ? elastic.bragg.strength[i - 1] : 0))
          t_.fail("Bragg edges and their strengths have to rise");
      if (t_.nxs[idpnc] == 5) read_incoherent(elastic, t_.jxs[itcei], t_.jxs[itcai], t_.nxs[ncli] + 1);
    } else {
      read_incoherent(elastic, t_.jxs[itce], t_.jxs[itca], t_.nxs[ncl] + 1);
    }
  }

  void read_incoherent(ThermalElastic& elastic, std::int64_t place, std::int64_t angles,
                       std::int64_t cosines) {
    const std::int64_t points = t_.count(place);
    elastic.table =
        Function1d::line(t_.list(place + 1, points, eV_per_MeV), t_.list(place + 1 + points, points), what());
    if (cosines < 1 || cosines > 100000) t_.fail("impossible number of cosines");
    for (std::int64_t i = 0; i < points; ++i)
      elastic.cosines.push_back(t_.list(angles + i * cosines, cosines));
  }

  const AceTable& t_;
};

}  // namespace

std::unique_ptr<ThermalTable> read_thermal_ace(const std::string& path, const std::string& name,
                                               const ChooseTemperatures& choose) {
  const std::vector<AceTable> tables = read_ace_tables(path);
  auto result = std::make_unique<ThermalTable>();
  std::vector<double> kTs;
  for (const AceTable& table : tables) {
    if (!table.name.ends_with("t")) table.fail("it is not a table of class t (thermal scattering)");
    kTs.push_back(table.kT);
  }
  result->name = name;
  result->awr = tables[0].awr;
  for (const int za : tables[0].iz) add_names(za, result->nuclides);
  for (const std::size_t index : choose(kTs)) {
    result->temperatures.push_back(ThermalReader(tables[index]).read());
    // Valid up to the last energy that all temperatures have.
    const double last = result->temperatures.back().inelastic.x().back();
    result->energy_max = result->energy_max > 0 ? std::fmin(result->energy_max, last) : last;
  }
  return result;
}

}  // namespace taihu::neutron
