// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/test_library.h"

#include <cmath>

#include "taihu/neutron/nuclide/nuclide.h"

namespace taihu::neutron {
namespace {

void write_function(Hdf5File& file, const std::string& place, const std::vector<double>& coefficients) {
  file.write(place, coefficients);
  file.write_attribute(place, "type", std::string("Polynomial"));
}

void write_line(Hdf5File& file, const std::string& place, const std::vector<double>& x,
                const std::vector<double>& y) {
  std::vector<double> both = x;
  both.insert(both.end(), y.begin(), y.end());
  file.write(place, both, {2, static_cast<std::int64_t>(x.size())});
  file.write_attribute(place, "type", std::string("Tabulated1D"));
  file.write_attribute(place, "breakpoints", std::vector<int>{static_cast<int>(x.size())});
  file.write_attribute(place, "interpolation", std::vector<int>{2});
}

void begin_product(Hdf5File& file, const std::string& product, const char* mode, double yield) {
  file.make_group(product);
  file.write_attribute(product, "particle", std::string("neutron"));
  file.write_attribute(product, "emission_mode", std::string(mode));
  file.write_attribute(product, "n_distribution", std::int64_t{1});
  write_function(file, product + "/yield", {yield});
  file.make_group(product + "/distribution_0");
  file.write_attribute(product + "/distribution_0", "type", std::string("uncorrelated"));
}

void write_spectrum(Hdf5File& file, const std::string& product, const char* type,
                    const std::vector<std::pair<std::string, double>>& parameters) {
  const std::string energy = product + "/distribution_0/energy";
  file.make_group(energy);
  file.write_attribute(energy, "type", std::string(type));
  file.write_attribute(energy, "u", std::vector<double>{-2e7});
  for (const auto& [name, value] : parameters)
    write_line(file, energy + "/" + name, {1e-5, 2e7}, {value, value});
}

class Writer {
 public:
  Writer(Hdf5File& file, const TestNuclide& nuclide) : file_(file), n_(nuclide), place_("/" + n_.name) {}

  void write() {
    file_.make_group(place_);
    file_.write_attribute(place_, "atomic_weight_ratio", std::vector<double>{n_.awr});
    for (const char* group : {"/kTs", "/energy", "/reactions"}) file_.make_group(place_ + group);
    for (const double t : n_.temperatures) {
      file_.write_number(place_ + "/kTs/" + name_of(t), t * boltzmann_eV_per_K);
      file_.write(place_ + "/energy/" + name_of(t), n_.energy);
    }
    reaction(2, n_.elastic, 0, true);
    reaction(102, n_.capture, 0, false);
    for (const TestNuclide::Loss& loss : n_.losses) reaction(loss.mt, loss.xs, 0, false, loss.redundant);
    if (n_.fission) write_fission();
    if (n_.twice) write_twice();
    if (n_.level) write_level();
    if (n_.unresolved) write_bands();
  }

 private:
  static std::string name_of(double t) { return std::to_string(static_cast<int>(std::lround(t))) + "K"; }

  std::string reaction(int mt, const TestNuclide::Function& xs, double q, bool centre,
                       bool redundant = false) {
    char number[16];
    std::snprintf(number, sizeof number, "%03d", mt);
    const std::string place = place_ + "/reactions/reaction_" + number;
    file_.make_group(place);
    file_.write_attribute(place, "mt", std::int64_t{mt});
    file_.write_attribute(place, "Q_value", std::vector<double>{q});
    file_.write_attribute(place, "center_of_mass", static_cast<std::int64_t>(centre));
    file_.write_attribute(place, "redundant", static_cast<std::int64_t>(redundant));
    for (std::size_t t = 0; t < n_.temperatures.size(); ++t) {
      std::vector<double> values;
      for (const double e : n_.energy) values.push_back(xs ? n_.factor[t] * xs(e) : 0);
      file_.make_group(place + "/" + name_of(n_.temperatures[t]));
      file_.write(place + "/" + name_of(n_.temperatures[t]) + "/xs", values);
      file_.write_attribute(place + "/" + name_of(n_.temperatures[t]) + "/xs", "threshold_idx",
                            std::int64_t{0});
    }
    return place;
  }

  void write_fission() {
    const std::string place = reaction(18, n_.fission, 2e8, false);
    begin_product(file_, place + "/product_0", "prompt", n_.nu - n_.delayed);
    write_spectrum(file_, place + "/product_0", "watt", {{"a", 0.988e6}, {"b", 2.249e-6}});
    file_.make_group(place_ + "/total_nu");
    write_function(file_, place_ + "/total_nu/yield", {n_.nu});
    if (!(n_.delayed > 0)) return;
    begin_product(file_, place + "/product_1", "delayed", n_.delayed);
    file_.write_attribute(place + "/product_1", "decay_rate", std::vector<double>{0.1});
    write_spectrum(file_, place + "/product_1", "maxwell", {{"theta", 1e3}});
  }

  void write_twice() {
    const std::string place = reaction(16, n_.twice, -1e4, false);
    begin_product(file_, place + "/product_0", "prompt", 2);
    write_spectrum(file_, place + "/product_0", "evaporation", {{"theta", 1e4}});
  }

  void write_level() {
    const std::string place = reaction(51, n_.level, n_.level_q, true);
    begin_product(file_, place + "/product_0", "prompt", 1);
    const std::string energy = place + "/product_0/distribution_0/energy";
    file_.make_group(energy);
    file_.write_attribute(energy, "type", std::string("level"));
    const double a = n_.awr;
    file_.write_attribute(energy, "threshold", std::vector<double>{-n_.level_q * (a + 1) / a});
    file_.write_attribute(energy, "mass_ratio", std::vector<double>{a * a / ((a + 1) * (a + 1))});
  }

  void write_bands() {
    const std::string place = place_ + "/urr/" + name_of(n_.temperatures[0]);
    file_.make_group(place_ + "/urr");
    file_.make_group(place);
    file_.write(place + "/energy", {1e3, 1e5});
    // Cumulative probability, total, elastic, fission, capture, heating; two bands.
    const std::vector<double> rows{0.6, 1, 0.5, 1.75, 0.5, 1.75, 0.5, 1.75, 0.5, 1.75, 1, 1};
    std::vector<double> table = rows;
    table.insert(table.end(), rows.begin(), rows.end());
    file_.write(place + "/table", table, {2, 6, 2});
    for (const auto& [name, value] :
         std::vector<std::pair<std::string, std::int64_t>>{{"interpolation", 2},
                                                           {"inelastic", 0},
                                                           {"absorption", n_.losses_in_bands ? 0 : -1},
                                                           {"multiply_smooth", 1}})
      file_.write_attribute(place, name, value);
  }

  Hdf5File& file_;
  const TestNuclide& n_;
  std::string place_;
};

}  // namespace

TestNuclide test_fuel() {
  TestNuclide n;
  n.name = "X235", n.awr = 233;
  n.elastic = constant(4), n.capture = constant(1), n.fission = constant(2);
  n.nu = 2.5, n.delayed = 0.1;
  return n;
}

void write_test_nuclide(const std::string& path, const TestNuclide& nuclide) {
  Hdf5File file(path, Hdf5File::Mode::create);
  file.write_attribute("/", "filetype", std::string("data_neutron"));
  Writer(file, nuclide).write();
  file.close();
}

void write_test_thermal(const std::string& path, const std::string& name, const std::string& nuclide) {
  Hdf5File file(path, Hdf5File::Mode::create);
  const std::string place = "/" + name, at = place + "/294K";
  for (const std::string& group :
       {place, place + "/kTs", at, at + "/inelastic", at + "/inelastic/distribution", at + "/elastic",
        at + "/elastic/distribution"})
    file.make_group(group);
  file.write_attribute(place, "atomic_weight_ratio", std::vector<double>{1});
  file.write_attribute(place, "energy_max", std::vector<double>{4});
  file.write_attribute(place, "nuclides", nuclide);
  file.write_number(place + "/kTs/294K", 293.6 * boltzmann_eV_per_K);
  write_line(file, at + "/inelastic/xs", {1e-5, 4}, {20, 20});
  const std::string law = at + "/inelastic/distribution";
  file.write_attribute(law, "type", std::string("incoherent_inelastic_discrete"));
  file.write(law + "/energy_out", {1e-5, 4}, {2, 1});
  file.write(law + "/mu_out", {-0.5, 0.5, -0.5, 0.5}, {2, 1, 2});
  file.write_integer(law + "/skewed", 0);
  file.write_attribute(at + "/elastic/distribution", "type", std::string("coherent_elastic"));
  file.write(at + "/elastic/xs", {0.01, 0.1, 0.02, 0.05}, {2, 2});
  file.write_attribute(at + "/elastic/xs", "type", std::string("CoherentElastic"));
  file.close();
}

std::string library_xml(const std::vector<std::string>& nuclides, const std::vector<std::string>& thermals) {
  std::string text = "<cross_sections>\n";
  for (const std::string& name : nuclides)
    text += "<library materials=\"" + name + "\" path=\"" + name + ".h5\" type=\"neutron\"/>\n";
  for (const std::string& name : thermals)
    text += "<library materials=\"" + name + "\" path=\"" + name + ".h5\" type=\"thermal\"/>\n";
  return text + "</cross_sections>\n";
}

}  // namespace taihu::neutron
