// SPDX-License-Identifier: Apache-2.0
// A nuclide of a continuous-energy library with each law of angles and energies; what the reader takes is
// sampled.
#include "taihu/neutron/input/nuclide_hdf5.h"

#include <cmath>

#include "taihu/neutron/nuclide/nuclide.h"
#include "taihu/neutron/test_library.h"
#include "tests/fuzz/edited_hdf5.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/hdf5_laws.h"

using namespace taihu::neutron;

static taihu::fuzz::EditedHdf5 make_edits() {
  TestNuclide nuclide;
  nuclide.name = "A1";
  nuclide.awr = 10;
  nuclide.elastic = nuclide.capture = nuclide.fission = nuclide.twice =
      nuclide.level = [](double) { return 1.0; };
  nuclide.delayed = 0.1;
  nuclide.unresolved = true;
  nuclide.temperatures = {293.6, 600};
  nuclide.factor = {1, 2};
  write_test_nuclide("base.h5", nuclide);
  taihu::fuzz::add_laws("base.h5", "/A1/reactions/reaction_016/product_0");
  return {"base.h5", {"energy",       "angle",
                      "distribution", "mu",
                      "energy_out",   "applicability",
                      "product_0",    "product_1",
                      "reaction_019", "distribution_1",
                      "total_nu",     "yield",
                      "293K",         "xs",
                      "uncorrelated", "correlated",
                      "kalbach-mann", "nbody",
                      "level",        "continuous",
                      "maxwell",      "evaporation",
                      "watt",         "Polynomial",
                      "Tabulated1D",  "neutron",
                      "delayed",      "A1"}};
}

/// Every number that comes out has to be one that transport can go on with.
static void sample(const AngleEnergyLaw& law) {
  for (const double energy : {1e-5, 1.0, 1e4, 2e7})
    for (std::uint64_t i = 0; i < 4; ++i) {
      Stream random(1, StreamUse::history, 1, i);
      const Outgoing out = law.sample(energy, random);
      if (std::isfinite(out.energy) && std::fabs(out.mu) <= 1) continue;
      std::fprintf(stderr, "energy %g with cosine %g was sampled at %g eV\n", out.energy, out.mu, energy);
      std::abort();
    }
}

TAIHU_FUZZ_BYTES(input) {
  static const taihu::fuzz::EditedHdf5 edits = make_edits();
  edits.write("nuclide.h5", input);
  const auto all = [](const std::vector<double>& temperatures) {
    std::vector<std::size_t> chosen(temperatures.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i;
    return chosen;
  };
  const std::vector<int> tallied{16, 102, 301};
  const std::unique_ptr<NuclideData> data = read_nuclide_hdf5("nuclide.h5", "A1", all, tallied);
  for (const auto* reactions : {&data->scattering, &data->fission})
    for (const NeutronReaction& reaction : *reactions)
      for (const NeutronProduct& product : reaction.products) sample(*product.law);
  for (const NeutronProduct& product : data->delayed) sample(*product.law);
  Stream random(1, StreamUse::history, 1, 0);
  for (const double energy : {1e-5, 1e4, 2e7}) data->elastic_angle.sample(energy, random);
}
