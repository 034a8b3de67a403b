// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/nuclide/probability_table.h"

#include <algorithm>
#include <cmath>

#include "taihu/base/error.h"

namespace taihu::neutron {

void ProbabilityTable::check(const std::string& what) const {
  const std::size_t points = energy.size() * static_cast<std::size_t>(bands);
  check_input(energy.size() >= 2 && bands >= 1 && cumulative.size() == points &&
                  values.size() == points * column_count,
              what + ": the sizes of a probability table do not fit");
  check_input(std::is_sorted(energy.begin(), energy.end()) && energy.front() > 0,
              what + ": the energies of a probability table have to rise");
  for (std::size_t i = 0; i < points; ++i)
    check_input(cumulative[i] >= 0 && cumulative[i] <= 1 + 1e-6 &&
                    (i % bands == 0 || cumulative[i] >= cumulative[i - 1] - 1e-9),
                what + ": the probabilities of a probability table have to rise to one");
  for (const double value : values)
    check_input(std::isfinite(value), what + ": a value of a probability table is not finite");
}

ProbabilityTable::Values ProbabilityTable::at(double e, double xi) const noexcept {
  const std::size_t i =
      std::clamp<std::ptrdiff_t>(std::upper_bound(energy.begin(), energy.end(), e) - energy.begin() - 1, 0,
                                 static_cast<std::ptrdiff_t>(energy.size()) - 2);
  const auto band_of = [&](std::size_t row) {
    const double* first = cumulative.data() + row * bands;
    const std::ptrdiff_t band = std::upper_bound(first, first + bands, xi) - first;
    return values.data() + (row * bands + std::min<std::ptrdiff_t>(band, bands - 1)) * column_count;
  };
  const double *low = band_of(i), *high = band_of(i + 1);
  const double width = energy[i + 1] - energy[i];
  const double f =
      log_log ? std::log(e / energy[i]) / std::log(energy[i + 1] / energy[i]) : (e - energy[i]) / width;
  const auto value = [&](Column column) {
    const double first = low[column], second = high[column];
    if (log_log && (first <= 0 || second <= 0)) return 0.0;
    if (!(width > 0)) return std::max(0.0, second);
    return log_log ? first * std::exp(f * std::log(second / first))
                   : std::max(0.0, first + f * (second - first));
  };
  return {value(elastic), value(fission), value(capture)};
}

/// Interpolated values lie between those of the two energies around.
ProbabilityTable::Values ProbabilityTable::most_between(double a, double b) const noexcept {
  const auto last = static_cast<std::ptrdiff_t>(energy.size()) - 1;
  const auto row_below = std::upper_bound(energy.begin(), energy.end(), a) - energy.begin() - 1;
  const auto row_above = std::lower_bound(energy.begin(), energy.end(), b) - energy.begin();
  Values most;
  for (std::ptrdiff_t row = std::clamp<std::ptrdiff_t>(row_below, 0, last);
       row <= std::clamp<std::ptrdiff_t>(row_above, 0, last); ++row)
    for (int band = 0; band < bands; ++band) {
      const double* value = values.data() + (row * bands + band) * column_count;
      most.elastic = std::max(most.elastic, value[elastic]);
      most.fission = std::max(most.fission, value[fission]);
      most.capture = std::max(most.capture, value[capture]);
    }
  return most;
}

}  // namespace taihu::neutron
