// SPDX-License-Identifier: Apache-2.0
// A history that leaves its domain, packed as bytes: the particle, the levels of its location, the fission
// sites that it has made and its secondary neutrons. How it continues depends on nothing else.
#include "taihu/neutron/transport/history.h"

namespace taihu::neutron {
namespace {

struct Lengths {
  std::int32_t depth = 0;
  MaterialId material;
  std::int32_t instance = -1;
  std::uint32_t sites = 0, secondaries = 0;
};

}  // namespace

void HistoryRunner::pack(parallel::Bytes& bytes) {
  const Lengths lengths{.depth = state_.location.depth,
                        .material = state_.location.material,
                        .instance = state_.location.instance,
                        .sites = static_cast<std::uint32_t>(made()),
                        .secondaries = static_cast<std::uint32_t>(state_.secondaries.size())};
  parallel::append(bytes, state_.particle);
  parallel::append(bytes, lengths);
  parallel::append(bytes, state_.location.levels, static_cast<std::size_t>(lengths.depth));
  parallel::append(bytes, state_.sites.data() + state_.first_site, lengths.sites);
  parallel::append(bytes, state_.secondaries.data(), lengths.secondaries);
  state_.sites.resize(state_.first_site);
}

bool HistoryRunner::go_on(parallel::Reader& bytes, std::uint64_t generation, double k, bool tallying) {
  state_.generation = generation;
  state_.k = k;
  state_.bins.set_k(k);
  state_.tallying = tallying;
  state_.values = nullptr;
  bytes.read(&state_.particle, 1);
  state_.traced = is_traced();
  const auto lengths = bytes.read<Lengths>();
  state_.location.depth = lengths.depth;
  state_.location.material = lengths.material;
  state_.location.instance = lengths.instance;
  bytes.read(state_.location.levels, static_cast<std::size_t>(lengths.depth));
  state_.first_site = state_.sites.size();
  state_.sites.resize(state_.first_site + lengths.sites);
  bytes.read(state_.sites.data() + state_.first_site, lengths.sites);
  state_.secondaries.resize(lengths.secondaries);
  bytes.read(state_.secondaries.data(), lengths.secondaries);
  return finish_history(true);
}

}  // namespace taihu::neutron
