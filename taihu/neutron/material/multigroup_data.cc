// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/material/multigroup_data.h"

#include <cmath>

#include "taihu/base/error.h"
#include "taihu/base/formatted.h"

namespace taihu::neutron {
namespace {

void check_values(const MultigroupData& data, const char* what, const std::vector<double>& values,
                  std::size_t size) {
  check_input(values.size() == size, "cross sections \"" + data.name + "\": " + what + " has " +
                                         std::to_string(values.size()) + " values instead of " +
                                         std::to_string(size));
  for (const double value : values)
    check_input(std::isfinite(value) && value >= 0,
                "cross sections \"" + data.name + "\": " + what + " has the value " + std::to_string(value));
}

}  // namespace

void limit_order(MultigroupData& data, int order) {
  if (data.format != AngleFormat::legendre || order + 1 >= data.moments) return;
  const std::size_t before = data.moments, after = static_cast<std::size_t>(order) + 1;
  std::vector<double> kept;
  for (std::size_t pair = 0; pair < data.scatter.size() / before; ++pair)
    for (std::size_t l = 0; l < after; ++l) kept.push_back(data.scatter[pair * before + l]);
  data.scatter = std::move(kept);
  data.moments = static_cast<int>(after);
}

void check(const MultigroupData& data) {
  const std::size_t groups = data.groups;
  check_values(data, "total", data.total, groups);
  check_values(data, "absorption", data.absorption, groups);
  if (!data.fission.empty()) check_values(data, "fission", data.fission, groups);
  if (!data.kappa_fission.empty()) check_values(data, "kappa-fission", data.kappa_fission, groups);
  if (!data.nu_fission.empty()) check_values(data, "nu-fission", data.nu_fission, groups);
  if (!data.multiplicity.empty())
    check_values(data, "multiplicity_matrix", data.multiplicity, groups * groups);
  if (!data.inverse_velocity.empty()) check_values(data, "inverse-velocity", data.inverse_velocity, groups);
  check_input(data.scatter.size() == groups * groups * data.moments,
              "cross sections \"" + data.name + "\": scatter_matrix has a wrong size");
  for (const double value : data.scatter)
    check_input(std::isfinite(value), "cross sections \"" + data.name + "\": scatter_matrix is not finite");
  for (std::size_t g = 0; g < groups; ++g) {
    const std::string where = "cross sections \"" + data.name + "\", group " + std::to_string(g + 1) + ": ";
    check_input(data.absorption[g] <= data.total[g] * (1 + 1e-4), where + "absorption is larger than total");
    double out = 0;
    for (std::size_t i = 0; i < groups * data.moments; ++i) {
      if (data.format == AngleFormat::legendre && i % data.moments != 0) continue;
      const double part = data.scatter[g * groups * data.moments + i];
      // Remainders of a library's rounding are not sampled.
      check_input(part >= -1e-6 * data.total[g],
                  where + "scattering to group " + std::to_string(i / data.moments + 1) + " is negative");
      out += part;
    }
    check_input(out > 0 || data.total[g] - data.absorption[g] <= 1e-4 * data.total[g],
                where + "total exceeds absorption but nothing is scattered");
    // Whoever is not absorbed is scattered: with such numbers, next to nobody would ever be absorbed.
    constexpr double most_too_large = 10;
    check_input(data.format != AngleFormat::legendre ||
                    data.total[g] - data.absorption[g] <= most_too_large * out + 1e-4 * data.total[g],
                where + formatted("total less absorption is %g, but only %g is scattered",
                                  data.total[g] - data.absorption[g], out));
  }
  if (data.chi.empty()) return;
  check_values(data, "chi", data.chi, data.chi_by_group ? groups * groups : groups);
  check_input(data.nu_fission.size() == groups,
              "cross sections \"" + data.name + "\": chi without nu-fission");
  for (std::size_t g = 0; g < groups; ++g) {
    double sum = 0;
    for (std::size_t to = 0; to < groups; ++to) sum += data.chi[data.chi_by_group ? g * groups + to : to];
    check_input(data.nu_fission[g] == 0 || sum > 0, "cross sections \"" + data.name + "\", group " +
                                                        std::to_string(g + 1) + ": chi is zero everywhere");
  }
}

}  // namespace taihu::neutron
