// SPDX-License-Identifier: Apache-2.0
// The steps of a node process, in order: read the job, connect to the other node processes, agree on who is where, plan
// the cores, load an image of the program for each rank on the rank's own thread, map the shared variables, run the ranks,
// take leave of the others.
#include "taihu/parallelc/node_process.h"

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/collective/group.h"
#include "taihu/launch/binding.h"
#include "taihu/launch/job.h"
#include "taihu/launch/layout.h"
#include "taihu/launch/rank_threads.h"
#include "taihu/memory/rank_image.h"
#include "taihu/message/endpoint.h"
#include "taihu/message/link.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/services.h"
#include "taihu/parallelc/shared_variables.h"
#include "taihu/threads/waiting.h"
#include "taihu/topology/machine.h"
#include "taihu/topology/network.h"

namespace taihu::parallelc {
namespace {

/// The node process of this program, for m_abort. Set before the ranks run.
message::Node* this_node = nullptr;

/// Text of a Host for the exchange between node processes: three lines.
std::string to_text(const launch::Host& host) {
  return host.name + '\n' + host.network_position + '\n' + std::to_string(host.numa_nodes);
}

launch::Host host_from_text(const std::string& text) {
  const std::size_t first = text.find('\n'), second = text.find('\n', first + 1);
  return {text.substr(0, first), text.substr(first + 1, second - first - 1), std::stoi(text.substr(second + 1))};
}

/// Every node process says where it runs; all compute the same layout from that.
launch::Layout agree_on_layout(const launch::JobParameters& job, const launch::Host& here, message::Link* link) {
  std::vector<launch::Host> hosts;
  if (link == nullptr) {
    hosts.push_back(here);
  } else {
    check_input(link->processes() == job.processes,
                "the MPI library started " + std::to_string(link->processes()) + " node processes, but the job has " +
                    std::to_string(job.processes) + "; give the launcher that belongs to the library with --launcher");
    for (const std::string& text : link->allgather(to_text(here))) hosts.push_back(host_from_text(text));
  }
  return launch::make_layout(job.ranks, hosts, job.scopes);
}

/// With more waiting threads than cores a waiter gives its core away at once.
threads::WaitPolicy wait_policy(const topology::Machine& machine, const launch::NodeShare& share, int threads) {
  const bool crowded = share.node_ranks * threads > static_cast<int>(machine.cores.size());
  return crowded ? threads::WaitPolicy{.spins = 20, .yields = 50} : threads::WaitPolicy{};
}

/// The ranks of this node process while they are being started and while they run.
class Ranks {
 public:
  Ranks(const launch::JobParameters& job, const launch::Layout& layout, int process)
      : job_(job),
        first_(layout.first_rank[static_cast<std::size_t>(process)]),
        count_(layout.first_rank[static_cast<std::size_t>(process) + 1] - first_),
        image_template_(job.program, job.private_libraries),
        identities_(static_cast<std::size_t>(count_)),
        images_(static_cast<std::size_t>(count_)),
        processes_(static_cast<std::size_t>(count_)),
        programs_(static_cast<std::size_t>(count_)) {}

  /// Gives every rank its place in the runtime. Before `run`.
  void prepare(message::Node& node, SharedServices& services, int threads, const launch::Binding& binding);
  int run(message::Node& node, launch::RankThreadSettings settings);
  const memory::SymmetricMap& symmetric() const { return symmetric_; }

 private:
  int run_rank(message::Node& node, std::barrier<>& all_loaded, memory::RankIdentity& identity);
  void load(memory::RankIdentity& identity);
  void note_problem(const std::exception& error);

  const launch::JobParameters& job_;
  const int first_;
  const int count_;
  memory::ImageTemplate image_template_;
  memory::Map0 symmetric_;
  std::vector<memory::RankIdentity> identities_;
  std::vector<std::unique_ptr<memory::RankImage>> images_;
  std::vector<Process> processes_;
  std::vector<const taihu_program*> programs_;
  std::unique_ptr<SharedVariables> shared_variables_;
  std::mutex mutex_;     // guards problem_ and loading into symmetric_
  std::string problem_;  // why the ranks cannot start; empty when they can
};

void Ranks::prepare(message::Node& node, SharedServices& services, int threads, const launch::Binding& binding) {
  collective::Groups groups(node);
  for (int local = 0; local < count_; ++local) {
    const auto index = static_cast<std::size_t>(local);
    memory::RankIdentity& identity = identities_[index];
    Process& process = processes_[index];
    identity = {first_ + local, local, &process};
    process.rank = identity.rank;
    process.local_index = local;
    process.endpoint = &node.endpoint(local);
    process.layout = &node.layout();
    process.symmetric = &symmetric_;
    process.services = &services;
    std::vector<int> cpus;  // of the accelerator threads, when each has its own
    for (const topology::CpuSet& set : binding.ranks[index].threads) {
      for (const int cpu : set.cpus()) cpus.push_back(cpu);
    }
    process.array = make_array(process, &identity, threads, std::move(cpus));
    for (const launch::Scope scope : {launch::Scope::all, launch::Scope::snode, launch::Scope::bnode, launch::Scope::node}) {
      process.groups[static_cast<std::size_t>(scope)] =
          std::make_unique<collective::GroupHandle>(groups.join(*process.endpoint, scope));
    }
  }
}

void Ranks::note_problem(const std::exception& error) {
  const std::lock_guard lock(mutex_);
  if (problem_.empty()) problem_ = error.what();
}

void Ranks::load(memory::RankIdentity& identity) {
  const auto index = static_cast<std::size_t>(identity.local_index);
  auto image = std::make_unique<memory::RankImage>(image_template_, identity);
  const auto* program = static_cast<const taihu_program*>(image->symbol("taihu_program"));
  if (program != nullptr) {
    check_input(program->version == TAIHU_PROGRAM_VERSION, job_.program + " was linked by another version of parcc; link it again");
    check_scratchpad(*program);
  }
  const std::lock_guard lock(mutex_);
  symmetric_.add(*image, index);
  programs_[index] = processes_[index].program = program;
  images_[index] = std::move(image);
}

/// What a rank's thread does: load, wait for all others, run the program.
int Ranks::run_rank(message::Node& node, std::barrier<>& all_loaded, memory::RankIdentity& identity) {
  try {
    load(identity);
  } catch (const std::exception& error) {
    note_problem(error);
  }
  all_loaded.arrive_and_wait();
  if (identity.local_index == 0 && problem_.empty()) {
    try {
      shared_variables_ = std::make_unique<SharedVariables>(programs_, node);
    } catch (const std::exception& error) {
      note_problem(error);
    }
  }
  all_loaded.arrive_and_wait();
  if (!problem_.empty()) {
    if (identity.local_index == 0) std::fprintf(stderr, "parcrun: %s\n", problem_.c_str());
    return 1;
  }
  std::vector<char*> arguments;
  std::deque<std::string> copies{job_.program};
  copies.insert(copies.end(), job_.arguments.begin(), job_.arguments.end());
  for (std::string& text : copies) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  return images_[static_cast<std::size_t>(identity.local_index)]->run_main(static_cast<int>(copies.size()),
                                                                           arguments.data(), environ);
}

int Ranks::run(message::Node& node, launch::RankThreadSettings settings) {
  std::barrier<> all_loaded(count_);
  return launch::run_ranks(settings, identities_, [&](memory::RankIdentity& identity) {
    return run_rank(node, all_loaded, identity);
  });
}

int run_job(int argc, char** argv) {
  const launch::EnvironmentMap environment = launch::current_environment();
  launch::JobParameters job = launch::from_environment(environment);
  launch::from_command_line(job, argc, argv);
  const topology::Machine machine = topology::live_machine();

  std::unique_ptr<message::Link> link = job.processes > 1 ? message::open_link() : nullptr;
  const launch::Host here = launch::this_host(job, machine);
  const launch::Layout layout = agree_on_layout(job, here, link.get());
  const int process = link != nullptr ? link->process() : 0;

  const launch::NodeShare share = launch::node_share(job, layout, process);
  const int threads = launch::choose_threads(machine, share.node_ranks, job.threads);
  const launch::Binding binding = launch::plan_binding(machine, share, threads, job.bind);
  const int first_rank = layout.first_rank[static_cast<std::size_t>(process)];
  if (job.report_bindings) std::fputs(launch::report(binding, machine, here.name, first_rank).c_str(), stderr);
  threads::set_wait_policy(wait_policy(machine, share, threads));

  Ranks ranks(job, layout, process);
  const std::unique_ptr<message::Node> node = message::Node::create(layout, std::move(link), &ranks.symmetric());
  this_node = node.get();
  SharedServices services(*node, threads);
  ranks.prepare(*node, services, threads, binding);
  node->barrier();

  launch::RankThreadSettings settings;
  settings.host = here.name;
  settings.stack_bytes = launch::rank_stack_bytes(environment);
  settings.binding = binding.ranks;
  settings.abort_job = [&](int exit_code) { node->abort(exit_code); };
  const int exit_code = ranks.run(*node, settings);
  node->finish();
  return exit_code;
}

}  // namespace

int node_process_main(int argc, char** argv) {
  try {
    return run_job(argc, argv);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "parcrun: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "parcrun: %s\n", error.what());
    return 1;
  }
}

}  // namespace taihu::parallelc

extern "C" void m_abort(int code) {
  std::fflush(nullptr);
  taihu::parallelc::this_node->abort(code);
}

extern "C" int taihu_run_node_process(int argc, char** argv) { return taihu::parallelc::node_process_main(argc, argv); }
