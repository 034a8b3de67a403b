// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/loop_service.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "taihu/base/contract.h"
#include "taihu/base/error.h"

namespace taihu::tasks {

struct SharedLoop {
  /// What a member was given at first: iterations [first, first + length), of which the first `taken` are
  /// gone.
  struct alignas(64) Share {
    std::atomic<std::uint64_t> taken{0};
    std::uint64_t first = 0;
    std::uint64_t length = 0;

    std::uint64_t rest() const noexcept { return length - taken.load(std::memory_order_relaxed); }

    /// A guided piece for one of `members`; false when nothing is left.
    bool take(int members, threads::Chunk* chunk) noexcept {
      std::uint64_t from = taken.load(std::memory_order_relaxed);
      while (from < length) {
        const auto pieces = static_cast<std::uint64_t>(std::max(8, 2 * members));
        const std::uint64_t count = std::max<std::uint64_t>(1, (length - from) / pieces);
        if (taken.compare_exchange_weak(from, from + count, std::memory_order_relaxed)) {
          *chunk = {first + from, first + from + count};
          return true;
        }
      }
      return false;
    }
  };

  SharedLoop(LoopGroup& of_group, std::uint64_t its_number, std::uint64_t its_iterations);

  /// From the fullest share of the members here.
  bool take_from_fullest(threads::Chunk* chunk) noexcept;

  LoopGroup& group;
  const std::uint64_t number, iterations;
  std::vector<Share> shares;                ///< by local member
  std::vector<std::atomic<bool>> is_empty;  ///< by node process of the group: nothing is left there
  std::atomic<int> ended{0};                ///< local members
};

struct LoopGroup {
  launch::Scope scope;
  int first_rank, size;          ///< of all members
  int first_local, locals;       ///< of the members here
  int first_process, processes;  ///< that have members

  std::mutex mutex;                      ///< guards those below; thieves of other node processes hold it
  std::vector<std::uint64_t> next_loop;  ///< by local member
  std::map<std::uint64_t, std::unique_ptr<SharedLoop>> loops;
  std::uint64_t ended_below = 0;  ///< all local members have ended the loops below this number
  std::set<std::uint64_t> ended;  ///< and these

  bool has_ended(std::uint64_t loop) const { return loop < ended_below || ended.contains(loop); }

  SharedLoop& find_or_make(std::uint64_t loop, std::uint64_t iterations) {
    std::unique_ptr<SharedLoop>& place = loops[loop];
    if (place == nullptr) place = std::make_unique<SharedLoop>(*this, loop, iterations);
    return *place;
  }

  void forget(std::uint64_t loop) {
    loops.erase(loop);
    ended.insert(loop);
    while (ended.erase(ended_below) != 0) ++ended_below;
  }
};

SharedLoop::SharedLoop(LoopGroup& of_group, std::uint64_t its_number, std::uint64_t its_iterations)
    : group(of_group),
      number(its_number),
      iterations(its_iterations),
      shares(static_cast<std::size_t>(of_group.locals)),
      is_empty(static_cast<std::size_t>(of_group.processes)) {
  const auto members = static_cast<std::uint64_t>(group.size);
  const std::uint64_t each = iterations / members, more = iterations % members;
  auto member = static_cast<std::uint64_t>(group.first_local - group.first_rank);
  for (Share& share : shares) {
    share.first = member * each + std::min(member, more);
    share.length = each + (member < more ? 1 : 0);
    ++member;
  }
}

bool SharedLoop::take_from_fullest(threads::Chunk* chunk) noexcept {
  while (true) {
    const auto fullest =
        std::max_element(shares.begin(), shares.end(),
                         [](const Share& left, const Share& right) { return left.rest() < right.rest(); });
    if (fullest->rest() == 0) return false;
    if (fullest->take(group.size, chunk)) return true;
  }
}

struct LoopService::Request {
  std::int32_t scope, first_rank;
  std::uint64_t number, iterations;
};

struct LoopService::Reply {
  threads::Chunk chunk;  ///< empty: nothing is left here
};

LoopService::LoopService(message::Node& node) : node_(node) {
  const launch::Layout& layout = node.layout();
  first_rank_ = layout.first_rank[static_cast<std::size_t>(node.process())];
  const int end_rank = layout.first_rank[static_cast<std::size_t>(node.process()) + 1];
  group_of_rank_.resize(static_cast<std::size_t>(end_rank - first_rank_));
  for (int rank = first_rank_; rank < end_rank; ++rank) {
    for (std::size_t scope = 0; scope < 4; ++scope) {
      const auto the_scope = static_cast<launch::Scope>(scope);
      const int first = layout.group_start(the_scope, rank);
      LoopGroup*& group = group_of_rank_[static_cast<std::size_t>(rank - first_rank_)][scope];
      if (rank > std::max(first, first_rank_)) {
        group = group_of_rank_[static_cast<std::size_t>(rank - first_rank_) - 1][scope];
        continue;
      }
      auto made = std::make_unique<LoopGroup>();
      made->scope = the_scope;
      made->first_rank = first;
      made->size = layout.size(the_scope);
      made->first_local = rank;
      made->locals = std::min(end_rank, first + made->size) - rank;
      made->first_process = layout.process_of(first);
      made->processes = layout.process_of(first + made->size - 1) - made->first_process + 1;
      made->next_loop.resize(static_cast<std::size_t>(made->locals));
      group = made.get();
      groups_.push_back(std::move(made));
    }
  }
  node.serve(message::Service::loop, [this](const std::shared_ptr<message::ServiceCall>& call) {
    Request request{};
    if (call->arguments().size() != sizeof request) {
      call->answer(nullptr, 0);  // the caller says what is wrong
      return;
    }
    std::memcpy(&request, call->arguments().data(), sizeof request);
    const Reply reply = serve(request);
    call->answer(&reply, sizeof reply);
  });
}

LoopService::~LoopService() = default;

SharedLoop* LoopService::begin(launch::Scope scope, int rank, std::uint64_t iterations,
                               std::string* problem) {
  LoopGroup& group =
      *group_of_rank_[static_cast<std::size_t>(rank - first_rank_)][static_cast<std::size_t>(scope)];
  const std::lock_guard hold(group.mutex);
  const std::uint64_t number = group.next_loop[static_cast<std::size_t>(rank - group.first_local)]++;
  SharedLoop& loop = group.find_or_make(number, iterations);
  if (loop.iterations == iterations) return &loop;
  *problem = "the members of the scope are in different loops: this one has " + std::to_string(iterations) +
             " iterations, that of another member " + std::to_string(loop.iterations);
  return nullptr;
}

bool LoopService::next(SharedLoop* loop, int rank, threads::Chunk* chunk) {
  LoopGroup& group = loop->group;
  SharedLoop::Share& own = loop->shares[static_cast<std::size_t>(rank - group.first_local)];
  if (own.take(group.size, chunk) || loop->take_from_fullest(chunk) || take_from_processes(*loop, chunk))
    return true;
  if (loop->ended.fetch_add(1, std::memory_order_acq_rel) + 1 == group.locals) {
    const std::lock_guard hold(group.mutex);
    group.forget(loop->number);
  }
  return false;
}

/// Asks them in the order of their numbers from its own on, so that thieves begin at different ones.
bool LoopService::take_from_processes(SharedLoop& loop, threads::Chunk* chunk) {
  const LoopGroup& group = loop.group;
  const int own = node_.process() - group.first_process;
  for (int step = 1; step < group.processes; ++step) {
    const int other = (own + step) % group.processes;
    std::atomic<bool>& is_empty = loop.is_empty[static_cast<std::size_t>(other)];
    if (is_empty.load(std::memory_order_relaxed)) continue;
    const Request request{static_cast<std::int32_t>(group.scope), group.first_rank, loop.number,
                          loop.iterations};
    const std::vector<std::byte> answer =
        node_.call(group.first_process + other, message::Service::loop, &request, sizeof request);
    Reply reply{};
    check_input(answer.size() == sizeof reply,
                "node process " + std::to_string(group.first_process + other) + " answers for a loop with " +
                    std::to_string(answer.size()) +
                    " bytes (another version of this software); install one version");
    std::memcpy(&reply, answer.data(), sizeof reply);
    *chunk = reply.chunk;
    if (chunk->first != chunk->last) return true;
    is_empty.store(true, std::memory_order_relaxed);
  }
  return false;
}

/// A thief may be here before the members: then it makes the loop. One whose loop has another length gets
/// nothing; begin tells when a member is in such a loop.
LoopService::Reply LoopService::serve(const Request& request) {
  Reply reply{};
  for (const std::unique_ptr<LoopGroup>& group : groups_) {
    if (static_cast<std::int32_t>(group->scope) != request.scope || group->first_rank != request.first_rank)
      continue;
    const std::lock_guard hold(group->mutex);
    if (group->has_ended(request.number)) break;
    SharedLoop& loop = group->find_or_make(request.number, request.iterations);
    if (loop.iterations == request.iterations) loop.take_from_fullest(&reply.chunk);
    break;
  }
  return reply;
}

std::size_t LoopService::open_loops() {
  std::size_t count = 0;
  for (const std::unique_ptr<LoopGroup>& group : groups_) {
    const std::lock_guard hold(group->mutex);
    count += group->loops.size();
  }
  return count;
}

}  // namespace taihu::tasks
