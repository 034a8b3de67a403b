// SPDX-License-Identifier: Apache-2.0
// Thermal scattering data with discrete and continuous tables and each kind of elastic scattering; what the
// reader takes is sampled.
#include <cmath>

#include "taihu/neutron/input/nuclide_hdf5.h"
#include "taihu/neutron/test_library.h"
#include "tests/fuzz/edited_hdf5.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/hdf5_laws.h"

using namespace taihu::neutron;

/// A second temperature with the other kinds.
static void add_second_temperature(const std::string& table) {
  taihu::fuzz::Hdf5Writer file("base.h5");
  const std::string at = table + "/600K", law = at + "/inelastic/distribution", elastic = at + "/elastic";
  const auto line = [&](const std::string& place) {
    file.numbers(place, {1e-5, 4, 20, 20}, {2, 2});
    file.text(place, "type", "Tabulated1D");
    file.attribute(place, "breakpoints", {2});
    file.attribute(place, "interpolation", {2});
  };
  file.numbers(table + "/kTs/600K", {0.0517}, {});
  for (const std::string& group : {at, at + "/inelastic", elastic}) file.group(group, "");
  line(at + "/inelastic/xs");
  file.group(law, "incoherent_inelastic");
  file.table(law, "energy_out", {1, 1, 1, 1}, {0, 2, 4, 6});
  file.numbers(law + "/mu", {-.5, .5, -.5, .5, -.5, .5, -.5, .5}, {8});
  file.group(elastic + "/xs", "");
  file.group(elastic + "/distribution", "mixed_elastic");
  file.group(elastic + "/distribution/coherent", "coherent_elastic");
  file.group(elastic + "/distribution/incoherent", "incoherent_elastic_discrete");
  file.numbers(elastic + "/distribution/incoherent/mu_out", {-.5, .5, -.5, .5}, {2, 2});
  file.numbers(elastic + "/xs/coherent", {.01, .1, .02, .05}, {2, 2});
  file.text(elastic + "/xs/coherent", "type", "CoherentElastic");
  line(elastic + "/xs/incoherent");
}

static taihu::fuzz::EditedHdf5 make_edits() {
  write_test_thermal("base.h5", "c_A", "A1");
  add_second_temperature("/c_A");
  return {"base.h5",
          {"energy",
           "mu",
           "mu_out",
           "energy_out",
           "skewed",
           "xs",
           "distribution",
           "coherent",
           "incoherent",
           "elastic",
           "inelastic",
           "294K",
           "600K",
           "coherent_elastic",
           "incoherent_elastic",
           "incoherent_elastic_discrete",
           "mixed_elastic",
           "incoherent_inelastic",
           "incoherent_inelastic_discrete",
           "CoherentElastic",
           "IncoherentElastic",
           "Tabulated1D",
           "Polynomial",
           "continuous"}};
}

/// Every number that comes out has to be one that transport can go on with.
static void sample(const ThermalTable::AtTemperature& at) {
  for (const double energy : {1e-5, 0.0253, 3.9})
    for (std::uint64_t i = 0; i < 4; ++i) {
      Stream random(1, StreamUse::history, 1, i);
      const Outgoing out = at.law->sample(energy, random);
      const double elastic = at.elastic.cross_section(energy);
      const double mu = elastic > 0 ? at.elastic.sample_mu(energy, random) : 0;
      if (std::isfinite(out.energy) && std::isfinite(out.mu) && std::isfinite(elastic) && std::isfinite(mu))
        continue;
      std::fprintf(stderr, "%g eV: energy %g, cosine %g; elastic %g b, cosine %g\n", energy, out.energy,
                   out.mu, elastic, mu);
      std::abort();
    }
}

TAIHU_FUZZ_BYTES(input) {
  static const taihu::fuzz::EditedHdf5 edits = make_edits();
  edits.write("thermal.h5", input);
  const auto all = [](const std::vector<double>& temperatures) {
    std::vector<std::size_t> chosen(temperatures.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i;
    return chosen;
  };
  const std::unique_ptr<ThermalTable> table = read_thermal_hdf5("thermal.h5", "c_A", all);
  for (const ThermalTable::AtTemperature& at : table->temperatures) sample(at);
}
