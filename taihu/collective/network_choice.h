// SPDX-License-Identifier: Apache-2.0
// Forms of collectives chosen by the network that the user describes (TAIHU_NETWORK): per group and length,
// from the places of its members, or of the leaders of its node processes. Without a description nothing is
// chosen.
//
// Members choose for themselves, so the description has to be the same on all nodes.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "taihu/collective/choice_notes.h"
#include "taihu/collective/membership.h"
#include "taihu/launch/layout.h"
#include "taihu/schedule/alltoall_choice.h"
#include "taihu/schedule/collective_choice.h"
#include "taihu/topology/interconnect.h"

namespace taihu::collective {

/// A network, and which of its nodes each node process of the job is on. Any thread.
class JobNetwork {
 public:
  /// Hosts of the job are looked up by name; where the description names none, they are its first nodes, in
  /// the order of the job. Throws Error when the network lacks one of them.
  JobNetwork(topology::NamedInterconnect description, const launch::Layout& layout);

  const topology::Interconnect& network() const noexcept { return *description_.network; }
  /// The node of each member of ranks of the job.
  std::vector<int> nodes_of(const launch::Layout& layout, const std::vector<int>& ranks) const;

  /// One line for each choice that this node process has made.
  ChoiceNotes& choices() noexcept { return choices_; }

 private:
  topology::NamedInterconnect description_;
  std::vector<int> node_of_process_;
  ChoiceNotes choices_;
};

/// By the file that TAIHU_NETWORK names; null when it names none. Throws Error for a file that cannot be
/// used.
std::shared_ptr<JobNetwork> network_of_job(const launch::Layout& layout);

/// The forms of alltoall of one group. Any thread.
class AlltoallForms {
 public:
  /// `nodes`: member -> node of the network.
  AlltoallForms(std::shared_ptr<JobNetwork> network, std::vector<int> nodes);

  /// For blocks of `bytes`, of which only the next power of two counts; null when all members are on one
  /// node. The first call for a power estimates all forms.
  const schedule::Schedule* form(std::size_t bytes);
  /// Takes `form` for these lengths in place of a choice, before the first call with one: for tests.
  void prescribe(std::size_t bytes, schedule::Schedule form);

 private:
  std::shared_ptr<JobNetwork> network_;
  schedule::Placed placed_;
  bool has_choice_;
  std::mutex mutex_;
  std::map<std::size_t, schedule::Schedule> forms_;  ///< by the power of two
};

/// The forms of the other collectives among the leaders of a group's node processes. Any thread.
class LeaderForms {
 public:
  /// `nodes`: node process of the group -> node of the network; `ranks`: all members, for what is told.
  LeaderForms(std::shared_ptr<JobNetwork> network, std::vector<int> nodes, int ranks);

  /// For `bytes` in all of a bcast or allreduce, of a node process's blocks of the others; only the next
  /// power of two counts. Null when all leaders are on one node. The first call for a power estimates all
  /// forms.
  const schedule::CollectiveForm* form(schedule::Collective collective, std::size_t bytes);
  /// As AlltoallForms::prescribe.
  void prescribe(schedule::Collective collective, std::size_t bytes, schedule::CollectiveForm form);
  const schedule::Placed& placed() const noexcept { return placed_; }

 private:
  using Key = std::pair<schedule::Collective, std::size_t>;

  std::shared_ptr<JobNetwork> network_;
  schedule::Placed placed_;
  int ranks_;
  bool has_choice_;
  std::mutex mutex_;
  std::map<Key, schedule::CollectiveForm> forms_;  ///< by the power of two
};

}  // namespace taihu::collective
