// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/node/node_process.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "taihu/base/clock.h"
#include "taihu/base/error.h"
#include "taihu/memory/current_rank.h"
#include "taihu/message/node/crowd.h"

namespace taihu::message {

namespace {

std::string way_of(const Link* link) {
  if (link == nullptr || link->processes() == 1) return {};
  const std::string near = link->way_on_machine();
  return link->library() + (near.empty() ? "" : "; on this machine " + near);
}

class OwnCall final : public ServiceCall {
 public:
  OwnCall(const void* arguments, std::size_t bytes, Node::AnswerHandler then)
      : arguments_(static_cast<const std::byte*>(arguments),
                   static_cast<const std::byte*>(arguments) + bytes),
        then_(std::move(then)) {}
  const std::vector<std::byte>& arguments() const noexcept override { return arguments_; }
  void answer(const void* data, std::size_t bytes) override {
    const auto* first = static_cast<const std::byte*>(data);
    then_(std::vector<std::byte>(first, first + bytes));
  }

 private:
  const std::vector<std::byte> arguments_;
  const Node::AnswerHandler then_;
};

class RemoteCall final : public ServiceCall {
 public:
  RemoteCall(Remote& remote, int process, std::uint64_t initiator, std::vector<std::byte> arguments)
      : remote_(remote), process_(process), initiator_(initiator), arguments_(std::move(arguments)) {}
  const std::vector<std::byte>& arguments() const noexcept override { return arguments_; }
  void answer(const void* data, std::size_t bytes) override {
    remote_.answer(process_, initiator_, data, bytes);
  }

 private:
  Remote& remote_;
  const int process_;
  const std::uint64_t initiator_;
  const std::vector<std::byte> arguments_;
};

/// How long ranks that look at the link themselves are trusted to go on, in nanoseconds; longer while they
/// do: each turn of the progress thread interrupts one of them for some ten microseconds.
constexpr long shortest_trust = 200'000;
constexpr long longest_trust = 3'200'000;

/// Looks of the progress thread after one that has found something, some microseconds: what answers that
/// often comes at once. And its sleep between others, in nanoseconds. It never gives its core away by
/// sched_yield, which Linux takes for a whole slice of its time: a rank that computes there kept it for a
/// millisecond.
constexpr int looks_after_work = 100;
constexpr long sleep_between_looks = 50'000;

/// Between two looks at what else is to be looked at.
constexpr std::int64_t between_looks_ns = 1'000'000;

/// What a thread that waits for an answer and the one that brings it share.
struct AwaitedAnswer {
  std::atomic<bool> here{false};
  std::vector<std::byte> data;
  threads::Doorbell own_bell;
  threads::Doorbell* bell = &own_bell;
};

}  // namespace

NodeProcess::NodeProcess(const launch::Layout& layout, std::unique_ptr<Link> link,
                         const memory::SymmetricMap* symmetric)
    : layout_(layout),
      link_(std::move(link)),
      symmetric_(symmetric),
      process_(link_ ? link_->process() : 0),
      first_rank_(layout_.first_rank[static_cast<unsigned>(process_)]),
      places_(ranks_of(layout_, process_)),
      made_(first_ranks_of(layout_, process_)),
      local_ranks_(made_),
      ranks_of_last_(first_ranks_of(layout_, layout_.processes - 1)),
      way_(way_of(link_.get())),
      usable_cpus_(usable_cpus()),
      cores_(cores_for(layout_, process_, made_, ranks_of_last_, usable_cpus_)),
      tunings_{tuning_for(made_, cores(), process_environment)},
      tuning_(&tunings_.front()),
      channel_tables_(places_),
      endpoints_(static_cast<std::size_t>(places_)) {
  threads::set_wait_policy(wait_policy_for(local_ranks(), cores()));
  if (places_ >= many_ranks)
    pillows_ =
        std::vector<threads::Pillow>(static_cast<std::size_t>(places_ - 1) / threads::Pillow::places + 1);
  for (int index = 0; index < made_; ++index) make_endpoint(index);
  serve(Service::crowd, [this](const std::shared_ptr<ServiceCall>& call) { hear_of_crowd(*call); });
  if (layout_.processes > 1) {
    remote_ = std::make_unique<Remote>(*this, *link_);
    start_progress_thread();
  }
}

NodeProcess::~NodeProcess() {
  stop_progress_thread();
  if constexpr (contracts_checked)
    for (int index = 0; index < made_; ++index)
      endpoints_[static_cast<std::size_t>(index)]->check_invariants();
}

void NodeProcess::make_endpoint(int local_index) {
  const bool in_crowd = sleep_in_crowds(std::max(made_, local_index + 1), cores());
  threads::Pillow* const pillow = in_crowd ? &pillows_[local_index / threads::Pillow::places] : nullptr;
  endpoints_[static_cast<std::size_t>(local_index)] =
      std::make_unique<LocalEndpoint>(*this, first_rank_ + local_index, local_index, pillow);
  endpoints_[static_cast<std::size_t>(local_index)]->set_senders(std::max(made_, local_index + 1));
}

void NodeProcess::add_rank(int local_index) {
  expect(local_index <= made_ && local_index < places_, "new places are taken in the order of their indices");
  if (local_index == made_) {
    // What too many ranks make impossible is told before anything has changed.
    tuning_for(made_ + 1, Cores::crowded, process_environment);
    make_endpoint(local_index);
    ++made_;
    for (int index = 0; index < made_; ++index)
      endpoints_[static_cast<std::size_t>(index)]->set_senders(made_);
  }
  change_ranks(local_ranks() + 1);
}

bool NodeProcess::remove_rank(int local_index) {
  expect(local_index >= 0 && local_index < made_, "a rank that has been added");
  change_ranks(local_ranks() - 1);
  return endpoints_[static_cast<std::size_t>(local_index)]->leave();
}

void NodeProcess::start_progress_thread() {
  // Signals are for the program's own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  progress_thread_ = std::thread([this] { make_progress(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void NodeProcess::stop_progress_thread() {
  stop_.store(true, std::memory_order_relaxed);
  nap_.cut_short();
  if (progress_thread_.joinable()) progress_thread_.join();
}

void NodeProcess::make_progress() {
  pthread_setname_np(pthread_self(), "taihu-progress");
  prctl(PR_SET_TIMERSLACK, 1000UL);
  const auto sleep = [](long nanoseconds) {
    const timespec pause{0, nanoseconds};
    nanosleep(&pause, nullptr);
  };
  int idle = 0;
  std::uint64_t looks = 0;
  long trust = shortest_trust;
  while (!stop_.load(std::memory_order_relaxed)) {
    if (has_looks_.load(std::memory_order_acquire)) look_around();
    if (remote_->wire().looks() != looks) {
      // Ranks look themselves, and this thread would only take the core of one of them.
      looks = remote_->wire().looks();
      if (trust == shortest_trust) {
        sleep(trust);
        trust *= 2;
      } else {
        trust = nap_.take(trust) ? shortest_trust : std::min(2 * trust, longest_trust);
      }
      continue;
    }
    trust = shortest_trust;
    idle = remote_->poll_as_guest() ? 0 : idle + 1;
    looks = remote_->wire().looks();
    if (idle < looks_after_work) {
      threads::spin_pause();
    } else {
      sleep(sleep_between_looks);
    }
  }
}

void NodeProcess::look_around() {
  const std::int64_t now = now_ns();
  if (now - looked_around_ns_ < between_looks_ns) return;
  looked_around_ns_ = now;
  const std::lock_guard hold(looks_mutex_);
  for (const auto& look : looks_) look();
}

void NodeProcess::look_now_and_then(std::function<void()> look) {
  if (remote_ == nullptr) return;
  const std::lock_guard hold(looks_mutex_);
  looks_.push_back(std::move(look));
  has_looks_.store(true, std::memory_order_release);
}

void NodeProcess::serve(Service service, ServiceHandler handler) {
  expect(handler != nullptr, "a service has a handler");
  services_.serve(service, std::move(handler));
}

void NodeProcess::serve_remote(int process, Service service, std::uint64_t initiator,
                               std::vector<std::byte> arguments) {
  services_.dispatch(service,
                     std::make_shared<RemoteCall>(*remote_, process, initiator, std::move(arguments)));
}

void NodeProcess::begin_call(int process, Service service, const void* arguments, std::size_t bytes,
                             AnswerHandler then) {
  expect(process >= 0 && process < layout_.processes, "0 <= process < node processes of the job");
  expect(bytes == 0 || arguments != nullptr, "arguments have an address");
  expect(then != nullptr, "somebody waits for the answer");
  if (process == process_) {
    services_.dispatch(service, std::make_shared<OwnCall>(arguments, bytes, std::move(then)));
  } else {
    remote_->call(process, service, arguments, bytes, std::move(then));
  }
}

LocalEndpoint* NodeProcess::endpoint_of_caller() noexcept {
  const memory::RankIdentity* rank = memory::current_rank();
  return rank == nullptr ? nullptr : local_endpoint_of(rank->rank);
}

std::vector<std::byte> NodeProcess::call(int process, Service service, const void* arguments,
                                         std::size_t bytes) {
  LocalEndpoint* caller = endpoint_of_caller();
  auto awaited = std::make_shared<AwaitedAnswer>();
  if (caller != nullptr) awaited->bell = &caller->doorbell();
  begin_call(process, service, arguments, bytes, [awaited](std::vector<std::byte> data) {
    awaited->data = std::move(data);
    awaited->here.store(true, std::memory_order_release);
    awaited->bell->ring();
  });
  // A rank also serves its messages meanwhile: whoever holds the lock that it asks for may be sending to it.
  wait_at(*awaited->bell, [&] {
    if (awaited->here.load(std::memory_order_acquire)) return true;
    if (caller != nullptr) {
      caller->progress();
    } else {
      poll();
    }
    return awaited->here.load(std::memory_order_acquire);
  });
  return std::move(awaited->data);
}

void* NodeProcess::resolve(LocalEndpoint& owner, memory::SymmetricAddress address, std::size_t bytes,
                           int asker) noexcept {
  const int index = owner.rank() - first_rank_;
  void* instance = symmetric_ == nullptr ? nullptr : symmetric_->resolve(index, address, bytes);
  if (instance != nullptr) return instance;
  std::fprintf(
      stderr,
      "taihu: one-sided transfer of rank %d: rank %d has no symmetric memory of %zu bytes at segment %u "
      "offset %llu (different programs or libraries on two nodes?); use the same files on all nodes\n",
      asker, owner.rank(), bytes, address.segment, static_cast<unsigned long long>(address.offset));
  abort(1);
}

void NodeProcess::barrier() {
  if (remote_) remote_->wire().with_link([](Link& link) { link.barrier(); });
}

std::vector<std::string> NodeProcess::allgather(const std::string& mine) {
  std::vector<std::string> all{mine};
  if (remote_) remote_->wire().with_link([&](Link& link) { all = link.allgather(mine); });
  return all;
}

void NodeProcess::finish() {
  if (!remote_) return;
  {
    // A call that starts later might find nobody who answers it.
    const std::lock_guard hold(looks_mutex_);
    looks_.clear();
  }
  remote_->finish();
  stop_progress_thread();
  barrier();
}

void NodeProcess::abort(int exit_code) noexcept {
  if (link_ == nullptr) std::_Exit(exit_code);
  // A thread may hang or have crashed inside; the job must end all the same.
  if (remote_) (void)remote_->wire().enter_within(500);
  link_->abort(exit_code);
  std::_Exit(exit_code);
}

std::unique_ptr<Node> Node::create(const launch::Layout& layout, std::unique_ptr<Link> link,
                                   const memory::SymmetricMap* symmetric) {
  const int processes = link ? link->processes() : 1;
  check_input(processes == layout.processes, "the layout has " + std::to_string(layout.processes) +
                                                 " node processes, but the launcher started " +
                                                 std::to_string(processes) +
                                                 "; start the job through one launcher only");
  return std::make_unique<NodeProcess>(layout, std::move(link), symmetric);
}

const Tuning& tuning_of(const Node& node) noexcept {
  return static_cast<const NodeProcess&>(node).tuning();
}

}  // namespace taihu::message
