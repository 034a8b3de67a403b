// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "taihu/neutron/input/law_hdf5.h"
#include "taihu/neutron/input/nuclide_hdf5.h"

namespace taihu::neutron {
namespace {

/// Above any energy [eV], edge, or strength times energy of bound atoms.
constexpr double most_energy = 1e9;

class ThermalReader {
 public:
  ThermalReader(const std::string& path, const std::string& name)
      : file_(path, Hdf5File::Mode::read), place_("/" + name) {
    file_.require_format("library of thermal scattering", "data_thermal", 3);
    if (!file_.exists(place_)) file_.fail("there is no thermal table \"" + name + "\"");
    table_.name = name;
  }

  std::unique_ptr<ThermalTable> read(const ChooseTemperatures& choose) {
    table_.awr = file_.attribute_number(place_, "atomic_weight_ratio");
    table_.energy_max = file_.attribute_number(place_, "energy_max");
    table_.nuclides = file_.attribute_texts(place_, "nuclides");
    const std::vector<std::string> names = file_.names_in(place_ + "/kTs");
    std::vector<double> kTs;
    for (const std::string& name : names) kTs.push_back(file_.number(place_ + "/kTs/" + name));
    if (kTs.empty()) file_.fail("there is no temperature");
    if (!(table_.energy_max > 0) || !(table_.energy_max < most_energy))
      file_.fail("energy_max is impossible");
    for (const std::size_t index : choose(kTs)) {
      ThermalTable::AtTemperature& at = table_.temperatures.emplace_back();
      at.kT = kTs[index];
      read_inelastic(at, place_ + "/" + names[index] + "/inelastic");
      const std::string elastic = place_ + "/" + names[index] + "/elastic";
      if (file_.exists(place_ + "/" + names[index]) && file_.exists(elastic))
        read_elastic(at.elastic, elastic + "/xs", elastic + "/distribution");
    }
    return std::make_unique<ThermalTable>(std::move(table_));
  }

 private:
  /// Finite numbers from `least` to `most`, except for rounding errors.
  std::vector<double> numbers(const std::string& place, double least, double most) {
    std::vector<double> values = file_.doubles(place);
    for (const double value : values)
      if (!(value >= least - 1e-6 && value <= most + 1e-6))
        file_.fail("data set " + place + " has an impossible value");
    return values;
  }
  std::vector<double> energies(const std::string& place) { return numbers(place, 0, most_energy); }
  std::vector<double> cosines(const std::string& place) { return numbers(place, -1, 1); }

  void read_inelastic(ThermalTable::AtTemperature& at, const std::string& place) {
    at.inelastic = read_function(file_, place + "/xs");
    if (!at.inelastic.is_linear())
      file_.fail(place + "/xs: only tables with linear interpolation are supported");
    const std::string law = place + "/distribution", type = file_.attribute_text(law, "type");
    if (type == "incoherent_inelastic_discrete")
      at.law = read_discrete(law, at.inelastic.x());
    else if (type == "incoherent_inelastic")
      at.law = read_continuous(law);
    else
      file_.fail(law + ": distribution \"" + type + "\" is not supported");
  }

  std::unique_ptr<ThermalInelastic> read_discrete(const std::string& law,
                                                  const std::vector<double>& incident) {
    std::vector<double> energy = energies(law + "/energy_out"), mu = cosines(law + "/mu_out");
    const std::vector<std::int64_t> e = file_.shape(law + "/energy_out"), m = file_.shape(law + "/mu_out");
    if (e.size() != 2 || m.size() != 3 || e[0] != static_cast<std::int64_t>(incident.size()) ||
        m[0] != e[0] || m[1] != e[1] || e[1] < 1 || m[2] < 1)
      file_.fail(law + ": energies and cosines do not fit together");
    const bool skewed = file_.integer(law + "/skewed") != 0;
    return std::make_unique<DiscreteInelastic>(incident, static_cast<int>(e[1]), static_cast<int>(m[2]),
                                               skewed, std::move(energy), std::move(mu));
  }

  std::unique_ptr<ThermalInelastic> read_continuous(const std::string& law) {
    std::vector<double> rows;
    EnergyTable energy = read_energy_table(file_, law, "energy_out", rows);
    const std::size_t columns = file_.shape(law + "/energy_out")[1];
    const std::vector<double> mu = cosines(law + "/mu");
    const std::vector<std::int64_t> shape = file_.shape(law + "/mu");
    const std::size_t cosine_count = shape.size() == 2 ? shape[1] : shape.size() == 1 ? shape[0] : 0;
    std::vector<std::vector<std::vector<double>>> angles;
    std::size_t point = 0, per_point = 0;
    for (const TabulatedDistribution& table : energy.tables) {
      angles.emplace_back();
      for (std::size_t i = 0; i < table.x.size(); ++i, ++point) {
        const std::size_t first = offset_from(file_, law, rows[4 * columns + point]);
        const std::size_t last =
            point + 1 < columns ? offset_from(file_, law, rows[4 * columns + point + 1]) : cosine_count;
        if (!(first < last) || last > cosine_count)
          file_.fail(law + "/mu: offsets have to rise and stay inside");
        if (per_point == 0) per_point = last - first;
        if (last - first != per_point) file_.fail(law + "/mu: all points need the same number of cosines");
        angles.back().emplace_back(mu.begin() + static_cast<std::ptrdiff_t>(first),
                                   mu.begin() + static_cast<std::ptrdiff_t>(last));
      }
    }
    return std::make_unique<ContinuousInelastic>(std::move(energy), angles);
  }

  void read_elastic(ThermalElastic& elastic, const std::string& xs, const std::string& law) {
    const std::string type = file_.attribute_text(law, "type");
    if (type == "coherent_elastic") {
      read_bragg(elastic, xs);
    } else if (type == "incoherent_elastic") {
      const std::vector<double> values = numbers(xs, 0, most_energy);
      if (values.size() != 2) file_.fail(xs + ": two values are needed");
      elastic.bound = values[0], elastic.debye_waller = values[1];
    } else if (type == "incoherent_elastic_discrete") {
      read_discrete_elastic(elastic, xs, law);
    } else if (type == "mixed_elastic") {
      for (const char* part : {"coherent", "incoherent"}) read_mixed(elastic, xs, law + "/" + part);
    } else {
      file_.fail(law + ": distribution \"" + type + "\" is not supported");
    }
  }

  /// The cross section of a mixture is a group of both.
  void read_mixed(ThermalElastic& elastic, const std::string& xs, const std::string& part) {
    const std::string kind = file_.attribute_text(part, "type");
    if (kind == "mixed_elastic") file_.fail(part + ": a mixture inside a mixture is not supported");
    const bool coherent = kind == "coherent_elastic";
    for (const std::string& name : file_.names_in(xs)) {
      const std::string type = file_.attribute_text(xs + "/" + name, "type");
      if ((type == "CoherentElastic") == coherent) return read_elastic(elastic, xs + "/" + name, part);
    }
    file_.fail(xs + ": the function for " + part + " is missing");
  }

  void read_bragg(ThermalElastic& elastic, const std::string& xs) {
    const std::vector<double> values = energies(xs);
    const std::vector<std::int64_t> shape = file_.shape(xs);
    if (shape.size() != 2 || shape[0] != 2 || shape[1] < 1) file_.fail(xs + ": two rows are needed");
    elastic.bragg.energy = row_part(values, shape[1], 0, 0, shape[1]);
    elastic.bragg.strength = row_part(values, shape[1], 1, 0, shape[1]);
    if (!std::is_sorted(elastic.bragg.energy.begin(), elastic.bragg.energy.end()) ||
        !std::is_sorted(elastic.bragg.strength.begin(), elastic.bragg.strength.end()) ||
        !(elastic.bragg.energy.front() > 0) || !(elastic.bragg.strength.front() >= 0))
      file_.fail(xs + ": edges and strengths have to rise");
  }

  void read_discrete_elastic(ThermalElastic& elastic, const std::string& xs, const std::string& law) {
    elastic.table = read_function(file_, xs);
    if (!elastic.table.is_linear()) file_.fail(xs + ": only tables with linear interpolation are supported");
    const std::vector<double> mu = cosines(law + "/mu_out");
    const std::vector<std::int64_t> shape = file_.shape(law + "/mu_out");
    if (shape.size() != 2 || shape[0] != static_cast<std::int64_t>(elastic.table.x().size()) || shape[1] < 1)
      file_.fail(law + "/mu_out: the shape does not fit to the cross section");
    for (std::int64_t i = 0; i < shape[0]; ++i)
      elastic.cosines.emplace_back(mu.begin() + i * shape[1], mu.begin() + (i + 1) * shape[1]);
  }

  Hdf5File file_;
  std::string place_;
  ThermalTable table_;
};

}  // namespace

std::unique_ptr<ThermalTable> read_thermal_hdf5(const std::string& path, const std::string& name,
                                                const ChooseTemperatures& choose) {
  return ThermalReader(path, name).read(choose);
}

}  // namespace taihu::neutron
