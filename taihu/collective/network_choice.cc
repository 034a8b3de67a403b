// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/network_choice.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "taihu/base/error.h"
#include "taihu/base/formatted.h"
#include "taihu/collective/choice.h"

namespace taihu::collective {

namespace {

bool are_apart(const std::vector<int>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [&](int node) { return node != nodes.front(); });
}

}  // namespace

JobNetwork::JobNetwork(topology::NamedInterconnect description, const launch::Layout& layout)
    : description_(std::move(description)) {
  std::vector<int> place_of_host;
  for (std::size_t host = 0; host < layout.node_names.size(); ++host) {
    const std::string& name = layout.node_names[host];
    const int place = description_.hosts.empty() ? static_cast<int>(host) : description_.node_of(name);
    check_input(place >= 0,
                "the network of TAIHU_NETWORK has no host " + name + "; add it to 'hosts' of the file");
    check_input(place < network().nodes(), "the network of TAIHU_NETWORK has " +
                                               std::to_string(network().nodes()) + " nodes, the job " +
                                               std::to_string(layout.node_names.size()));
    place_of_host.push_back(place);
  }
  for (const int host : layout.node_of_process)
    node_of_process_.push_back(place_of_host[static_cast<std::size_t>(host)]);
}

std::vector<int> JobNetwork::nodes_of(const launch::Layout& layout, const std::vector<int>& ranks) const {
  std::vector<int> nodes;
  nodes.reserve(ranks.size());
  for (const int rank : ranks)
    nodes.push_back(node_of_process_[static_cast<std::size_t>(layout.process_of(rank))]);
  return nodes;
}

std::shared_ptr<JobNetwork> network_of_job(const launch::Layout& layout) {
  const char* const file = std::getenv("TAIHU_NETWORK");
  if (file == nullptr || *file == '\0') return nullptr;
  return std::make_shared<JobNetwork>(topology::read_interconnect(file), layout);
}

AlltoallForms::AlltoallForms(std::shared_ptr<JobNetwork> network, std::vector<int> nodes)
    : network_(std::move(network)),
      placed_{network_->network(), std::move(nodes)},
      has_choice_(are_apart(placed_.nodes)) {}

const schedule::Schedule* AlltoallForms::form(std::size_t bytes) {
  if (!has_choice_ || bytes == 0) return nullptr;
  const std::size_t power = std::bit_ceil(bytes);
  const std::scoped_lock lock(mutex_);
  const auto known = forms_.find(power);
  if (known != forms_.end()) return &known->second;
  schedule::AlltoallChoice choice = schedule::choose_alltoall(placed_, power);
  network_->choices().note(formatted("alltoall of %d members, blocks of %zu to %zu bytes: %s\n",
                                     placed_.members(), power / 2 + 1, power, choice.reason.c_str()));
  return &forms_.emplace(power, std::move(choice.schedule)).first->second;
}

void AlltoallForms::prescribe(std::size_t bytes, schedule::Schedule form) {
  const std::scoped_lock lock(mutex_);
  forms_.emplace(std::bit_ceil(bytes), std::move(form));
}

LeaderForms::LeaderForms(std::shared_ptr<JobNetwork> network, std::vector<int> nodes, int ranks)
    : network_(std::move(network)),
      placed_{network_->network(), std::move(nodes)},
      ranks_(ranks),
      has_choice_(are_apart(placed_.nodes)) {}

const schedule::CollectiveForm* LeaderForms::form(schedule::Collective collective, std::size_t bytes) {
  if (!has_choice_ || bytes == 0) return nullptr;
  const std::size_t power = std::bit_ceil(bytes);
  const std::scoped_lock lock(mutex_);
  const auto known = forms_.find({collective, power});
  if (known != forms_.end()) return &known->second;
  schedule::CollectiveChoice choice = schedule::choose_collective(collective, placed_, power, long_bytes());
  network_->choices().note(formatted("%s of %d members in %d node processes, %zu to %zu bytes: %s\n",
                                     schedule::name_of(collective), ranks_, placed_.members(), power / 2 + 1,
                                     power, choice.reason.c_str()));
  return &forms_.emplace(Key{collective, power}, std::move(choice.form)).first->second;
}

void LeaderForms::prescribe(schedule::Collective collective, std::size_t bytes,
                            schedule::CollectiveForm form) {
  const std::scoped_lock lock(mutex_);
  forms_.emplace(Key{collective, std::bit_ceil(bytes)}, std::move(form));
}

}  // namespace taihu::collective
