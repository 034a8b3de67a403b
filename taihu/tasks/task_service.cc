// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/task_service.h"

#include <algorithm>

namespace taihu::tasks {

using launch::Layout;
using launch::Scope;

namespace {

constexpr int global_level = 0;
constexpr int region_level = 1;

}  // namespace

/// Who serves a group: its node processes first_process .. last_process and their regions.
struct TaskService::Hierarchy {
  Hierarchy(const Layout& layout, Scope scope, int first_rank)
      : layout(layout),
        first_process(layout.process_of(first_rank)),
        last_process(layout.process_of(first_rank + layout.size(scope) - 1)) {
    int regions_found = 0;
    for (int process = first_process; process <= last_process; ++process) {
      regions_found += region_master(process) == process ? 1 : 0;
    }
    has_regions = regions_found > 1 && regions_found < processes();
    regions = has_regions ? regions_found : 0;
  }

  int processes() const { return last_process - first_process + 1; }

  int region_of(int process) const {
    return layout.group_start(Scope::snode, layout.first_rank[static_cast<std::size_t>(process)]);
  }

  /// First process of the region of `process`.
  int region_master(int process) const {
    int master = process;
    while (master > first_process && region_of(master - 1) == region_of(process)) --master;
    return master;
  }

  int processes_of_region(int master) const {
    int end = master;
    while (end <= last_process && region_of(end) == region_of(master)) ++end;
    return end - master;
  }

  const Layout& layout;
  int first_process;
  int last_process;
  bool has_regions = false;
  int regions = 0;
};

TaskService::TaskService(message::Node& node, int array_size, std::int64_t deadline_ns)
    : node_(node), array_size_(array_size), deadline_ns_(deadline_ns) {
  const Layout& layout = node.layout();
  first_rank_ = layout.first_rank[static_cast<std::size_t>(node.process())];
  end_rank_ = layout.first_rank[static_cast<std::size_t>(node.process()) + 1];
  ranks_.resize(static_cast<std::size_t>(end_rank_ - first_rank_));
  for (const Scope scope : {Scope::all, Scope::snode, Scope::bnode, Scope::node}) {
    for (int start = layout.group_start(scope, first_rank_); start < end_rank_; start += layout.size(scope)) {
      build_group(scope, start);
    }
  }
  for (int rank = first_rank_; rank < end_rank_; ++rank) build_array_pool(rank);
  node.serve(message::Service::task,
             [this](std::shared_ptr<message::ServiceCall> call) { handle(std::move(call)); });
}

void TaskService::build_group(Scope scope, int start) {
  const Hierarchy hierarchy(node_.layout(), scope, start);
  const int self = node_.process();
  const TaskAddress global{static_cast<int>(scope), start, global_level};
  const TaskAddress region{static_cast<int>(scope), start, region_level};
  if (hierarchy.first_process == self) {
    const int children = hierarchy.has_regions ? hierarchy.regions : hierarchy.processes();
    masters_[global] = std::make_unique<TaskDistributor>(children, hierarchy.processes(), nullptr);
  }
  TaskSupplier* above = nullptr;
  if (hierarchy.has_regions) {
    const int master = hierarchy.region_master(self);
    if (master == self) {
      const int processes = hierarchy.processes_of_region(self);
      masters_[region] =
          std::make_unique<TaskDistributor>(processes, processes, &supplier(hierarchy.first_process, global));
    }
    above = &supplier(master, region);
  } else {
    above = &supplier(hierarchy.first_process, global);
  }
  const int first = std::max(start, first_rank_);
  const int end = std::min(start + node_.layout().size(scope), end_rank_);
  // Reports of completed tasks wait for the disk, so they have a way of their own to the master.
  TaskSupplier& recorder = supplier(hierarchy.first_process, global);
  pools_.push_back(
      std::make_unique<TaskPool>(first, end - first, array_size_, *above, recorder, deadline_ns_));
  for (int rank = first; rank < end; ++rank) {
    ranks_[static_cast<std::size_t>(rank - first_rank_)].pools[static_cast<std::size_t>(scope)] =
        pools_.back().get();
  }
}

void TaskService::build_array_pool(int rank) {
  array_masters_.push_back(std::make_unique<TaskDistributor>(1, 1, nullptr));
  pools_.push_back(std::make_unique<TaskPool>(rank, 1, array_size_, *array_masters_.back(),
                                              *array_masters_.back(), deadline_ns_));
  ranks_[static_cast<std::size_t>(rank - first_rank_)].pools[array_scope] = pools_.back().get();
}

/// The master at `address` in `process`, as those below it see it.
TaskSupplier& TaskService::supplier(int process, TaskAddress address) {
  if (process == node_.process()) return *masters_.at(address);
  return *remote_.emplace_back(std::make_unique<RemoteTaskSupplier>(node_, process, address));
}

/// The groups whose global master is here.
std::vector<TaskProgress::Group> TaskService::groups_served() const {
  constexpr const char* names[] = {"CCC_ALL", "CCC_SNODE", "CCC_BNODE", "CCC_NODE"};
  std::vector<TaskProgress::Group> groups;
  const Layout& layout = node_.layout();
  for (const auto& [address, master] : masters_) {
    if (address.level != global_level) continue;
    const auto scope = static_cast<std::size_t>(address.scope);
    std::string name = names[scope];
    if (layout.size(static_cast<Scope>(address.scope)) < layout.ranks)
      name += " from rank " + std::to_string(address.first_rank) + " on";
    TaskPool* const pool =
        ranks_[static_cast<std::size_t>(std::max(address.first_rank, first_rank_) - first_rank_)]
            .pools[scope];
    groups.push_back({std::move(name), *master, *pool});
  }
  for (int rank = first_rank_; rank < end_rank_; ++rank) {
    const auto index = static_cast<std::size_t>(rank - first_rank_);
    groups.push_back({"CCC_ARRAY of rank " + std::to_string(rank), *array_masters_[index],
                      *ranks_[index].pools[array_scope]});
  }
  return groups;
}

void TaskService::report_progress(double seconds) {
  progress_ = std::make_unique<TaskProgress>(groups_served(), seconds);
}

void TaskService::finish() {
  progress_.reset();
  for (const auto& pool : pools_) pool->finish();
  for (const auto& remote : remote_) remote->drain();
}

void TaskService::handle(std::shared_ptr<message::ServiceCall> call) {
  const auto message = decode_request(call->arguments());
  const auto master = message ? masters_.find(message->first) : masters_.end();
  if (master == masters_.end()) {
    call->answer(nullptr, 0);  // the caller says what is wrong
    return;
  }
  master->second->ask(message->second, [call](const TaskReply& reply) {
    const std::vector<std::byte> bytes = encode(reply);
    call->answer(bytes.data(), bytes.size());
  });
}

}  // namespace taihu::tasks
