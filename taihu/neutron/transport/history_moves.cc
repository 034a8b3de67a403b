// SPDX-License-Identifier: Apache-2.0
// A history that leaves its domain as bytes: the numbers in `Suitcase`, then the levels of its location, the
// fission sites that it has made and its secondary neutrons. What it does next depends on nothing else.
#include "taihu/neutron/transport/history.h"

namespace taihu::neutron {
namespace {

struct Suitcase {
  std::uint64_t history = 0;
  Stream random;
  double weight = 0, energy = 0;
  std::uint64_t band = 0;
  std::int64_t events = 0, born = 0;
  double totals[total_count] = {};
  std::int32_t group = 0, depth = 0, material = 0, born_cell = 0;
  std::uint32_t parent = 0, sites = 0, secondaries = 0;
};

}  // namespace

void HistoryRunner::pack(Bytes& bytes) {
  Suitcase suitcase{.history = history_,
                    .random = random_,
                    .weight = weight_,
                    .energy = energy_,
                    .band = band_,
                    .events = events_,
                    .born = born_,
                    .totals = {},
                    .group = group_,
                    .depth = location_.depth,
                    .material = location_.material,
                    .born_cell = born_cell_,
                    .parent = parent_,
                    .sites = static_cast<std::uint32_t>(sites_.size() - first_site_),
                    .secondaries = static_cast<std::uint32_t>(secondaries_.size())};
  for (int i = 0; i < total_count; ++i) suitcase.totals[i] = history_totals_[i];
  append(bytes, suitcase);
  append(bytes, location_.levels, static_cast<std::size_t>(location_.depth));
  append(bytes, sites_.data() + first_site_, suitcase.sites);
  append(bytes, secondaries_.data(), suitcase.secondaries);
  sites_.resize(first_site_);
}

bool HistoryRunner::go_on(Reader& bytes, std::uint64_t generation, double k, bool tallying) {
  Suitcase suitcase{.random = random_};
  bytes.read(&suitcase, 1);
  generation_ = generation;
  k_ = k;
  tallying_ = tallying;
  history_ = suitcase.history;
  random_ = suitcase.random;
  weight_ = suitcase.weight;
  energy_ = suitcase.energy;
  band_ = suitcase.band;
  events_ = suitcase.events;
  born_ = suitcase.born;
  for (int i = 0; i < total_count; ++i) history_totals_[i] = suitcase.totals[i];
  group_ = suitcase.group;
  location_.depth = suitcase.depth;
  location_.material = suitcase.material;
  born_cell_ = suitcase.born_cell;
  parent_ = suitcase.parent;
  values_ = nullptr;
  bytes.read(location_.levels, static_cast<std::size_t>(suitcase.depth));
  first_site_ = sites_.size();
  sites_.resize(first_site_ + suitcase.sites);
  bytes.read(sites_.data() + first_site_, suitcase.sites);
  secondaries_.resize(suitcase.secondaries);
  bytes.read(secondaries_.data(), suitcase.secondaries);
  return finish_history(true);
}

}  // namespace taihu::neutron
