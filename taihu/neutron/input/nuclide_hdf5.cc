// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/input/nuclide_hdf5.h"

#include <algorithm>
#include <functional>
#include <map>

#include "taihu/neutron/input/law_hdf5.h"
#include "taihu/neutron/nuclide/sum_rules.h"

namespace taihu::neutron {
namespace {

bool is_fission(int mt) {
  return mt == 18 || mt == 19 || mt == 20 || mt == 21 || mt == 38;
}

class NuclideReader {
 public:
  NuclideReader(const std::string& path, const std::string& name)
      : file_(path, Hdf5File::Mode::read), place_("/" + name) {
    file_.require_format("library of a nuclide", "data_neutron", 3);
    if (!file_.exists(place_)) file_.fail("there is no nuclide \"" + name + "\"");
    data_.name = name;
  }

  std::unique_ptr<NuclideData> read(const ChooseTemperatures& choose, std::span<const int> tallied) {
    data_.awr = file_.attribute_number(place_, "atomic_weight_ratio");
    read_temperatures(choose);
    for (const std::string& name : file_.names_in(place_ + "/reactions"))
      places_[static_cast<int>(file_.attribute_integer(place_ + "/reactions/" + name, "mt"))] =
          place_ + "/reactions/" + name;
    for (const auto& [mt, place] : places_) read_reaction(place, mt);
    if (file_.exists(place_ + "/total_nu")) data_.nu = read_function(file_, place_ + "/total_nu/yield");
    if (!data_.fission.empty() && !file_.exists(place_ + "/total_nu")) use_products_as_nu();
    read_unresolved();
    read_tallied(tallied);
    read_energy_release();
    auto result = std::make_unique<NuclideData>(std::move(data_));
    check(*result, file_.path());
    return result;
  }

 private:
  void read_temperatures(const ChooseTemperatures& choose) {
    std::vector<std::string> names = file_.names_in(place_ + "/kTs");
    std::vector<double> kTs;
    for (const std::string& name : names) kTs.push_back(file_.number(place_ + "/kTs/" + name));
    if (kTs.empty()) file_.fail("there is no temperature");
    for (const std::size_t index : choose(kTs)) {
      temperatures_.push_back(names[index]);
      NuclideData::AtTemperature& at = data_.temperatures.emplace_back();
      at.kT = kTs[index];
      at.energy = file_.doubles(place_ + "/energy/" + names[index]);
      at.elastic.assign(at.energy.size(), 0);
      at.disappearance.assign(at.energy.size(), 0);
      at.capture.assign(at.energy.size(), 0);
    }
  }

  ReactionValues values_of(const std::string& reaction, std::size_t temperature) {
    const std::string place = reaction + "/" + temperatures_[temperature] + "/xs";
    ReactionValues result;
    result.values = file_.doubles(place);
    const std::int64_t first = file_.attribute_integer(place, "threshold_idx");
    const std::size_t points = data_.temperatures[temperature].energy.size();
    if (first < 0 || static_cast<std::size_t>(first) + result.values.size() != points)
      file_.fail("data set " + place + " does not fit to the grid of energies");
    result.first = static_cast<std::size_t>(first);
    return result;
  }

  /// Those of the reactions `mts` that the file has.
  std::vector<int> present(std::vector<int> mts) const {
    std::erase_if(mts, [&](int mt) { return !places_.contains(mt); });
    return mts;
  }

  void read_reaction(const std::string& place, int mt) {
    // Sums of other reactions, which not all files mark, and production, heating and damage.
    const bool redundant =
        (file_.has_attribute(place, "redundant") && file_.attribute_integer(place, "redundant") != 0) ||
        !present(parts_of_sum(mt)).empty();
    if (redundant || mt == 1 || mt == 3 || mt == 101 || mt == 27 || (mt >= 200 && mt < 600) || mt >= 900)
      return;
    if (mt == 2) return read_elastic(place);
    NeutronReaction reaction;
    reaction.mt = mt;
    reaction.q_value = file_.attribute_number(place, "Q_value");
    reaction.centre_of_mass = file_.attribute_integer(place, "center_of_mass") != 0;
    const bool fission = is_fission(mt);
    read_products(place, reaction, fission && data_.fission.empty());
    if (reaction.products.empty()) {
      add_disappearance(place, mt);
      return;
    }
    for (std::size_t t = 0; t < temperatures_.size(); ++t)
      (fission ? data_.temperatures[t].fission : data_.temperatures[t].scattering)
          .push_back(values_of(place, t));
    (fission ? data_.fission : data_.scattering).push_back(std::move(reaction));
  }

  /// Energies of fission, where the library has them.
  void read_energy_release() {
    const std::string release = place_ + "/fission_energy_release";
    if (!file_.exists(release)) return;
    for (const auto& [name, function] : {std::pair{"/fragments", &data_.fragments},
                                         {"/betas", &data_.betas},
                                         {"/q_prompt", &data_.q_prompt},
                                         {"/q_recoverable", &data_.q_recoverable}})
      if (file_.exists(release + name)) *function = read_function(file_, release + name);
  }

  /// Sums are in most files: libraries of early versions of the format have only their parts.
  void read_tallied(std::span<const int> wanted) {
    for (const int mt : wanted) {
      std::vector<int> listed = present({mt});
      if (listed.empty()) listed = present(parts_of_sum(mt));
      if (listed.empty()) continue;
      data_.tallied.push_back(mt);
      for (std::size_t t = 0; t < temperatures_.size(); ++t) {
        std::vector<ReactionValues> parts;
        for (const int part : listed) parts.push_back(values_of(places_.at(part), t));
        data_.temperatures[t].tallied.push_back(sum_of_reactions(parts));
      }
    }
  }

  void add_disappearance(const std::string& place, int mt) {
    for (std::size_t t = 0; t < temperatures_.size(); ++t) {
      const ReactionValues values = values_of(place, t);
      NuclideData::AtTemperature& at = data_.temperatures[t];
      for (std::size_t i = 0; i < values.values.size(); ++i) {
        at.disappearance[values.first + i] += values.values[i];
        if (mt == 102) at.capture[values.first + i] += values.values[i];
      }
    }
  }

  void read_elastic(const std::string& place) {
    for (std::size_t t = 0; t < temperatures_.size(); ++t) {
      const ReactionValues values = values_of(place, t);
      std::copy(values.values.begin(), values.values.end(),
                data_.temperatures[t].elastic.begin() + static_cast<std::ptrdiff_t>(values.first));
    }
    const std::string law = place + "/product_0/distribution_0";
    if (!file_.exists(law)) return;
    if (file_.attribute_text(law, "type") != "uncorrelated")
      file_.fail(law + ": elastic scattering needs an uncorrelated distribution");
    if (file_.exists(law + "/angle")) data_.elastic_angle = read_angle_table(file_, law + "/angle");
  }

  void read_products(const std::string& place, NeutronReaction& reaction, bool with_delayed) {
    for (int i = 0;; ++i) {
      const std::string product = place + "/product_" + std::to_string(i);
      if (!file_.exists(product)) return;
      if (file_.attribute_text(product, "particle") != "neutron") continue;
      const bool delayed = file_.attribute_text(product, "emission_mode") == "delayed";
      if (delayed && !with_delayed) continue;
      NeutronProduct read;
      read.yield = read_function(file_, product + "/yield");
      if (file_.has_attribute(product, "decay_rate"))
        read.decay_rate = file_.attribute_number(product, "decay_rate");
      read.law = read_law(product);
      if (read.law != nullptr) (delayed ? data_.delayed : reaction.products).push_back(std::move(read));
    }
  }

  /// Null: a product without distributions, which gives only the number of neutrons.
  std::unique_ptr<AngleEnergyLaw> read_law(const std::string& product) {
    const std::int64_t count = file_.attribute_integer(product, "n_distribution");
    if (count < 0 || count > 1000) file_.fail(product + ": impossible n_distribution");
    if (count == 0) return nullptr;
    if (count == 1) return read_angle_energy_law(file_, product + "/distribution_0");
    std::vector<MixedLaw::Part> parts;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::string place = product + "/distribution_" + std::to_string(i);
      parts.push_back({read_function(file_, place + "/applicability"), read_angle_energy_law(file_, place)});
    }
    return std::make_unique<MixedLaw>(std::move(parts));
  }

  /// Without a total, the yield of a fission is the sum over its products, on the union of their energies.
  void use_products_as_nu() {
    std::vector<const Function1d*> yields;
    for (const NeutronProduct& product : data_.fission[0].products) yields.push_back(&product.yield);
    for (const NeutronProduct& product : data_.delayed) yields.push_back(&product.yield);
    if (yields.empty()) file_.fail("fission has no neutrons");
    if (yields.size() == 1) {
      data_.nu = *yields[0];
      return;
    }
    std::vector<double> x{1e-5, 1e3, 1e6, 2e6, 5e6, 1e7, 2e7}, y;
    for (const Function1d* yield : yields) x.insert(x.end(), yield->x().begin(), yield->x().end());
    std::sort(x.begin(), x.end());
    x.erase(std::unique(x.begin(), x.end()), x.end());
    for (const double e : x) {
      y.push_back(0);
      for (const Function1d* yield : yields) y.back() += (*yield)(e);
    }
    data_.nu = Function1d::line(std::move(x), std::move(y), file_.path() + ": nu");
  }

  void read_unresolved() {
    for (std::size_t t = 0; t < temperatures_.size(); ++t) {
      const std::string place = place_ + "/urr/" + temperatures_[t];
      if (!file_.exists(place_ + "/urr") || !file_.exists(place)) continue;
      ProbabilityTable& table = data_.temperatures[t].unresolved;
      table.energy = file_.doubles(place + "/energy");
      const std::vector<std::int64_t> shape = file_.shape(place + "/table");
      const std::vector<double> values = file_.doubles(place + "/table");
      if (shape.size() != 3 || shape[0] != static_cast<std::int64_t>(table.energy.size()) || shape[1] != 6 ||
          shape[2] < 1)
        file_.fail(place + "/table: the shape has to be [energies][6][bands]");
      const std::int64_t law = file_.attribute_integer(place, "interpolation");
      if (law != 2 && law != 5)
        file_.fail(place + ": interpolation " + std::to_string(law) + " is not known");
      table.log_log = law == 5;
      table.factors = file_.attribute_integer(place, factors_name(place)) != 0;
      table.inelastic = static_cast<int>(file_.attribute_integer(place, "inelastic"));
      table.other_absorption = static_cast<int>(file_.attribute_integer(place, absorption_name(place)));
      table.bands = static_cast<int>(shape[2]);
      fill(table, values);
    }
  }

  std::string factors_name(const std::string& place) const {
    return file_.has_attribute(place, "factors") ? "factors" : "multiply_smooth";
  }
  std::string absorption_name(const std::string& place) const {
    return file_.has_attribute(place, "other_absorb") ? "other_absorb" : "absorption";
  }

  /// Rows of the file: cumulative probability, total, elastic, fission, capture, heating.
  static void fill(ProbabilityTable& table, const std::vector<double>& values) {
    const std::size_t bands = table.bands;
    for (std::size_t i = 0; i < table.energy.size(); ++i)
      for (std::size_t band = 0; band < bands; ++band) {
        const auto row = [&](std::size_t r) { return values[(i * 6 + r) * bands + band]; };
        table.cumulative.push_back(row(0));
        for (std::size_t column = 0; column < ProbabilityTable::column_count; ++column)
          table.values.push_back(row(column + 1));
      }
  }

  Hdf5File file_;
  std::string place_;
  std::vector<std::string> temperatures_;
  std::map<int, std::string> places_;  ///< of reactions, by MT
  NuclideData data_;
};

}  // namespace

std::unique_ptr<NuclideData> read_nuclide_hdf5(const std::string& path, const std::string& name,
                                               const ChooseTemperatures& choose,
                                               std::span<const int> tallied) {
  return NuclideReader(path, name).read(choose, tallied);
}

bool read_cold_elastic_hdf5(const std::string& path, NuclideData& data) {
  const Hdf5File file(path, Hdf5File::Mode::read);
  const std::string energy = "/" + data.name + "/energy/0K",
                    elastic = "/" + data.name + "/reactions/reaction_002/0K/xs";
  if (!file.exists(energy) || !file.exists(elastic)) return false;
  std::vector<double> energies = file.doubles(energy), values = file.doubles(elastic);
  if (energies.size() < 3 || energies.size() != values.size() ||
      std::adjacent_find(energies.begin(), energies.end(), std::greater_equal<>()) != energies.end())
    file.fail(elastic + ": energies and cross sections do not fit");
  for (std::size_t i = 0; i < energies.size(); ++i)
    if (!(values[i] >= 0 && values[i] < 1e10 && energies[i] > 0 && energies[i] < 1e12))
      file.fail(elastic + ": a cross section or energy is impossible");
  data.cold_energy = std::move(energies);
  data.cold_elastic = std::move(values);
  return true;
}

}  // namespace taihu::neutron
