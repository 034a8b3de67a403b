// SPDX-License-Identifier: Apache-2.0
// What ranks of any node process ask the service of the job.
#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "taihu/base/clock.h"
#include "taihu/memory/current_rank.h"
#include "taihu/mpi/objects/dynamic/job_questions.h"
#include "taihu/mpi/objects/dynamic/job_service.h"

namespace taihu::mpi {
namespace {

std::vector<std::byte> ask(message::Node& node, const WordWriter& words) {
  return node.call(node.layout().processes - 1, message::Service::job, words.bytes().data(),
                   words.bytes().size());
}

SpawnAnswer ask_once_to_spawn(message::Node& node, const SpawnRequest& request) {
  WordWriter words = job_question(JobQuestion::spawn);
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
  result.may_come = reader.number() != 0;
  return result;
}

/// Others may wait for the caller meanwhile, such as for a long message that it has sent.
void pause_with_progress(message::Node& node, std::int64_t pause_ns) {
  constexpr std::int64_t longest_sleep_ns = 1'000'000;
  const memory::RankIdentity* const rank = memory::current_rank();
  const std::int64_t end = now_ns() + pause_ns;
  for (std::int64_t left = pause_ns; left > 0; left = end - now_ns()) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(left, longest_sleep_ns)));
    if (rank != nullptr) node.endpoint(rank->local_index).progress();
  }
}

}  // namespace

SpawnAnswer ask_to_spawn(message::Node& node, const SpawnRequest& request) {
  constexpr std::int64_t patience_ns = 2'000'000'000;
  // Each question goes to all node processes.
  constexpr std::int64_t shortest_pause_ns = 200'000, longest_pause_ns = 20'000'000;
  const std::int64_t begin = now_ns();
  std::int64_t pause_ns = shortest_pause_ns;
  SpawnAnswer answer = ask_once_to_spawn(node, request);
  while (answer.may_come && now_ns() - begin < patience_ns) {
    pause_with_progress(node, pause_ns);
    pause_ns = std::min(2 * pause_ns, longest_pause_ns);
    answer = ask_once_to_spawn(node, request);
  }
  return answer;
}

void tell_settled(message::Node& node, int first_rank, int ranks) {
  std::vector<int> settled(static_cast<std::size_t>(ranks));
  std::iota(settled.begin(), settled.end(), first_rank);
  const WordWriter words = job_question(JobQuestion::settled).numbers(settled);
  node.begin_call(node.layout().processes - 1, message::Service::job, words.bytes().data(),
                  words.bytes().size(), [](const std::vector<std::byte>&) {});
}

bool has_started(message::Node& node, int rank) {
  const std::vector<std::byte> reply = ask(node, job_question(JobQuestion::started).number(rank));
  return WordReader(reply).number() != 0;
}

void tell_process_ended(message::Node& node) {
  ask(node, job_question(JobQuestion::process_ended));
}

std::string name_of_job(message::Node& node) {
  const std::vector<std::byte> reply = ask(node, job_question(JobQuestion::job_name));
  return WordReader(reply).text();
}

bool publish(message::Node& node, const std::string& name, const std::string& port) {
  const std::vector<std::byte> reply = ask(node, job_question(JobQuestion::publish).text(name).text(port));
  return WordReader(reply).number() != 0;
}

bool unpublish(message::Node& node, const std::string& name) {
  const std::vector<std::byte> reply = ask(node, job_question(JobQuestion::unpublish).text(name));
  return WordReader(reply).number() != 0;
}

std::optional<std::string> look_up(message::Node& node, const std::string& name) {
  const std::vector<std::byte> reply = ask(node, job_question(JobQuestion::look_up).text(name));
  WordReader reader(reply);
  const bool found = reader.number() != 0;
  std::string port = reader.text();
  return found ? std::optional(std::move(port)) : std::nullopt;
}

}  // namespace taihu::mpi
