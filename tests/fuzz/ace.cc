// SPDX-License-Identifier: Apache-2.0
// A file of ACE tables, read as a nuclide's and as thermal scattering data.
#include "taihu/neutron/input/ace_file.h"
#include "tests/fuzz/fuzz.h"

using namespace taihu::neutron;

static std::vector<std::size_t> all(const std::vector<double>& temperatures) {
  std::vector<std::size_t> chosen(temperatures.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i;
  return chosen;
}

TAIHU_FUZZ_FILE(path, "data.ace") {
  taihu::fuzz::run([&] { read_nuclide_ace(path, "H1", all); });
  taihu::fuzz::run([&] { read_thermal_ace(path, "c_H_in_H2O", all); });
}
