// SPDX-License-Identifier: Apache-2.0
// Reading libraries of format version 1.x of OpenMC ("Multi-Group Cross Section Library Format" of its
// documentation).
#include "taihu/neutron/input/multigroup_library.h"

#include <algorithm>
#include <cmath>

#include "taihu/base/error.h"
#include "taihu/neutron/file/hdf5_file.h"

namespace taihu::neutron {
namespace {

/// Boltzmann's constant in eV/K (CODATA 2018).
constexpr double boltzmann = 8.617333262e-5;

class EntryReader {
 public:
  EntryReader(const Hdf5File& file, const std::string& name, int groups, double temperature)
      : file_(file), name_(name), groups_(groups), place_("/" + name) {
    if (!file_.exists(place_)) throw MissingEntry(file.path(), name);
    temperature_place_ = place_ + "/" + nearest_temperature(temperature);
  }

  MultigroupData read() {
    data_.name = name_;
    data_.groups = groups_;
    refuse_unsupported();
    read_angle_format();
    data_.absorption = vector("absorption");
    if (has("fission")) data_.fission = vector("fission");
    if (has("kappa-fission")) data_.kappa_fission = vector("kappa-fission");
    if (has("inverse-velocity")) data_.inverse_velocity = vector("inverse-velocity");
    read_fission();
    read_scattering();
    data_.total = has("total") ? vector("total") : total_from_parts();
    try {
      check(data_);
    } catch (const Error& error) {
      file_.fail(error.what());
    }
    return std::move(data_);
  }

 private:
  bool has(const std::string& what) const { return file_.exists(temperature_place_ + "/" + what); }

  [[noreturn]] void fail(const std::string& problem) const {
    file_.fail(temperature_place_ + ": " + problem);
  }

  std::vector<double> vector(const std::string& what) const {
    std::vector<double> values = file_.doubles(temperature_place_ + "/" + what);
    if (static_cast<int>(values.size()) != groups_)
      fail(what + " has " + std::to_string(values.size()) + " values for " + std::to_string(groups_) +
           " groups");
    return values;
  }

  /// The sum of absorption and all scattering, for libraries without a total.
  std::vector<double> total_from_parts() const {
    std::vector<double> total = data_.absorption;
    const std::size_t groups = groups_, moments = data_.moments;
    for (std::size_t i = 0; i < groups * groups; ++i) {
      double amount = 0;
      for (std::size_t l = 0; l < moments; ++l) {
        const double part = data_.scatter[i * moments + l];
        if (data_.format == AngleFormat::legendre)
          amount += l == 0 ? part : 0;
        else if (data_.format == AngleFormat::histogram)
          amount += part;
        else
          amount += part * 2 / (data_.moments - 1) * (l == 0 || l + 1 == moments ? 0.5 : 1);
      }
      total[i / groups] += amount;
    }
    return total;
  }

  std::string nearest_temperature(double temperature) const {
    std::string best;
    double best_gap = 0;
    if (!file_.exists(place_ + "/kTs")) file_.fail("group " + place_ + "/kTs is missing");
    for (const std::string& name : file_.names_in(place_ + "/kTs")) {
      const double kT = file_.number(place_ + "/kTs/" + name);
      if (!(kT >= 0) || !std::isfinite(kT)) file_.fail(place_ + "/kTs/" + name + ": impossible temperature");
      const double gap = std::fabs(kT / boltzmann - temperature);
      if (best.empty() || gap < best_gap) best = name, best_gap = gap;
    }
    if (best.empty() || !file_.exists(place_ + "/" + best)) file_.fail(place_ + " has no temperature");
    return best;
  }

  void refuse_unsupported() const {
    if (file_.has_attribute(place_, "representation") &&
        file_.attribute_text(place_, "representation") != "isotropic")
      file_.fail(place_ + ": representation \"" + file_.attribute_text(place_, "representation") +
                 "\" is not supported, only \"isotropic\"");
    for (const char* delayed :
         {"delayed-nu-fission", "prompt-nu-fission", "chi-prompt", "chi-delayed", "beta"})
      if (has(delayed))
        fail(std::string("data set ") + delayed + " is not supported; give nu-fission and chi");
  }

  void read_angle_format() {
    const std::string format = file_.has_attribute(place_, "scatter_format")
                                   ? file_.attribute_text(place_, "scatter_format")
                                   : "legendre";
    const std::int64_t order = file_.attribute_integer(place_, "order");
    if (format == "legendre")
      data_.format = AngleFormat::legendre;
    else if (format == "histogram")
      data_.format = AngleFormat::histogram;
    else if (format == "tabular")
      data_.format = AngleFormat::tabular;
    else
      file_.fail(place_ + ": scatter_format \"" + format + "\" is not known");
    const std::int64_t least = format == "legendre" ? 0 : format == "tabular" ? 2 : 1;
    if (order < least || order > 1000)
      file_.fail(place_ + ": order " + std::to_string(order) + " is impossible");
    data_.moments = static_cast<int>(order) + (format == "legendre" ? 1 : 0);
  }

  void read_fission() {
    if (!has("nu-fission")) return;
    const std::size_t groups = groups_;
    std::vector<double> values = file_.doubles(temperature_place_ + "/nu-fission");
    if (has("chi")) {
      data_.nu_fission = vector("nu-fission");
      data_.chi = file_.doubles(temperature_place_ + "/chi");
      data_.chi_by_group = data_.chi.size() != groups;
    } else {
      if (values.size() != groups * groups) fail("nu-fission without chi has to be a matrix");
      data_.nu_fission.assign(groups, 0);
      for (std::size_t i = 0; i < values.size(); ++i) data_.nu_fission[i / groups] += values[i];
      for (std::size_t i = 0; i < values.size(); ++i)
        if (data_.nu_fission[i / groups] > 0) values[i] /= data_.nu_fission[i / groups];
      data_.chi = std::move(values);
      data_.chi_by_group = true;
    }
  }

  /// Scattering is stored for the groups g_min..g_max only (counted from 1). Shape [order][from][to], the
  /// moments innermost within the stored rectangle of a row: for each row, all orders of a pair lie behind
  /// one another.
  void read_scattering() {
    if (!has("scatter_data")) fail("group scatter_data is missing");
    const std::string place = temperature_place_ + "/scatter_data";
    if (file_.has_attribute(place_, "scatter_shape") &&
        file_.attribute_text(place_, "scatter_shape") != "[Order][G][G']" &&
        file_.attribute_text(place_, "scatter_shape") != "[G][G'][Order]")
      file_.fail(place_ + ": scatter_shape \"" + file_.attribute_text(place_, "scatter_shape") +
                 "\" is not supported");
    const std::vector<std::int64_t> first = file_.integers(place + "/g_min"),
                                    last = file_.integers(place + "/g_max");
    const std::vector<double> matrix = file_.doubles(place + "/scatter_matrix");
    std::vector<double> multiplicity;
    if (file_.exists(place + "/multiplicity_matrix"))
      multiplicity = file_.doubles(place + "/multiplicity_matrix");
    const std::size_t groups = groups_, moments = data_.moments;
    if (first.size() != groups || last.size() != groups) fail("g_min and g_max need one value per group");
    std::size_t pairs = 0;
    for (std::size_t from = 0; from < groups; ++from) {
      if (first[from] < 1 || last[from] > groups_ || first[from] > last[from] + 1)
        fail("g_min and g_max of group " + std::to_string(from + 1) + " are impossible");
      pairs += last[from] - first[from] + 1;
    }
    if (matrix.size() != pairs * moments)
      fail("scatter_matrix has " + std::to_string(matrix.size()) + " values instead of " +
           std::to_string(pairs * moments));
    if (!multiplicity.empty() && multiplicity.size() != pairs) fail("multiplicity_matrix has a wrong size");
    data_.scatter.assign(groups * groups * moments, 0);
    if (!multiplicity.empty()) data_.multiplicity.assign(groups * groups, 1);
    std::size_t pair = 0;
    for (std::size_t from = 0; from < groups; ++from)
      for (auto to = static_cast<std::size_t>(first[from] - 1); to < static_cast<std::size_t>(last[from]);
           ++to, ++pair) {
        for (std::size_t l = 0; l < moments; ++l)
          data_.scatter[(from * groups + to) * moments + l] = matrix[pair * moments + l];
        if (!multiplicity.empty()) data_.multiplicity[from * groups + to] = multiplicity[pair];
      }
  }

  const Hdf5File& file_;
  std::string name_;
  int groups_;
  std::string place_, temperature_place_;
  MultigroupData data_;
};

}  // namespace

MultigroupLibrary read_multigroup_library(const std::string& path, const std::vector<std::string>& names,
                                          double temperature) {
  const Hdf5File file(path, Hdf5File::Mode::read);
  file.require_format("multi-group library", "mgxs", 1);
  MultigroupLibrary library;
  const std::int64_t groups = file.attribute_integer("/", "energy_groups");
  if (groups < 1 || groups > 20000) file.fail(std::to_string(groups) + " energy groups are impossible");
  library.group_edges = file.attribute_doubles("/", "group structure");
  if (static_cast<std::int64_t>(library.group_edges.size()) != groups + 1)
    file.fail("\"group structure\" needs one value more than there are groups");
  if (!std::is_sorted(library.group_edges.begin(), library.group_edges.end()) ||
      std::adjacent_find(library.group_edges.begin(), library.group_edges.end()) !=
          library.group_edges.end() ||
      !(library.group_edges.front() >= 0) || !std::isfinite(library.group_edges.back()))
    file.fail("\"group structure\" has to rise, from 0 eV on");
  for (const std::string& name : names)
    library.data.push_back(EntryReader(file, name, static_cast<int>(groups), temperature).read());
  return library;
}

}  // namespace taihu::neutron
