// SPDX-License-Identifier: Apache-2.0
// The steps of a node process, in order: read the job, connect to the other node processes, agree on who is
// where, plan the cores, load an image of the program for each rank on the rank's own thread, run the ranks,
// take leave of the others.
#include "taihu/node/node_process.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/base/mpi_launcher.h"
#include "taihu/base/program.h"
#include "taihu/launch/layout.h"
#include "taihu/launch/rank_threads.h"
#include "taihu/memory/libc/rank_process.h"
#include "taihu/memory/process_settings.h"
#include "taihu/message/link.h"
#include "taihu/node/process_watch.h"
#include "taihu/node/ranks.h"
#include "taihu/node/start_watch.h"

namespace taihu::node {
namespace {

/// The way to the other node processes: first the link alone, then the node that owns it.
struct Connection {
  std::unique_ptr<message::Link> link;
  std::unique_ptr<message::Node> node;
  std::unique_ptr<StartWatch> start;  ///< until all node processes are connected
};

/// The node of this process, for abort_job. Set before the ranks run.
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

/// Null when it may wait for the others forever. Programs and libraries are read before a node process can
/// say that it lives, so short limits are four times as long at the start.
std::unique_ptr<StartWatch> watch_start(const launch::EnvironmentMap& environment) {
  constexpr double most_seconds_more = 60;
  const double timeout = launch::node_timeout_seconds(environment);
  if (timeout <= 0) return nullptr;
  const double seconds = std::max(timeout, std::min(4 * timeout, most_seconds_more));
  const long number = launched_number(process_environment);
  return std::make_unique<StartWatch>(seconds, number, [=] { end_late_start(number, seconds); });
}

/// OpenMP runtimes start as many threads as the process has cpus, unless told otherwise: here, all ranks
/// together. Where each rank has cpus of its own they count instead, as if it were a process. Before the
/// program's libraries are loaded.
void limit_openmp(const launch::Binding& binding) {
  const auto cpus = binding.ranks.front().cpus.cpus().size();
  if (cpus > 0) setenv("OMP_NUM_THREADS", std::to_string(cpus).c_str(), /* replace: */ 0);
}

/// GFortran's runtime keeps what is printed to a file in blocks. They cut lines, so those of ranks would mix,
/// and are lost when a rank ends the job. Launchers of processes give these a pipe or a terminal, where it
/// writes line by line; so it does for ranks. Before the program's libraries are loaded.
void print_fortran_lines() {
  setenv("GFORTRAN_UNBUFFERED_PRECONNECTED", "y", /* replace: */ 0);
}

/// A misspelled name would go unnoticed until ranks share what they should not.
void warn_of_unknown_libraries(const Language& language, const launch::JobParameters& job,
                               const memory::ImageTemplate& program) {
  for (const std::string& name : job.private_libraries) {
    const bool needed =
        std::any_of(program.objects().begin() + 1, program.objects().end(), [&](const auto& library) {
          return std::string_view(library->path()).substr(library->path().rfind('/') + 1).starts_with(name);
        });
    if (!needed)
      std::fprintf(stderr,
                   "%s: --private-library %s: the program is linked to no library whose name begins so; it "
                   "can only concern what it opens while it runs\n",
                   language.launcher(), name.c_str());
  }
}

/// What libraries that all ranks share have printed is in the streams of the process, which ends without
/// closing them. A thread that was left behind may hold one.
void flush_own_output() {
  if (ftrylockfile(stdout) != 0) return;
  fflush_unlocked(stdout);
  funlockfile(stdout);
}

/// What follows once the node processes are connected. Ends the process, unless the start fails: then throws
/// Error.
[[noreturn]] void run_connected(Language& language, const launch::JobParameters& job,
                                const launch::EnvironmentMap& environment, Connection& connection) {
  const topology::Machine machine = topology::live_machine();
  const launch::Host here = launch::this_host(job, machine);
  launch::Layout layout = agree_on_layout(job, here, connection.link.get());
  const int process = connection.link != nullptr ? connection.link->process() : 0;

  const launch::NodeShare share = launch::node_share(job, layout, process);
  const int threads = launch::choose_threads(machine, share.node_ranks, job.threads);
  const launch::Binding binding = launch::plan_binding(machine, share, threads, job.bind);
  const int first_rank = layout.first_rank[static_cast<std::size_t>(process)];
  launch::add_spare_ranks(layout, job.universe != 0 ? job.universe - job.ranks : language.spare_ranks());
  if (job.report_bindings)
    std::fputs(launch::report(binding, machine, here.name, first_rank).c_str(), stderr);

  limit_openmp(binding);
  print_fortran_lines();
  Ranks ranks(language, job, layout, process);
  language.check(ranks.program());
  if (process == 0) warn_of_unknown_libraries(language, job, ranks.program());
  connection.node = message::Node::create(layout, std::move(connection.link), &ranks.symmetric());
  message::Node* node = this_node = connection.node.get();
  launch::RankThreadSettings settings;
  settings.host = here.name;
  settings.stack_bytes = launch::rank_stack_bytes(environment);
  const std::size_t thread_stack_bytes = environment.contains("TAIHU_STACK_SIZE") ? settings.stack_bytes : 0;
  // A job of one rank is as good as a process of its own.
  memory::set_child_rules({.exec = layout.first_ranks() == 1});
  language.prepare({job, *node, machine, binding, ranks.symmetric(), share, threads, thread_stack_bytes,
                    settings.stack_bytes, ranks},
                   ranks.identities());
  node->barrier();

  settings.binding = binding.ranks;
  settings.abort_job = [&](int exit_code) {
    language.ending();
    node->abort(exit_code);
  };
  connection.start.reset();
  std::unique_ptr<ProcessWatch> watch;
  if (layout.processes > 1 && job.node_timeout_seconds > 0)
    watch = std::make_unique<ProcessWatch>(*node, job.node_timeout_seconds, [node, &job](int lost) {
      end_job_without(*node, lost, job.node_timeout_seconds);
    });
  const int exit_code = ranks.run(*node, settings);
  language.finish();
  memory::report_heap();
  flush_own_output();
  if (process != 0) watch.reset();  // process 0 watches until all others have ended
  node->finish();
  watch.reset();
  // Threads that ranks have left behind may still run in the images, as in any process that ends: nothing
  // that they use is taken away, except the connection.
  connection.node.reset();
  std::_Exit(exit_code);  // ranks flush their own streams
}

}  // namespace

int run_node_process(Language& language, int argc, char** argv) {
  Connection connection;
  try {
    memory::keep_freed_memory();
    memory::allow_many_files();
    const launch::EnvironmentMap environment = launch::current_environment();
    const auto mpi = environment.find("TAIHU_MPI");
    if (mpi != environment.end() && !mpi->second.empty()) {
      connection.start = watch_start(environment);
      connection.link = message::open_link();
    }
    launch::JobParameters job = launch::from_environment(environment);
    launch::from_command_line(job, argc, argv);
    memory::name_program(job.program_name);
    run_connected(language, job, environment, connection);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", language.launcher(), one_line(error.what()).c_str());
    const int exit_code = dynamic_cast<const UsageError*>(&error) != nullptr ? 2 : 1;
    // The other node processes would wait for this one.
    if (connection.node != nullptr) connection.node->abort(exit_code);
    if (connection.link != nullptr) connection.link->abort(exit_code);
    // MPICH's launcher loses the output of processes that end while it still starts them, one time in five.
    if (is_launched(process_environment)) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return exit_code;
  }
}

void abort_job(int code) {
  // The caller's streams only: one of another rank may be locked by a read that never ends.
  const memory::RankIdentity* rank = memory::current_rank();
  if (rank != nullptr && rank->process != nullptr) rank->process->flush_streams();
  // An exit status has eight bits; a code whose low bits are zero must still count as a failure.
  this_node->abort(code != 0 && (code & 0xff) == 0 ? 1 : code);
  __builtin_unreachable();  // GCC forgets that virtual functions do not return
}

}  // namespace taihu::node
