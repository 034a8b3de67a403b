// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/dynamic/job_service.h"

#include <unistd.h>

#include <condition_variable>
#include <exception>
#include <utility>

#include "taihu/base/clock.h"
#include "taihu/mpi/objects/dynamic/job_questions.h"

namespace taihu::mpi {
namespace {

void answer(message::ServiceCall& call, const WordWriter& words) {
  call.answer(words.bytes().data(), words.bytes().size());
}

SpawnRequest read_request(WordReader& words) {
  SpawnRequest request;
  request.world_context = static_cast<message::Context>(words.number());
  request.parent_context = static_cast<message::Context>(words.number());
  request.parents = words.numbers();
  request.programs.resize(static_cast<std::size_t>(words.number()));
  for (SpawnedProgram& program : request.programs) {
    program.program = words.text();
    program.directory = words.text();
    program.ranks = static_cast<int>(words.number());
    program.arguments.resize(static_cast<std::size_t>(words.number()));
    for (std::string& argument : program.arguments) argument = words.text();
  }
  return request;
}

std::string no_room(int wanted, int free) {
  if (free < wanted)
    return "the job has room for " + std::to_string(free) + " of " + std::to_string(wanted) +
           " more ranks; start it with a larger --universe-size";
  return "of " + std::to_string(free) + " free numbers no " + std::to_string(wanted) +
         " follow each other that no communicator names (of ranks that have ended); disconnect from ranks "
         "that "
         "end, or start the job with a larger --universe-size";
}

WordWriter write_answer(int first_rank, const std::string& problem, bool may_come = false) {
  WordWriter words;
  words.number(first_rank).text(problem).number(may_come ? 1 : 0);
  return words;
}

}  // namespace

/// Whom the other node processes name, while they are asked for it. The last answer goes on.
struct JobService::Names {
  std::vector<SpareNumbers::Ended> asked;
  std::mutex lock;
  int missing = 0;
  std::set<int> named;
};

/// The ranks of one spawn, while they are loaded. The last one answers the call.
struct JobService::Launch {
  Call call;
  int first_rank = 0, ranks = 0;
  std::mutex lock;
  std::condition_variable all_loaded;
  int missing = 0;
  std::string problem;
  std::vector<Rank*> made;
  std::vector<int> without_thread;
};

JobService::JobService(message::Node& node, node::SpareRanks& spares, RanksOfProcess& ranks)
    : node_(node),
      spares_(spares),
      ranks_(ranks),
      job_name_(std::to_string(now_ns()) + "-" + std::to_string(getpid())),
      numbers_(node.layout().first_ranks(), node.layout().spare_ranks),
      running_(node.local_ranks()),
      other_processes_(node.layout().processes - 1) {
  node.serve(message::Service::job, [this](const Call& call) { serve(call); });
}

void JobService::serve(const Call& call) {
  WordReader words(call->arguments());
  switch (static_cast<JobQuestion>(words.number())) {
    case JobQuestion::spawn:
      return ask_for_names(call);
    case JobQuestion::settled: {
      const std::lock_guard hold(lock_);
      for (const int rank : words.numbers()) unsettled_.erase(rank);
      return answer(*call, WordWriter());
    }
    case JobQuestion::started: {
      const auto rank = static_cast<int>(words.number());
      const std::lock_guard hold(lock_);
      const bool is_there = rank < node_.layout().first_ranks() || numbers_.is_taken(rank);
      return answer(*call, WordWriter().number(is_there ? 1 : 0));
    }
    case JobQuestion::named:
      return answer(*call, WordWriter());  // they ask nobody
    case JobQuestion::process_ended:
      process_ended();
      return answer(*call, WordWriter());
    case JobQuestion::job_name:
      return answer(*call, WordWriter().text(job_name_));
    case JobQuestion::publish: {
      std::string name = words.text(), port = words.text();
      const std::lock_guard hold(lock_);
      const bool is_new = ports_.emplace(std::move(name), std::move(port)).second;
      return answer(*call, WordWriter().number(is_new ? 1 : 0));
    }
    case JobQuestion::unpublish: {
      const std::lock_guard hold(lock_);
      return answer(*call, WordWriter().number(static_cast<std::int64_t>(ports_.erase(words.text()))));
    }
    case JobQuestion::look_up: {
      const std::lock_guard hold(lock_);
      const auto found = ports_.find(words.text());
      WordWriter reply;
      reply.number(found != ports_.end() ? 1 : 0).text(found != ports_.end() ? found->second : "");
      return answer(*call, reply);
    }
  }
}

int JobService::local_index(int rank) const {
  return rank - node_.layout().first_rank[static_cast<std::size_t>(node_.process())];
}

/// Before a spawn: asks the other node processes which of the ranks that have ended are named there.
void JobService::ask_for_names(const Call& call) {
  auto names = std::make_shared<Names>();
  {
    const std::lock_guard hold(lock_);
    for (const int rank : std::set<int>(lingering_)) forget(rank);
    names->asked = numbers_.ended();
  }
  const int others = node_.layout().processes - 1;
  if (names->asked.empty() || others == 0) return spawn(call, *names);
  names->missing = others;
  const WordWriter words = job_question(JobQuestion::named);
  for (int process = 0; process < others; ++process)
    node_.begin_call(process, message::Service::job, words.bytes().data(), words.bytes().size(),
                     [this, call, names](const std::vector<std::byte>& reply) {
                       {
                         const std::lock_guard hold(names->lock);
                         for (const int rank : WordReader(reply).numbers()) names->named.insert(rank);
                         if (--names->missing != 0) return;
                       }
                       spawn(call, *names);
                     });
}

/// Makes the ranks of `launch`, before any of them runs, as they know of each other. False: there is no room
/// for them, or a problem, and none is made. Holder of the lock.
bool JobService::make(Launch& launch, const SpawnRequest& request) {
  int rank = launch.first_rank;
  try {
    WorldOfRank world;
    world.context = request.world_context;
    world.parent_context = request.parent_context;
    world.parents = request.parents;
    for (int k = 0; k < launch.ranks; ++k) world.members.push_back(launch.first_rank + k);
    launch.made.reserve(world.members.size());  // who has been made is known
    for (const SpawnedProgram& program : request.programs) {
      for (int k = 0; k < program.ranks; ++k, ++rank)
        launch.made.push_back(&ranks_.make(local_index(rank), world));
      ++world.application;
    }
    return true;
  } catch (const std::exception& error) {
    launch.problem = error.what();
  }
  end(launch);
  numbers_.put_back(rank, launch.first_rank + launch.ranks - rank);
  while (rank-- > launch.first_rank) forget(rank);
  return false;
}

void JobService::spawn(const Call& call, const Names& names) {
  WordReader words(call->arguments());
  words.number();
  const SpawnRequest request = read_request(words);
  auto launch = std::make_shared<Launch>();
  launch->call = call;
  for (const SpawnedProgram& program : request.programs) launch->ranks += program.ranks;
  launch->missing = launch->ranks;
  {
    const std::lock_guard hold(lock_);
    std::set<int> named = ranks_.named();
    named.insert(names.named.begin(), names.named.end());
    named.insert(unsettled_.begin(), unsettled_.end());
    std::set<SpareNumbers::Ended> nameless;
    for (const SpareNumbers::Ended& ended : names.asked)
      if (!named.contains(ended.rank)) nameless.insert(ended);
    const std::optional<int> first = numbers_.take(launch->ranks, nameless);
    if (!first) {
      // Those that are taken, or named, may be free soon.
      const bool may_come = launch->ranks <= node_.layout().spare_ranks;
      return answer(*call, write_answer(-1, no_room(launch->ranks, numbers_.free()), may_come));
    }
    launch->first_rank = *first;
    if (!make(*launch, request)) return answer(*call, write_answer(-1, launch->problem));
    running_ += launch->ranks;
    for (int k = 0; k < launch->ranks; ++k) unsettled_.insert(launch->first_rank + k);
  }
  int rank = launch->first_rank;
  for (const SpawnedProgram& program : request.programs)
    for (int k = 0; k < program.ranks; ++k, ++rank)
      spares_.start(
          local_index(rank),
          {.program = program.program,
           .arguments = program.arguments,
           .directory = program.directory,
           .loaded = [this, launch](const std::string& problem) { return loaded(launch, problem); },
           .refused = [this, launch, rank](const std::string& problem) { refused(launch, rank, problem); },
           .ended =
               [this, rank] {
                 const std::lock_guard hold(lock_);
                 forget(rank);
               }});
}

/// Its number and its memory are free again, unless something is left of it: others may still receive from
/// there, or send to there. While threads of it run, it is asked again later. Holder of the lock.
void JobService::forget(int rank) {
  lingering_.erase(rank);
  if (!spares_.is_over(local_index(rank))) {
    lingering_.insert(rank);
  } else if (ranks_.forget(local_index(rank))) {
    spares_.forget(local_index(rank));
    numbers_.end(rank);
  }
}

/// Its ranks do not run, and nobody waits for them.
void JobService::end(Launch& launch) {
  for (Rank* rank : launch.made) rank->phase = Rank::Phase::ended;
}

/// Counts one of the new ranks. With the last one the call is answered: all of them run, or none does.
bool JobService::was_last(const std::shared_ptr<Launch>& launch, const std::string& problem) {
  if (launch->problem.empty()) launch->problem = problem;
  if (--launch->missing != 0) return false;
  const bool good = launch->problem.empty();
  if (!good) {
    end(*launch);
    const std::lock_guard hold(lock_);
    for (int k = 0; k < launch->ranks; ++k) unsettled_.erase(launch->first_rank + k);
    for (const int rank : launch->without_thread) forget(rank);
  }
  answer(*launch->call, write_answer(good ? launch->first_rank : -1, launch->problem));
  launch->all_loaded.notify_all();
  return true;
}

/// On the threads of the new ranks.
bool JobService::loaded(const std::shared_ptr<Launch>& launch, const std::string& problem) {
  std::unique_lock hold(launch->lock);
  if (!was_last(launch, problem)) launch->all_loaded.wait(hold, [&] { return launch->missing == 0; });
  const bool good = launch->problem.empty();
  hold.unlock();
  if (!good) rank_ended();
  return good;
}

/// One of the new ranks has no thread.
void JobService::refused(const std::shared_ptr<Launch>& launch, int rank, const std::string& problem) {
  {
    const std::lock_guard hold(launch->lock);
    launch->without_thread.push_back(rank);
    was_last(launch, problem);
  }
  rank_ended();
}

void JobService::rank_ended() {
  const std::lock_guard hold(lock_);
  --running_;
  close_at_end();
}

void JobService::process_ended() {
  const std::lock_guard hold(lock_);
  --other_processes_;
  close_at_end();
}

void JobService::close_at_end() {
  if (running_ == 0 && other_processes_ == 0) spares_.close();
}

void serve_names(message::Node& node, RanksOfProcess& ranks) {
  node.serve(message::Service::job, [&ranks](const std::shared_ptr<message::ServiceCall>& call) {
    const std::set<int> named = ranks.named();
    answer(*call, WordWriter().numbers({named.begin(), named.end()}));
  });
}

}  // namespace taihu::mpi
