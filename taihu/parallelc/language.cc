// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/language.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "taihu/base/clock.h"
#include "taihu/base/error.h"
#include "taihu/base/page_size.h"
#include "taihu/collective/group.h"
#include "taihu/memory/libc/threads.h"
#include "taihu/memory/symmetric_heap.h"
#include "taihu/message/aggregation/aggregator.h"
#include "taihu/node/node_process.h"
#include "taihu/parallelc/autonomic.h"
#include "taihu/parallelc/host_loops.h"
#include "taihu/parallelc/kernels.h"

namespace taihu::parallelc {
namespace {

/// Address space of a rank's symmetric heap: all memory of the machine, since no rank can use more. Where it
/// is limited (ulimit -v, -d), half of it for the heaps of all `node_ranks` ranks, as other node processes
/// may map them; a power of two, so that a heap with a place of its own needs no more.
std::uint64_t symmetric_heap_bytes(int node_ranks) {
  std::uint64_t bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes();
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) continue;
    const std::uint64_t share = limit.rlim_cur / 2 / static_cast<std::uint64_t>(node_ranks);
    bytes = std::min(bytes, std::max(std::bit_floor(share), std::uint64_t{page_bytes()}));
  }
  return bytes;
}

/// The cpus of the accelerator threads of a rank, when each has its own.
std::vector<int> thread_cpus(const launch::RankBinding& binding) {
  std::vector<int> cpus;
  for (const topology::CpuSet& set : binding.threads) {
    for (const int cpu : set.cpus()) cpus.push_back(cpu);
  }
  return cpus;
}

/// Cores that the accelerator threads of a rank share; 0: the user wants them to be the system's to schedule.
int cores_to_share(const SharedServices& services) {
  const char* contexts = std::getenv("TAIHU_CONTEXTS");
  const std::string_view wanted = contexts != nullptr && *contexts != 0 ? contexts : "on";
  check_input(wanted == "on" || wanted == "off",
              "TAIHU_CONTEXTS is '" + std::string(wanted) + "'; give on or off");
  return wanted == "on" ? std::max(1, services.cores / services.node_ranks) : 0;
}

void join_groups(Process& process, collective::Groups& groups) {
  for (const launch::Scope scope :
       {launch::Scope::all, launch::Scope::snode, launch::Scope::bnode, launch::Scope::node}) {
    process.groups[static_cast<std::size_t>(scope)] =
        std::make_unique<collective::GroupHandle>(groups.join(*process.endpoint, scope));
    process.groups[static_cast<std::size_t>(scope)]->set_helpers(process.idle_threads);
  }
}

}  // namespace

void ParallelC::check(const memory::ImageTemplate& program) {
  saves_ = calls_checkpoint(program);
  is_autonomic_ = is_autonomic(program);
  program_ = &program.program();
}

bool ParallelC::wants_fixed_places(const memory::ImageTemplate& /*program*/) {
  return saves_;
}

void ParallelC::prepare(const node::Preparation& preparation, std::span<memory::RankIdentity> ranks) {
  process_limits();  // throws here, not in the program's loops
  message::Node& node = preparation.node;
  const double seconds = preparation.job.task_deadline_seconds;
  // In the autonomic model a process is one accelerator thread, which goes on as deep as a process may.
  const int threads = is_autonomic_ ? 1 : preparation.threads;
  const std::size_t stack_bytes =
      is_autonomic_ ? preparation.rank_stack_bytes : preparation.thread_stack_bytes;
  services_ = std::make_unique<SharedServices>(
      node, threads, seconds > 0 ? now_ns() + static_cast<std::int64_t>(1e9 * seconds) : tasks::no_deadline);
  if (preparation.job.task_progress_seconds > 0)
    services_->tasks.report_progress(preparation.job.task_progress_seconds);
  deadlock_timeout_seconds_ = preparation.job.deadlock_timeout_seconds;
  waits_wanted = deadlock_timeout_seconds_ > 0;
  const launch::JobParameters& job = preparation.job;
  calls_wanted = job.stats || !job.trace.empty();
  if (calls_wanted) report_ = std::make_unique<CallReport>(node, job.stats, job.trace);
  message::serve_aggregators(node, preparation.symmetric);
  const std::string& restart = preparation.job.restart;
  check_input(saves_ || restart.empty(), "--restart " + restart + ": the program does not call m_checkpoint");
  if (saves_)
    services_->checkpoints =
        std::make_unique<Checkpoints>(program_->path(), node.layout(), node.process(), restart);
  services_->node_ranks = preparation.share.node_ranks;
  services_->cores = static_cast<int>(preparation.machine.cores.size());
  const int cores = is_autonomic_ ? 0 : cores_to_share(*services_);
  processes_ = std::vector<Process>(ranks.size());
  services_->processes = processes_;
  services_->has_shared_heaps = shares_heaps(node, ranks.size());
  programs_.assign(ranks.size(), nullptr);
  collective::Groups groups(node);
  for (std::size_t index = 0; index < ranks.size(); ++index) {
    memory::RankIdentity& identity = ranks[index];
    Process& process = processes_[index];
    process.rank = identity.rank;
    process.is_autonomic = is_autonomic_;
    process.local_index = identity.local_index;
    identity.runtime = &process;
    process.endpoint = &node.endpoint(identity.local_index);
    process.doorbell = &process.endpoint->doorbell();
    process.layout = &node.layout();
    process.symmetric = &preparation.symmetric;
    process.services = services_.get();
    if (calls_wanted) process.counts = std::make_unique<CallCounts>(threads, !job.trace.empty());
    // Without cpus of its own an autonomic thread has those of its rank, as threads that it starts.
    std::vector<int> cpus;
    if (!is_autonomic_) cpus = thread_cpus(preparation.binding.ranks[index]);
    process.array = make_array(process, &identity, threads, stack_bytes, std::move(cpus), cores);
    process.thread_group = std::make_unique<collective::ThreadGroup>(threads);
    join_groups(process, groups);
  }
}

ParallelC::Segments ParallelC::loaded(memory::RankIdentity& rank, const memory::RankImage& image) {
  const auto index = static_cast<std::size_t>(rank.local_index);
  Process& process = processes_[index];
  Checkpoints* const checkpoints = services_->checkpoints.get();
  const std::uint64_t heap_bytes = symmetric_heap_bytes(services_->node_ranks);
  process.heap = checkpoints != nullptr ? checkpoints->make_heap(rank.local_index, heap_bytes)
                                        : std::make_unique<memory::SymmetricHeap>(
                                              heap_bytes, 0,
                                              services_->has_shared_heaps ? memory::HeapSharing::machine
                                                                          : memory::HeapSharing::none);
  process.program = programs_[index] =
      static_cast<const taihu_program*>(dlsym(image.copies().front().handle, "taihu_program"));
  if (process.program != nullptr) {
    check_input(process.program->version == TAIHU_PROGRAM_VERSION,
                "the program was linked by another version of parcc; link it again");
    check_scratchpad(*process.program);
  }
  if (checkpoints != nullptr) checkpoints->loaded(process, *program_, image.copies().front().base);
  return {{reinterpret_cast<std::uintptr_t>(process.heap->base()), process.heap->capacity_bytes()}};
}

void ParallelC::all_loaded(message::Node& node) {
  services_->neighbour_heaps = std::make_unique<NeighbourHeaps>(processes_, node);
  shared_variables_ = std::make_unique<SharedVariables>(programs_, node);  // meets all others
  if (!waits_wanted) return;
  busy_threads_ = std::make_unique<BusyThreads>(deadlock_timeout_seconds_);
  watch_ = std::make_unique<node::DeadlockWatch>(
      node, deadlock_timeout_seconds_,
      node::DeadlockWatch::Questions{.look =
                                         [this] {
                                           const auto progress = look();
                                           name_busy_threads();
                                           return progress;
                                         },
                                     .report = [this] { return waiting_ranks(); }});
}

void ParallelC::before_main(memory::RankIdentity& rank) {
  const Checkpoints* const checkpoints = services_->checkpoints.get();
  if (checkpoints == nullptr || !checkpoints->restarted()) return;
  Process& process = processes_[static_cast<std::size_t>(rank.local_index)];
  m_barrier(CCC_ALL);  // all constructors have run
  try {
    checkpoints->restore(process);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: rank %d: %s\n", launcher(), process.rank, error.what());
    m_abort(1);
  }
  m_barrier(CCC_ALL);  // shared variables are restored, too
}

/// A process waits when its own code does and every thread of its kernel, too.
node::DeadlockWatch::Progress ParallelC::look() {
  node::DeadlockWatch::Progress progress;
  progress.all_wait = true;
  for (Process& process : processes_) {
    const std::lock_guard hold(process.waiting.mutex);
    progress.calls.push_back(process.waiting.changes);
    if (process.waiting.has_ended) continue;
    auto in_kernel = std::ranges::count_if(process.waiting.open, &Waiting::is_in_kernel);
    bool process_code_waits = in_kernel < std::ssize(process.waiting.open);
    for (WaitingLoops* loops : process.waiting.loops) {
      if (!loops->look()) continue;
      loops->is_in_kernel() ? static_cast<void>(++in_kernel) : static_cast<void>(process_code_waits = true);
    }
    if (!process_code_waits || in_kernel < process.array->running()) progress.all_wait = false;
  }
  return progress;
}

void ParallelC::name_busy_threads() {
  for (Process& process : processes_) std::fputs(busy_threads_->report(process).c_str(), stderr);
}

std::string ParallelC::waiting_ranks() {
  std::string text;
  for (Process& process : processes_) {
    const std::lock_guard hold(process.waiting.mutex);
    if (process.waiting.has_ended) {
      text += "taihu: rank " + std::to_string(process.rank) + " has ended\n";
      continue;  // what the last look before has found is over
    }
    for (const Waiting* waiting : process.waiting.open) text += waiting->line();
    for (const WaitingLoops* loops : process.waiting.loops)
      if (loops->waits()) text += loops->line();
  }
  return text;
}

/// What threads have printed before the crash says where it was.
void ParallelC::ending() {
  for (Process& process : processes_) process.output.help();
}

void ParallelC::print_kernel_times() {
  std::string text;
  for (const Process& process : processes_) text += process.modelled_kernels.report(process.rank);
  text += modelled_lines();
  std::fputs(text.c_str(), stderr);
}

int ParallelC::ended(memory::RankIdentity& rank, int status) {
  Process& process = processes_[static_cast<std::size_t>(rank.local_index)];
  if (status == 0) check_joined(process);
  const std::lock_guard hold(process.waiting.mutex);
  process.waiting.has_ended = true;
  return status;
}

}  // namespace taihu::parallelc

extern "C" {

void m_abort(int code) {
  // What was printed before, unless that would have to wait.
  if (taihu::parallelc::Process* process = taihu::parallelc::current_process()) process->output.help();
  taihu::node::abort_job(code);
}

int taihu_run_node_process(int argc, char** argv) {
  // Lives until the process ends: threads that ranks leave behind may still use it.
  return taihu::node::run_node_process(*new taihu::parallelc::ParallelC, argc, argv);
}

int taihu_create_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                        void* argument) {
  return taihu::memory::create_thread(thread, attributes, run, argument);
}
}
