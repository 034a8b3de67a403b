// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/run/domain_report.h"

#include <sys/resource.h>

#include <algorithm>
#include <numeric>

#include "taihu/base/formatted.h"

namespace taihu::neutron {
namespace {

/// Of one rank.
enum Column { flights, arrived, outside, busy_us, waiting_us, tally_bytes, process_kilobytes, column_count };

/// The most that this process has had in memory.
std::int64_t process_kilobytes_here() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

std::array<std::int64_t, column_count> row_here(const Simulation& simulation) {
  const DomainLoad load = simulation.load();
  std::array<std::int64_t, column_count> row{};
  row[flights] = simulation.flights_since_move();
  row[arrived] = load.arrived;
  row[outside] = load.outside;
  row[busy_us] = static_cast<std::int64_t>(load.busy * 1e6);
  row[waiting_us] = static_cast<std::int64_t>(load.waiting * 1e6);
  row[tally_bytes] = simulation.most_tally_bytes();
  row[process_kilobytes] = process_kilobytes_here();
  return row;
}

}  // namespace

std::string memory_report(Simulation& simulation) {
  std::array<double, 2> most{static_cast<double>(simulation.most_tally_bytes()),
                             static_cast<double>(process_kilobytes_here())};
  simulation.ranks().maximum(most);
  return formatted("memory           %.1f MB for tallies of a rank at most, largest process %.1f MB",
                   most[0] * 1e-6, most[1] * 1.024e-3);
}

std::vector<std::string> domain_report(Simulation& simulation) {
  if (simulation.domains() == nullptr) return {};
  const Domains& domains = *simulation.domains();
  const std::array<std::int64_t, column_count> mine = row_here(simulation);
  std::array<std::vector<std::int64_t>, column_count> of_rank;
  for (int column = 0; column < column_count; ++column)
    of_rank[column] = simulation.ranks().all(mine[column]);
  const auto largest = [&](Column column) {
    return *std::max_element(of_rank[column].begin(), of_rank[column].end());
  };
  const std::int64_t all_flights =
      std::accumulate(of_rank[flights].begin(), of_rank[flights].end(), std::int64_t{0});
  const std::int64_t all_busy =
      std::accumulate(of_rank[busy_us].begin(), of_rank[busy_us].end(), std::int64_t{0});
  std::vector<std::string> lines;
  const DomainMove* const move = simulation.last_move();
  const std::string since =
      move == nullptr ? "" : ", as they are since batch " + std::to_string(move->batch + 1);
  lines.push_back(formatted("domains          %d x %d x %d on %d ranks%s", domains.shape()[0],
                            domains.shape()[1], domains.shape()[2], domains.ranks(), since.c_str()));
  lines.emplace_back(
      "  domain  ranks  flights %   came in  scored beyond  busy s: mean  most  waiting s: mean  tallies MB: "
      "most  process MB");
  for (int domain = 0; domain < domains.count(); ++domain) {
    const int first = domains.first_rank(domain), count = domains.replicas(domain);
    const auto sum = [&](Column column) {
      return std::accumulate(of_rank[column].begin() + first, of_rank[column].begin() + first + count,
                             std::int64_t{0});
    };
    const auto most = [&](Column column) {
      return *std::max_element(of_rank[column].begin() + first, of_rank[column].begin() + first + count);
    };
    const std::array<int, 3> layers = domains.layers_of(domain);
    lines.push_back(formatted(
        "  %d %d %d%8d%11.1f%10lld%15lld%14.3f%6.3f%17.3f%18.3f%12.1f", layers[0], layers[1], layers[2],
        count,
        all_flights > 0 ? 100.0 * static_cast<double>(sum(flights)) / static_cast<double>(all_flights) : 0.0,
        static_cast<long long>(sum(arrived)), static_cast<long long>(sum(outside)),
        static_cast<double>(sum(busy_us)) * 1e-6 / count, static_cast<double>(most(busy_us)) * 1e-6,
        static_cast<double>(sum(waiting_us)) * 1e-6 / count, static_cast<double>(most(tally_bytes)) * 1e-6,
        static_cast<double>(most(process_kilobytes)) * 1.024e-3));
  }
  const double mean_busy = static_cast<double>(all_busy) / domains.ranks();
  lines.push_back(formatted("balance          %.2f (busiest rank / mean)",
                            mean_busy > 0 ? static_cast<double>(largest(busy_us)) / mean_busy : 1.0));
  return lines;
}

}  // namespace taihu::neutron
