// SPDX-License-Identifier: Apache-2.0
// The steps of a node process, in order: read the job, connect to the other node processes, agree on who is
// where, plan the cores, load an image of the program for each rank on the rank's own thread, map the shared
// variables, run the ranks, take leave of the others.
#include "taihu/parallelc/node_process.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <barrier>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/collective/group.h"
#include "taihu/launch/binding.h"
#include "taihu/launch/function_names.h"
#include "taihu/launch/job.h"
#include "taihu/launch/layout.h"
#include "taihu/launch/rank_threads.h"
#include "taihu/memory/image/image_template.h"
#include "taihu/memory/image/rank_image.h"
#include "taihu/memory/image_symmetric_map.h"
#include "taihu/memory/libc/rank_process.h"
#include "taihu/memory/libc/threads.h"
#include "taihu/memory/process_settings.h"
#include "taihu/memory/symmetric_heap.h"
#include "taihu/memory/tagged_stream.h"
#include "taihu/message/endpoint.h"
#include "taihu/message/link.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/services.h"
#include "taihu/parallelc/shared_variables.h"
#include "taihu/topology/machine.h"
#include "taihu/topology/network.h"

namespace taihu::parallelc {
namespace {

/// The way to the other node processes: first the link alone, then the node that owns it.
struct Connection {
  std::unique_ptr<message::Link> link;
  std::unique_ptr<message::Node> node;
};

/// The node of this process, for m_abort. Set before the ranks run.
message::Node* this_node = nullptr;

/// Text of a Host for the exchange between node processes: three lines.
std::string to_text(const launch::Host& host) {
  return host.name + '\n' + host.network_position + '\n' + std::to_string(host.numa_nodes);
}

launch::Host host_from_text(const std::string& text) {
  const std::size_t first = text.find('\n'), second = text.find('\n', first + 1);
  return {text.substr(0, first), text.substr(first + 1, second - first - 1),
          std::stoi(text.substr(second + 1))};
}

/// Every node process says where it runs; all compute the same layout from that.
launch::Layout agree_on_layout(const launch::JobParameters& job, const launch::Host& here,
                               message::Link* link) {
  std::vector<launch::Host> hosts;
  if (link == nullptr) {
    hosts.push_back(here);
  } else {
    check_input(link->processes() == job.processes,
                "the MPI library started " + std::to_string(link->processes()) +
                    " node processes, but the job has " + std::to_string(job.processes) +
                    "; give the launcher that belongs to the library with --launcher");
    for (const std::string& text : link->allgather(to_text(here))) hosts.push_back(host_from_text(text));
  }
  return launch::make_layout(job.ranks, hosts, job.scopes);
}

/// Address space of a rank's symmetric heap: all memory of the machine, since no rank can use more.
std::uint64_t symmetric_heap_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Gives the calling rank a working directory of its own: `pattern` with its number in place of "%r".
void enter_directory(std::string pattern, int rank) {
  const std::string number = std::to_string(rank);
  for (std::size_t at = pattern.find("%r"); at != std::string::npos;
       at = pattern.find("%r", at + number.size())) {
    pattern.replace(at, 2, number);
  }
  if (unshare(CLONE_FS) != 0 || chdir(pattern.c_str()) != 0) {
    throw system_error("rank " + number + ": cannot enter the working directory " + pattern, errno);
  }
}

/// The ranks of this node process while they are being started and while they run.
class Ranks {
 public:
  Ranks(const launch::JobParameters& job, const launch::Layout& layout, int process)
      : job_(job),
        first_(layout.first_rank[static_cast<std::size_t>(process)]),
        count_(layout.first_rank[static_cast<std::size_t>(process) + 1] - first_),
        image_template_(job.program, job.private_libraries),
        symmetric_(count_),
        identities_(static_cast<std::size_t>(count_)),
        images_(static_cast<std::size_t>(count_)),
        processes_(static_cast<std::size_t>(count_)),
        programs_(static_cast<std::size_t>(count_)) {
    for (const auto& object : image_template_.objects()) launch::function_names().add(object->path());
  }

  /// Gives every rank its place in the runtime. Before `run`.
  void prepare(message::Node& node, SharedServices& services, int threads, std::size_t kernel_stack_bytes,
               const launch::Binding& binding);
  /// Loads and runs all ranks; returns when all have ended with 0, else ends the job.
  int run(message::Node& node, const launch::RankThreadSettings& settings);
  const memory::SymmetricMap& symmetric() const { return symmetric_; }

 private:
  int run_rank(message::Node& node, std::barrier<>& all_here, memory::RankIdentity& identity);
  void load(memory::RankIdentity& identity);
  void note_segments(const memory::RankImage& image, Process& process);
  int run_program(memory::RankIdentity& identity);
  template <class Step>
  void try_step(Step&& step);

  const launch::JobParameters& job_;
  const int first_;
  const int count_;
  memory::ImageTemplate image_template_;
  memory::ImageSymmetricMap symmetric_;
  std::vector<memory::RankIdentity> identities_;
  std::vector<std::unique_ptr<memory::RankImage>> images_;
  std::vector<Process> processes_;
  std::vector<const taihu_program*> programs_;
  std::unique_ptr<SharedVariables> shared_variables_;
  std::mutex mutex_;     // guards problem_
  std::string problem_;  // why the ranks cannot start; empty when they can
};

void Ranks::prepare(message::Node& node, SharedServices& services, int threads,
                    std::size_t kernel_stack_bytes, const launch::Binding& binding) {
  collective::Groups groups(node);
  for (int local = 0; local < count_; ++local) {
    const auto index = static_cast<std::size_t>(local);
    memory::RankIdentity& identity = identities_[index];
    Process& process = processes_[index];
    identity.rank = process.rank = first_ + local;
    identity.local_index = process.local_index = local;
    identity.runtime = &process;
    process.endpoint = &node.endpoint(local);
    process.layout = &node.layout();
    process.symmetric = &symmetric_;
    process.services = &services;
    std::vector<int> cpus;  // of the accelerator threads, when each has its own
    for (const topology::CpuSet& set : binding.ranks[index].threads) {
      for (const int cpu : set.cpus()) cpus.push_back(cpu);
    }
    process.array = make_array(process, &identity, threads, kernel_stack_bytes, std::move(cpus));
    for (const launch::Scope scope :
         {launch::Scope::all, launch::Scope::snode, launch::Scope::bnode, launch::Scope::node}) {
      process.groups[static_cast<std::size_t>(scope)] =
          std::make_unique<collective::GroupHandle>(groups.join(*process.endpoint, scope));
    }
  }
}

/// Runs a step of the start; a failure is kept for the one message of the node process.
template <class Step>
void Ranks::try_step(Step&& step) {
  try {
    step();
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    if (problem_.empty()) problem_ = error.what();
  }
}

void Ranks::note_segments(const memory::RankImage& image, Process& process) {
  std::vector<memory::ImageSymmetricMap::Segment> segments;
  for (std::size_t i = 0; i < image.copies().size(); ++i) {
    segments.push_back({image.copies()[i].base, image_template_.objects()[i]->span_bytes()});
  }
  segments.push_back(
      {reinterpret_cast<std::uintptr_t>(process.heap->base()), process.heap->capacity_bytes()});
  symmetric_.set_rank(process.local_index, std::move(segments));
}

void Ranks::load(memory::RankIdentity& identity) {
  const auto index = static_cast<std::size_t>(identity.local_index);
  Process& process = processes_[index];
  memory::RankEvents events;
  events.exit_on_other_thread = [](const memory::RankIdentity& rank, int status) {
    if (status == 0) return;  // the rank's first thread goes on
    std::fprintf(stderr, "taihu: rank %d ended with exit code %d; ending the job\n", rank.rank, status);
    m_abort(status);
  };
  images_[index] = std::make_unique<memory::RankImage>(image_template_, identity, std::move(events));
  process.heap = std::make_unique<memory::SymmetricHeap>(symmetric_heap_bytes());
  note_segments(*images_[index], process);
  process.program = programs_[index] =
      static_cast<const taihu_program*>(dlsym(images_[index]->copies().front().handle, "taihu_program"));
  if (process.program == nullptr) return;
  check_input(process.program->version == TAIHU_PROGRAM_VERSION,
              job_.program + " was linked by another version of parcc; link it again");
  check_scratchpad(*process.program);
}

int Ranks::run_program(memory::RankIdentity& identity) {
  const std::string number = std::to_string(identity.rank);
  std::vector<std::string> arguments{job_.program}, environment;
  arguments.insert(arguments.end(), job_.arguments.begin(), job_.arguments.end());
  environment.push_back("TAIHU_RANK=" + number);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    // A job that a rank of another job has started inherits that rank's number.
    if (!std::string_view(*entry).starts_with("TAIHU_RANK=")) environment.emplace_back(*entry);
  }
  memory::RankStreams streams;
  if (identity.rank != 0) streams.input = std::fopen("/dev/null", "r");  // standard input is rank 0's
  if (job_.tag_output) {
    streams.output = memory::make_tagged_stream("[" + number + "] ", STDOUT_FILENO);
    streams.errors = memory::make_tagged_stream("[" + number + "] ", STDERR_FILENO);
  }
  const int status =
      images_[static_cast<std::size_t>(identity.local_index)]->run(arguments, environment, streams);
  if (status == 0) check_joined(processes_[static_cast<std::size_t>(identity.local_index)]);
  // A stream that the program has closed or reopened is its own.
  for (std::FILE* stream : {streams.output, streams.errors}) {
    if (stream != nullptr &&
        images_[static_cast<std::size_t>(identity.local_index)]->process().open_streams.contains(stream)) {
      std::fclose(stream);
    }
  }
  return status;
}

/// What a rank's thread does: load, wait for all others, run the program.
int Ranks::run_rank(message::Node& node, std::barrier<>& all_here, memory::RankIdentity& identity) {
  pthread_setname_np(pthread_self(), ("rank" + std::to_string(identity.rank)).c_str());
  try_step([&] {
    load(identity);
    if (!job_.rank_directory.empty()) enter_directory(job_.rank_directory, identity.rank);
  });
  all_here.arrive_and_wait();
  if (identity.local_index == 0 && problem_.empty()) {
    try_step([&] { shared_variables_ = std::make_unique<SharedVariables>(programs_, node); });
  }
  all_here.arrive_and_wait();
  if (problem_.empty()) return run_program(identity);
  if (identity.local_index == 0) {
    std::fprintf(stderr, "parcrun: %s\n", problem_.c_str());
    node.abort(1);
  }
  pause();  // until the job has ended
  return 1;
}

int Ranks::run(message::Node& node, const launch::RankThreadSettings& settings) {
  std::barrier<> all_here(count_);
  return launch::run_ranks(settings, identities_, [&](memory::RankIdentity& identity) {
    return run_rank(node, all_here, identity);
  });
}

/// What follows once the node processes are connected. Ends the process, unless the start fails: then throws
/// Error.
[[noreturn]] void run_connected(const launch::JobParameters& job, const launch::EnvironmentMap& environment,
                                Connection& connection) {
  const topology::Machine machine = topology::live_machine();
  const launch::Host here = launch::this_host(job, machine);
  const launch::Layout layout = agree_on_layout(job, here, connection.link.get());
  const int process = connection.link != nullptr ? connection.link->process() : 0;

  const launch::NodeShare share = launch::node_share(job, layout, process);
  const int threads = launch::choose_threads(machine, share.node_ranks, job.threads);
  const launch::Binding binding = launch::plan_binding(machine, share, threads, job.bind);
  const int first_rank = layout.first_rank[static_cast<std::size_t>(process)];
  if (job.report_bindings)
    std::fputs(launch::report(binding, machine, here.name, first_rank).c_str(), stderr);

  Ranks ranks(job, layout, process);
  connection.node = message::Node::create(layout, std::move(connection.link), &ranks.symmetric());
  message::Node* node = this_node = connection.node.get();
  SharedServices services(*node, threads);
  services.node_ranks = share.node_ranks;
  services.cores = static_cast<int>(machine.cores.size());
  launch::RankThreadSettings settings;
  settings.host = here.name;
  settings.stack_bytes = launch::rank_stack_bytes(environment);
  const std::size_t kernel_stack_bytes = environment.contains("TAIHU_STACK_SIZE")
                                             ? settings.stack_bytes
                                             : 0;  // 0: what the system gives threads
  ranks.prepare(*node, services, threads, kernel_stack_bytes, binding);
  node->barrier();

  settings.binding = binding.ranks;
  settings.abort_job = [&](int exit_code) { node->abort(exit_code); };
  const int exit_code = ranks.run(*node, settings);
  services.tasks.finish();
  node->finish();
  // Threads that ranks have left behind may still run in the images, as in any process that ends: nothing
  // that they use is taken away, except the connection.
  connection.node.reset();
  std::_Exit(exit_code);  // ranks flush their own streams; this process writes to stderr alone
}

}  // namespace

int node_process_main(int argc, char** argv) {
  Connection connection;
  try {
    memory::keep_freed_memory();
    memory::allow_many_files();
    const launch::EnvironmentMap environment = launch::current_environment();
    const auto mpi = environment.find("TAIHU_MPI");
    if (mpi != environment.end() && !mpi->second.empty()) connection.link = message::open_link();
    launch::JobParameters job = launch::from_environment(environment);
    launch::from_command_line(job, argc, argv);
    memory::name_program(job.program);
    run_connected(job, environment, connection);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "parcrun: %s\n", error.what());
    const int exit_code = dynamic_cast<const UsageError*>(&error) != nullptr ? 2 : 1;
    // The other node processes would wait for this one.
    if (connection.node != nullptr) connection.node->abort(exit_code);
    if (connection.link != nullptr) connection.link->abort(exit_code);
    return exit_code;
  }
}

}  // namespace taihu::parallelc

extern "C" void m_abort(int code) {
  // The caller's streams only: one of another rank may be locked by a read that never ends.
  const taihu::memory::RankIdentity* rank = taihu::memory::current_rank();
  if (rank != nullptr && rank->process != nullptr) rank->process->flush_streams();
  // An exit status has eight bits; a code whose low bits are zero must still count as a failure.
  taihu::parallelc::this_node->abort(code != 0 && (code & 0xff) == 0 ? 1 : code);
}

extern "C" {

int taihu_run_node_process(int argc, char** argv) {
  return taihu::parallelc::node_process_main(argc, argv);
}

int taihu_create_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                        void* argument) {
  return taihu::memory::create_thread(thread, attributes, run, argument);
}
}
