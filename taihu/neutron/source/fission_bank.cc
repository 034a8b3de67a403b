// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/source/fission_bank.h"

#include "taihu/parallel/shared_error.h"

namespace taihu::neutron {

std::vector<Site> in_history_order(const std::vector<std::vector<Site>*>& lists, std::int64_t histories) {
  std::vector<std::int64_t> place(histories + 1);
  for (const std::vector<Site>* list : lists)
    for (const Site& site : *list) ++place[site.parent + 1];
  for (std::int64_t i = 0; i < histories; ++i) place[i + 1] += place[i];
  std::vector<Site> ordered(place[histories]);
  for (const std::vector<Site>* list : lists)
    for (const Site& site : *list) ordered[place[site.parent]++] = site;
  return ordered;
}

std::vector<Site> next_source(parallel::Communicator& ranks, const std::vector<Site>& sites,
                              std::int64_t count, Stream random, std::span<const std::int64_t> weights) {
  const auto weight_of = [&](std::size_t site) { return weights.empty() ? std::int64_t{1} : weights[site]; };
  std::int64_t here = 0;
  for (std::size_t site = 0; site < sites.size(); ++site) here += weight_of(site);
  const std::vector<std::int64_t> made = ranks.all(here);
  std::int64_t total = 0, before = 0;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    if (rank < ranks.rank()) before += made[rank];
    total += made[rank];
  }
  parallel::check_alike(total > 0,
                        "no fission neutrons are left; start with a better source or more particles");
  // Tooth i takes the site that has unit floor((i * total + offset) / count) of all weights, with one offset
  // in [0, total) for all teeth, in integer arithmetic.
  const auto offset = static_cast<std::int64_t>(random.uniform() * static_cast<double>(total));
  const auto unit_of = [&](std::int64_t tooth) {
    return static_cast<std::int64_t>((static_cast<__int128>(tooth) * total + offset) / count);
  };
  // First tooth whose unit is not before `unit`.
  const auto tooth_of = [&](std::int64_t unit) {
    const __int128 need = static_cast<__int128>(unit) * count - offset;
    return need <= 0 ? 0 : static_cast<std::int64_t>((need + total - 1) / total);
  };
  const std::int64_t first = tooth_of(before);
  std::int64_t last = tooth_of(before + here);
  if (last > count) last = count;
  std::vector<Site> taken;
  std::vector<std::int64_t> counts(ranks.size());
  int owner = 0;
  std::size_t site = 0;
  std::int64_t end = before + (sites.empty() ? 0 : weight_of(0));  // of the site's units
  for (std::int64_t tooth = first; tooth < last; ++tooth) {
    while (unit_of(tooth) >= end) end += weight_of(++site);
    taken.push_back(sites[site]);
    while (tooth >= first_history(count, owner + 1, ranks.size())) ++owner;
    ++counts[owner];
  }
  return ranks.exchange<Site>(taken, counts);
}

}  // namespace taihu::neutron
