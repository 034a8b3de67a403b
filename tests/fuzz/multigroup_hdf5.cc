// SPDX-License-Identifier: Apache-2.0
// A multi-group library with each form of scattering and of fission.
#include "taihu/neutron/input/multigroup_library.h"
#include "tests/fuzz/edited_hdf5.h"
#include "tests/fuzz/fuzz.h"

using namespace taihu::neutron;

static MultigroupData entry(const char* name, AngleFormat format, int moments) {
  MultigroupData data;
  data.name = name;
  data.groups = 2;
  data.format = format;
  data.moments = moments;
  data.total = {1, 1};
  data.absorption = {0.5, 0.5};
  data.scatter.assign(std::size_t{4} * moments, 0.1);
  return data;
}

static taihu::fuzz::EditedHdf5 make_edits() {
  MultigroupData fuel = entry("fuel", AngleFormat::legendre, 2);
  fuel.fission = fuel.kappa_fission = {0.2, 0.2};
  fuel.nu_fission = {0.5, 0.5};
  fuel.chi = {1, 0};
  fuel.multiplicity = {1, 1, 1, 1};
  MultigroupData matrix = fuel;
  matrix.name = "matrix";
  matrix.chi = {1, 0, 0.5, 0.5};
  matrix.chi_by_group = true;
  write_multigroup_library("base.h5", {{1e-5, 1, 2e7},
                                       {fuel, matrix, entry("steps", AngleFormat::histogram, 4),
                                        entry("points", AngleFormat::tabular, 3)}});
  return {"base.h5",
          {"294K",
           "kTs",
           "total",
           "absorption",
           "fission",
           "nu-fission",
           "chi",
           "kappa-fission",
           "inverse-velocity",
           "scatter_data",
           "g_min",
           "g_max",
           "scatter_matrix",
           "multiplicity_matrix",
           "legendre",
           "histogram",
           "tabular",
           "isotropic",
           "angle",
           "[Order][G][G']",
           "mgxs",
           "fuel"}};
}

TAIHU_FUZZ_BYTES(input) {
  static const taihu::fuzz::EditedHdf5 edits = make_edits();
  edits.write("library.h5", input);
  for (const char* name : {"fuel", "matrix", "steps", "points"})
    taihu::fuzz::run([&] { read_multigroup_library("library.h5", {name}, 294); });
}
