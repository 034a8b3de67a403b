// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/validation/validate_sweep.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "taihu/base/formatted.h"
#include "taihu/base/random.h"
#include "taihu/noc/validation/booksim_curves.h"
#include "taihu/noc/validation/booksim_sweep.h"

namespace taihu::noc {

namespace {

SweepRow row_of(const SweptCurve& curve) {
  SweepRow row;
  row.network.mesh = Mesh(curve.size, curve.size, curve.torus, Routing::yx);
  // BookSim's links are twice as long in a torus, but not those to the cores.
  row.network.link_cycles = curve.torus ? 2 : 1;
  row.network.vcs = curve.vcs;
  row.network.depth = curve.depth;
  row.network.bypass = true;
  row.network.route_at = RouteAt::front;
  row.traffic.pattern = curve.pattern;
  row.traffic.packet_flits = curve.packet_flits;
  row.other_saturation = curve.saturation;
  return row;
}

}  // namespace

SweepRow latencies_beside(const SweptCurve& curve) {
  SweepRow row = row_of(curve);
  for (const auto& point : curve.points) {
    TrafficConfig traffic = row.traffic;
    traffic.load = point.load;
    // 20000 packets: their mean is known to less than 1%.
    const auto measure =
        static_cast<Cycle>(20000 * traffic.packet_flits / point.load) / row.network.mesh.nodes();
    const double ours = measure_load(row.network, traffic, {2000, measure, 20000}).mean;
    row.compared.push_back({point.load, ours, point.latency - (curve.torus ? 0 : booksim_extra_cycles)});
  }
  return row;
}

namespace {

/// The mean of three runs: one run is accurate to 3% only, because the links that saturate carry the packets
/// of few nodes.
double mean_saturation(const SweptCurve& curve, const SweepRow& row) {
  constexpr int runs = 3;
  double sum = 0;
  for (int seed = 1; seed <= runs; ++seed) {
    TrafficConfig traffic = row.traffic;
    traffic.seed = static_cast<std::uint64_t>(seed);
    sum += saturation_load(row.network, traffic, {curve.period, 3 * curve.period, 20000});
  }
  return sum / runs;
}

}  // namespace

bool SweepRow::agrees() const noexcept {
  return std::abs(saturation_deviation()) <= saturation_tolerance &&
         std::all_of(compared.begin(), compared.end(), [](const Comparison& point) {
           return std::abs(point.deviation()) <= latency_tolerance;
         });
}

int stored_configurations() {
  return static_cast<int>(std::size(swept_curves));
}

std::vector<SweepRow> validate_sweep(int count, std::uint64_t seed, const Progress& progress) {
  std::vector<const SweptCurve*> curves;
  for (const SweptCurve& curve : swept_curves) curves.push_back(&curve);
  Random random(seed);
  for (std::size_t left = curves.size(); left > 1; --left)
    std::swap(curves[left - 1], curves[random.below(left)]);
  curves.resize(std::min(curves.size(), static_cast<std::size_t>(count)));
  std::vector<SweepRow> rows(curves.size());
  in_parallel(
      static_cast<int>(rows.size()),
      [&](int at) {
        const auto place = static_cast<std::size_t>(at);
        const SweptCurve& curve = *curves[place];
        rows[place] = latencies_beside(curve);
        rows[place].saturation = mean_saturation(curve, rows[place]);
      },
      progress);
  return rows;
}

std::string to_text(const std::vector<SweepRow>& rows) {
  std::string text = formatted(
      "compared with BookSim 2: saturation, and latency at 30%% 60%% 70%% of BookSim's (* beyond %.0f%% and "
      "%.1f%%)\n"
      "%-13s %-15s %3s %5s %5s %10s %8s %8s\n",
      100 * saturation_tolerance, 100 * latency_tolerance, "network", "pattern", "VCs", "depth", "flits",
      "saturation", "BookSim", "");
  std::size_t agreeing = 0;
  for (const SweepRow& row : rows) {
    agreeing += row.agrees();
    text +=
        formatted("%-13s %-15s %3d %5d %5d %10.3f %8.3f %+7.1f%%  ", row.network.mesh.describe().c_str(),
                  to_text(row.traffic.pattern), row.network.vcs, row.network.depth, row.traffic.packet_flits,
                  row.saturation, row.other_saturation, 100 * row.saturation_deviation());
    for (const Comparison& point : row.compared) text += formatted(" %+5.1f%%", 100 * point.deviation());
    text += row.agrees() ? "\n" : " *\n";
  }
  const bool single_flits = std::any_of(rows.begin(), rows.end(), [](const SweepRow& row) {
    return row.traffic.packet_flits == 1 && !row.agrees();
  });
  if (single_flits)
    text +=
        "packets of one flit: a head takes the emptiest VC, BookSim's the next free one in turn, so "
        "latencies are up to "
        "4% below BookSim's\n";
  return text + formatted("%zu of %zu configurations are within the tolerances\n", agreeing, rows.size());
}

}  // namespace taihu::noc
