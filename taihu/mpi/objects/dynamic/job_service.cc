// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/dynamic/job_service.h"

#include <unistd.h>

#include <condition_variable>
#include <exception>
#include <utility>

#include "taihu/base/clock.h"
#include "taihu/mpi/objects/dynamic/words.h"

namespace taihu::mpi {
namespace {

enum class Question : std::int64_t { spawn, process_ended, job_name, publish, unpublish, look_up };

WordWriter question(Question what) {
  WordWriter words;
  words.number(static_cast<std::int64_t>(what));
  return words;
}

std::vector<std::byte> ask(message::Node& node, const WordWriter& words) {
  return node.call(node.layout().processes - 1, message::Service::job, words.bytes().data(),
                   words.bytes().size());
}

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

WordWriter write_answer(int first_rank, const std::string& problem) {
  WordWriter words;
  words.number(first_rank).text(problem);
  return words;
}

}  // namespace

/// The ranks of one spawn, while they are loaded. The last one answers the call.
struct JobService::Launch {
  std::shared_ptr<message::ServiceCall> call;
  int first_rank = 0, ranks = 0;
  std::mutex lock;
  std::condition_variable all_loaded;
  int missing = 0;
  std::string problem;
  std::vector<Rank*> made;
};

JobService::JobService(message::Node& node, node::SpareRanks& spares, MakeRank make_rank)
    : node_(node),
      spares_(spares),
      make_rank_(std::move(make_rank)),
      job_name_(std::to_string(now_ns()) + "-" + std::to_string(getpid())),
      next_place_(node.layout().first_ranks()),
      running_(node.local_ranks()),
      other_processes_(node.layout().processes - 1) {
  node.serve(message::Service::job,
             [this](const std::shared_ptr<message::ServiceCall>& call) { serve(call); });
}

void JobService::serve(const std::shared_ptr<message::ServiceCall>& call) {
  WordReader words(call->arguments());
  switch (static_cast<Question>(words.number())) {
    case Question::spawn:
      return spawn(call, read_request(words));
    case Question::process_ended:
      process_ended();
      return answer(*call, WordWriter());
    case Question::job_name:
      return answer(*call, WordWriter().text(job_name_));
    case Question::publish: {
      std::string name = words.text(), port = words.text();
      const std::lock_guard hold(lock_);
      const bool is_new = ports_.emplace(std::move(name), std::move(port)).second;
      return answer(*call, WordWriter().number(is_new ? 1 : 0));
    }
    case Question::unpublish: {
      const std::lock_guard hold(lock_);
      return answer(*call, WordWriter().number(static_cast<std::int64_t>(ports_.erase(words.text()))));
    }
    case Question::look_up: {
      const std::lock_guard hold(lock_);
      const auto found = ports_.find(words.text());
      WordWriter reply;
      reply.number(found != ports_.end() ? 1 : 0).text(found != ports_.end() ? found->second : "");
      return answer(*call, reply);
    }
  }
}

void JobService::spawn(const std::shared_ptr<message::ServiceCall>& call, const SpawnRequest& request) {
  auto launch = std::make_shared<Launch>();
  launch->call = call;
  WorldOfRank world;
  world.context = request.world_context;
  world.parent_context = request.parent_context;
  world.parents = request.parents;
  for (const SpawnedProgram& program : request.programs) launch->ranks += program.ranks;
  launch->missing = launch->ranks;
  const int first_here = node_.layout().first_rank[static_cast<std::size_t>(node_.process())];
  {
    const std::lock_guard hold(lock_);
    const int free = node_.layout().ranks - next_place_;
    if (launch->ranks > free) {
      return answer(*call, write_answer(-1, "the job has room for " + std::to_string(free) + " of " +
                                                std::to_string(launch->ranks) +
                                                " more ranks; start it with a larger --universe-size"));
    }
    launch->first_rank = next_place_;
    for (int k = 0; k < launch->ranks; ++k) world.members.push_back(launch->first_rank + k);
    // Before any of them runs, as they know of each other.
    try {
      for (const SpawnedProgram& program : request.programs) {
        for (int k = 0; k < program.ranks; ++k, ++next_place_)
          launch->made.push_back(&make_rank_(next_place_ - first_here, world));
        ++world.application;
      }
    } catch (const std::exception& error) {
      end(*launch);
      return answer(*call, write_answer(-1, error.what()));
    }
    running_ += launch->ranks;
  }
  int rank = launch->first_rank;
  for (const SpawnedProgram& program : request.programs)
    for (int k = 0; k < program.ranks; ++k, ++rank)
      spares_.start(rank - first_here,
                    {program.program, program.arguments, program.directory,
                     [this, launch](const std::string& problem) { return loaded(launch, problem); },
                     [this, launch](const std::string& problem) { refused(launch, problem); }});
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
  if (!good) end(*launch);
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
void JobService::refused(const std::shared_ptr<Launch>& launch, const std::string& problem) {
  {
    const std::lock_guard hold(launch->lock);
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

SpawnAnswer ask_to_spawn(message::Node& node, const SpawnRequest& request) {
  WordWriter words = question(Question::spawn);
  words.number(static_cast<std::int64_t>(request.world_context))
      .number(static_cast<std::int64_t>(request.parent_context))
      .numbers(request.parents)
      .number(static_cast<std::int64_t>(request.programs.size()));
  for (const SpawnedProgram& program : request.programs) {
    words.text(program.program).text(program.directory).number(program.ranks);
    words.number(static_cast<std::int64_t>(program.arguments.size()));
    for (const std::string& argument : program.arguments) words.text(argument);
  }
  const std::vector<std::byte> reply = ask(node, words);
  WordReader reader(reply);
  SpawnAnswer result;
  result.first_rank = static_cast<int>(reader.number());
  result.problem = reader.text();
  return result;
}

void tell_process_ended(message::Node& node) {
  ask(node, question(Question::process_ended));
}

std::string name_of_job(message::Node& node) {
  const std::vector<std::byte> reply = ask(node, question(Question::job_name));
  return WordReader(reply).text();
}

bool publish(message::Node& node, const std::string& name, const std::string& port) {
  const std::vector<std::byte> reply = ask(node, question(Question::publish).text(name).text(port));
  return WordReader(reply).number() != 0;
}

bool unpublish(message::Node& node, const std::string& name) {
  const std::vector<std::byte> reply = ask(node, question(Question::unpublish).text(name));
  return WordReader(reply).number() != 0;
}

std::optional<std::string> look_up(message::Node& node, const std::string& name) {
  const std::vector<std::byte> reply = ask(node, question(Question::look_up).text(name));
  WordReader reader(reply);
  const bool found = reader.number() != 0;
  std::string port = reader.text();
  return found ? std::optional(std::move(port)) : std::nullopt;
}

}  // namespace taihu::mpi
